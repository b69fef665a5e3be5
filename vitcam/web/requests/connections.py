"""All connections: how many there may be, in all and from one address, and when the kernel gives one up."""

import asyncio
import errno
import logging
import socket
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from aiohttp import web

from vitcam.access.attempts import home_of
from vitcam.web.requests.connection import HttpConnection

MAX_CONNECTIONS = 1500
UNREAD_TIMEOUT_S = 30.0
_SHARE = 2 / 3  # of all connections that one address may have
_OTHER_FILES = 200  # of this process, such as those of the camera and the model
_MIN_CONNECTIONS = 16
_NO_FILES = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_AGAIN_S, _LOG_EVERY_S = 1.0, 60.0
_AT_ONCE = 64  # connections that are accepted before others have their turn

log = logging.getLogger(__name__)


class Connections:
    """Accepts connections, and closes at once what is one too many.

    A connection whose client takes nothing of what waits for it for `UNREAD_TIMEOUT_S` is closed by the kernel, also
    where the client has left without a word, as a phone does that leaves the Wi-Fi.

    max_files  how many files the process may have open. Fewer connections than that are kept, so that none fails
               because there is no file descriptor left.
    is_shared  whether an address stands for many clients, as that of a trusted proxy: the limits of one address are
               those of the requests, which say for whom they are
    """

    def __init__(self, max_files: int, is_shared: Callable[[str], bool] = lambda _: False) -> None:
        self.most = max(_MIN_CONNECTIONS, min(MAX_CONNECTIONS, max_files - _OTHER_FILES))
        self.most_of_one = round(self.most * _SHARE)
        self._is_shared = is_shared
        self._of_address: Counter[str] = Counter()
        self._serving: set[asyncio.Task[None]] = set()
        self._logged_s = -_LOG_EVERY_S

    async def accept(self, listener: socket.socket, server: web.Server, **tls: Any) -> None:
        """Accept connections until this is cancelled. `tls` as in `connect_accepted_socket`."""
        loop = asyncio.get_running_loop()
        listener.setblocking(False)
        while True:
            try:
                self._begin(*await loop.sock_accept(listener), server, tls)
                for _ in range(_AT_ONCE):
                    self._begin(*listener.accept(), server, tls)
            except BlockingIOError:
                pass
            except OSError as error:
                if error.errno in _NO_FILES:
                    self._log_rarely(f"too many connections: {error}; new ones wait")
                    await asyncio.sleep(_AGAIN_S)
            await asyncio.sleep(0)  # others have their turn, however fast clients connect

    def _begin(self, accepted: socket.socket, peer: tuple[Any, ...], server: web.Server, tls: dict[str, Any]) -> None:
        host = str(peer[0])
        if self._is_too_many(host):
            accepted.close()
            return
        accepted.setblocking(False)
        self._of_address[home_of(host)] += 1
        task = asyncio.get_running_loop().create_task(self._serve(accepted, home_of(host), server, tls))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    def _is_too_many(self, host: str) -> bool:
        address = home_of(host)
        if len(self._serving) >= self.most:
            self._log_rarely(f"too many connections: {self.most} are open; more are refused")
            return True
        if self._of_address[address] >= self.most_of_one and not self._is_shared(host):
            self._log_rarely(f"too many connections: {address} has {self.most_of_one} open; more are refused")
            return True
        return False

    async def _serve(self, accepted: socket.socket, address: str, server: web.Server, tls: dict[str, Any]) -> None:
        """From the handshake of a connection to its end, in which it counts."""
        try:
            accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(1000 * UNREAD_TIMEOUT_S))  # tcp(7)
            connection = HttpConnection(server)
            await asyncio.get_running_loop().connect_accepted_socket(lambda: connection, accepted, **tls)
            await connection.ended.wait()
        except OSError:  # no handshake, or none in time
            accepted.close()
        finally:
            self._of_address[address] -= 1
            if not self._of_address[address]:
                del self._of_address[address]

    def _log_rarely(self, sentence: str) -> None:
        if (now := time.monotonic()) - self._logged_s >= _LOG_EVERY_S:
            self._logged_s = now
            log.error("%s (logged once a minute)", sentence)
