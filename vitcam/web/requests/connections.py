"""Every connection from its first byte on: how many there are, and how long each may do nothing.

A connection waits until the complete head of a request has arrived, the handshake of TLS included, and again after the
answer. In between its request is answered, and the answer waits for a client that does not read it.
"""

import asyncio
import errno
import logging
import socket
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from aiohttp import web

from vitcam.web.requests.connection import HttpConnection
from vitcam.web.requests.silent_connections import MOST, SilentConnections

IDLE_TIMEOUT_S = 20.0
MAX_IDLE = 500  # so that as many clients may connect at the same moment
MAX_IDLE_OF_ONE_ADDRESS = 400  # so that one address leaves room for others
MAX_CONNECTIONS = 1500  # waiting or not; for requests, each route also has a quota
_SHARE = 2 / 3  # of all connections that one address may have
_OTHER_FILES = 200  # of this process: camera, model, and connections that are accepted before one is closed
_MIN_CONNECTIONS = 16
_NO_FILES = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_AGAIN_S, _LOG_EVERY_S = 1.0, 60.0
_AT_ONCE = 64  # connections that are accepted before others have their turn

log = logging.getLogger(__name__)


class Connections:
    """Accepts connections, and closes those that take others' places.

    A connection that sends no complete request within `IDLE_TIMEOUT_S` is closed. If there are too many, the one of the
    address with most that has waited longest. One whose client does not read the answer is closed by the kernel.

    max_files  how many files the process may have open. Fewer connections than that are kept, so that none fails
               because there is no file descriptor left.
    is_shared  whether an address stands for many clients, as that of a trusted proxy: the limits of one address are
               those of the requests, which say for whom they are
    """

    def __init__(self, max_files: int, is_shared: Callable[[str], bool] = lambda _: False) -> None:
        self._most_silent = max(_MIN_CONNECTIONS, min(MOST, max_files // 4))
        self._silent: SilentConnections | None = None
        self.most = max(_MIN_CONNECTIONS, min(MAX_CONNECTIONS, max_files - _OTHER_FILES - self._most_silent))
        self.most_of_one = round(self.most * _SHARE)
        self._is_shared = is_shared
        self._open: dict[HttpConnection, None] = {}
        self._of_address: Counter[str] = Counter()
        self._waiting: dict[str, dict[HttpConnection, float]] = defaultdict(dict)  # since when; the oldest first
        self._logged_s = -_LOG_EVERY_S

    async def accept(self, listener: socket.socket, server: web.Server, **tls: Any) -> None:
        """Accept connections until this is cancelled. `tls` as in `connect_accepted_socket`."""
        loop = asyncio.get_running_loop()
        listener.setblocking(False)

        def begin(accepted: socket.socket, address: str) -> None:
            self._begin(server, accepted, address, tls)

        silent = self._silent = SilentConnections(begin, self._most_silent)
        while True:
            try:
                silent.add(*await loop.sock_accept(listener))
                for _ in range(_AT_ONCE):
                    silent.add(*listener.accept())
            except BlockingIOError:
                pass
            except OSError as error:
                if error.errno in _NO_FILES:
                    self._log_rarely(error)
                    silent.close_oldest()
                    await asyncio.sleep(_AGAIN_S)
            await asyncio.sleep(0)  # others have their turn, however fast clients connect

    @contextmanager
    def answering(self, request: web.BaseRequest) -> Iterator[None]:
        """While the context lasts, the connection of a request does not wait."""
        connection = request.protocol
        assert isinstance(connection, HttpConnection)  # noqa: S101 - `accept` makes no other
        self._stop_waiting(connection)
        try:
            with connection.answering(request):
                yield
        finally:
            if connection in self._open:
                self._wait(connection)

    def look(self) -> None:
        """Close what has waited for too long; to be called regularly."""
        if self._silent is not None:
            self._silent.close_late(IDLE_TIMEOUT_S)
        now = time.monotonic()
        late = [
            each for of_one in self._waiting.values() for each, since in of_one.items() if now - since > IDLE_TIMEOUT_S
        ]
        for connection in late:
            self._close(connection, 408, f"no complete request came within {IDLE_TIMEOUT_S:g} s; send it faster")
        while self._idle > MAX_IDLE:
            self._close_for_room(next(iter(self._largest)))

    def abort_all(self) -> None:
        """Close every connection without waiting for clients to read what was sent."""
        for connection in [*self._open]:
            connection.abort()
        if self._silent is not None:
            self._silent.close_all()

    def _begin(self, server: web.Server, accepted: socket.socket, address: str, tls: dict[str, Any]) -> None:
        set_unread_timeout(accepted, IDLE_TIMEOUT_S)
        connection = HttpConnection(server, address, self._forget)
        self._open[connection] = None
        self._of_address[connection.address] += 1
        self._wait(connection)
        loop = asyncio.get_running_loop()
        owned = False

        async def connect() -> None:
            nonlocal owned
            owned = True
            await loop.connect_accepted_socket(lambda: connection, accepted, **tls)

        def connected(done: asyncio.Task[None]) -> None:
            if not owned:  # cancelled before it began
                accepted.close()
            if done.cancelled() or done.exception() is not None:  # no handshake, or none in time
                self._forget(connection)

        connection.connecting = loop.create_task(connect())
        connection.connecting.add_done_callback(connected)
        self._make_room(connection)

    def _forget(self, connection: HttpConnection) -> None:
        """One that has ended takes nobody's place."""
        if connection in self._open:
            del self._open[connection]
            self._stop_waiting(connection)
            self._of_address[connection.address] -= 1
            if not self._of_address[connection.address]:
                del self._of_address[connection.address]

    def _wait(self, connection: HttpConnection) -> None:
        self._waiting[connection.address][connection] = time.monotonic()

    def _stop_waiting(self, connection: HttpConnection) -> None:
        of_one = self._waiting.get(connection.address, {})
        of_one.pop(connection, None)
        if not of_one:
            self._waiting.pop(connection.address, None)

    def _make_room(self, newest: HttpConnection) -> None:
        """Close the one that waits longest if this one is one too many."""
        address, own = newest.address, self._waiting[newest.address]
        if not self._is_shared(address) and (
            len(own) > MAX_IDLE_OF_ONE_ADDRESS or self._of_address[address] > self.most_of_one
        ):
            among = own
        elif self._idle > MAX_IDLE or len(self._open) > self.most:
            among = self._largest
        else:
            return
        self._close_for_room(next(iter(among)))

    @property
    def _idle(self) -> int:
        return sum(map(len, self._waiting.values()))

    @property
    def _largest(self) -> dict[HttpConnection, float]:
        """What waits of the address of which most do."""
        return max(self._waiting.values(), key=len)

    def _close_for_room(self, connection: HttpConnection) -> None:
        self._close(connection, 503, "too many connections send no complete request; send it faster, or try again")

    def _close(self, connection: HttpConnection, status: int, sentence: str) -> None:
        """With a sentence where a part of a request came: where nobody asked, it would be taken for the next answer."""
        self._stop_waiting(connection)
        if connection.has_begun:
            connection.refuse(status, sentence)
            asyncio.get_running_loop().call_later(_AGAIN_S, connection.abort)  # who does not read does not keep it open
        else:
            connection.abort()
        self._forget(connection)

    def _log_rarely(self, error: OSError) -> None:
        if (now := time.monotonic()) - self._logged_s >= _LOG_EVERY_S:
            self._logged_s = now
            log.error("too many connections: %s; new ones wait (logged once a minute)", error)


def set_unread_timeout(line: socket.socket, seconds: float) -> None:
    """From now on the kernel closes a connection whose client takes nothing of what waits for it for that long.

    source  tcp(7), TCP_USER_TIMEOUT
    """
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(1000 * seconds))
