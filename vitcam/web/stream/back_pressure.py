"""How much of what was sent a client has not read yet, and waiting until it has.

TCP acknowledges a byte when the client's kernel has it, read or not, and that kernel may keep megabytes: a viewer who
pauses would come back to seconds of old pictures. But an acknowledgement also says how much room is left over there,
so what is unread shows as room that is missing.
"""

import asyncio
import fcntl
import socket
import struct
import termios
from collections.abc import Awaitable, Callable

_ROOM_AT = 228  # offset of tcpi_snd_wnd in struct tcp_info, linux/tcp.h; there since Linux 5.4
_INFO_BYTES = _ROOM_AT + 4
_FIRST_LOOK_S, _LAST_LOOK_S = 0.002, 0.25
_TEST_AFTER_S = 0.5
_TEST_BYTES = 4096  # several times the unit in which room is told, which is up to 1 kB


class BackPressure:
    """A client's connection.

    probe  sends about so many bytes that mean nothing to the client: its kernel answers with how much room it has now
    """

    def __init__(self, transport: asyncio.Transport, probe: Callable[[int], Awaitable[None]]) -> None:
        self._transport = transport
        self._socket: socket.socket = transport.get_extra_info("socket")
        self._probe = probe
        self._most_room = 0
        transport.set_write_buffer_limits(0)

    async def wait_until_read(self, allowed: int) -> None:
        """Return once about `allowed` bytes are unread at most; ConnectionResetError if the client leaves.

        What is unread without the room being smaller goes unnoticed: up to a sixth of the client's buffer.
        """
        waited_s, test_at_s = 0.0, _TEST_AFTER_S
        while self._unread() > allowed:
            pause_s = min(max(_FIRST_LOOK_S, waited_s / 4), _LAST_LOOK_S)
            await asyncio.sleep(pause_s)
            waited_s += pause_s
            if self._queued() or self._unread() <= allowed:
                continue
            if waited_s < test_at_s:
                await self._probe(1)
            elif await self._room_stays(pause_s):
                self._most_room = 0
            else:
                test_at_s = 4 * waited_s

    async def _room_stays(self, pause_s: float) -> bool:
        """Whether the client reads although room is missing: its kernel may have made the buffer itself smaller."""
        before = self._room()
        for size in (_TEST_BYTES, 1):
            await self._probe(size)
            await asyncio.sleep(pause_s)
        return not self._queued() and self._room() > before - _TEST_BYTES // 4

    def _unread(self) -> int:
        room = self._room()
        self._most_room = max(self._most_room, room)
        return self._queued() + self._most_room - room

    def _queued(self) -> int:
        """Bytes that have not reached the client's kernel, or not for certain."""
        if self._transport.is_closing():
            raise ConnectionResetError("the client left")
        raw = fcntl.ioctl(self._socket.fileno(), termios.TIOCOUTQ, bytes(4))
        return self._transport.get_write_buffer_size() + int.from_bytes(raw, "little")

    def _room(self) -> int:
        """Bytes the client's kernel had room for when it last answered; 0 on a kernel that does not tell."""
        if self._transport.is_closing():
            raise ConnectionResetError("the client left")
        info = self._socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _INFO_BYTES)
        return int(struct.unpack_from("=I", info, _ROOM_AT)[0]) if len(info) == _INFO_BYTES else 0
