"""Back-pressure: how many bytes a client has not read yet, and waiting until it has.

TCP acknowledges a byte when the client's kernel has received it, whether the client has read it or not, and that kernel
may buffer megabytes. A viewer who decodes five pictures a second, over a line of 20 ms, would see pictures that are
3.4 s old; with this they are 0.2 s old. A small send buffer does not help: it limits what waits here, not there. But
each acknowledgement also carries the receive window, which is the room left in that buffer. So unread bytes show as a
smaller window.
"""

import asyncio
import fcntl
import socket
import struct
import termios
from collections.abc import Awaitable, Callable

from aiohttp import web

_WINDOW_OFFSET = 228  # of tcpi_snd_wnd in struct tcp_info, linux/tcp.h; there since Linux 5.4
_INFO_BYTES = _WINDOW_OFFSET + 4
_MIN_PAUSE_S, _MAX_PAUSE_S = 0.002, 0.25
_TEST_AFTER_S = 0.5
_TEST_BYTES = 4096  # several times the unit of the window, which is up to 1 kB


class BackPressure:
    """Measures what the client of one connection has not read.

    probe  sends about that many bytes which the client ignores: its kernel answers with its present receive window
    """

    def __init__(self, transport: asyncio.Transport, probe: Callable[[int], Awaitable[None]]) -> None:
        self._transport = transport
        self._socket: socket.socket = transport.get_extra_info("socket")
        self._probe = probe
        self._largest_window = 0
        transport.set_write_buffer_limits(high=1, low=0)  # with 0, asyncio's TLS pauses writing and never resumes it

    async def wait_until_read(self, allowed: int) -> None:
        """Return once at most about `allowed` bytes are unread. Raises ConnectionResetError if the client leaves.

        Unread bytes that do not make the window smaller are not noticed: up to a sixth of the client's buffer.
        """
        waited_s, test_at_s = 0.0, _TEST_AFTER_S
        while self._unread() > allowed:
            pause_s = min(max(_MIN_PAUSE_S, waited_s / 4), _MAX_PAUSE_S)
            await asyncio.sleep(pause_s)
            waited_s += pause_s
            if self._queued() or self._unread() <= allowed:
                continue
            if waited_s < test_at_s:
                await self._probe(1)
            elif await self._window_is_stable(pause_s):
                self._largest_window = 0
            else:
                test_at_s = 4 * waited_s

    async def _window_is_stable(self, pause_s: float) -> bool:
        """Whether the client reads although its window is smaller: its kernel may have made the buffer smaller."""
        before = self._window()
        for size in (_TEST_BYTES, 1):
            await self._probe(size)
            await asyncio.sleep(pause_s)
        return not self._queued() and self._window() > before - _TEST_BYTES // 4

    def _unread(self) -> int:
        window = self._window()
        self._largest_window = max(self._largest_window, window)
        return self._queued() + self._largest_window - window

    def _queued(self) -> int:
        """Bytes for which there is no acknowledgement of the client's kernel yet."""
        if self._transport.is_closing():
            raise ConnectionResetError("the client left")
        raw = fcntl.ioctl(self._socket.fileno(), termios.TIOCOUTQ, bytes(4))
        return self._transport.get_write_buffer_size() + int.from_bytes(raw, "little")

    def _window(self) -> int:
        """The client's receive window in its last answer, in bytes; 0 if our kernel does not report it."""
        if self._transport.is_closing():
            raise ConnectionResetError("the client left")
        info = self._socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _INFO_BYTES)
        return int(struct.unpack_from("=I", info, _WINDOW_OFFSET)[0]) if len(info) == _INFO_BYTES else 0


def transport_of(request: web.Request) -> asyncio.Transport:
    """The connection of a request. Raises ConnectionResetError if the client has left."""
    if request.transport is None:
        raise ConnectionResetError("the client left")
    return request.transport
