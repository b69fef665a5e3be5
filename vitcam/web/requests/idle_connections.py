"""Idle connections: each is closed after a timeout, and only a limited number of them is kept open.

A connection is idle until the complete head of a request has arrived, and again after the answer. In between the
handler of the request has time limits of its own.
"""

import time
from collections import defaultdict
from collections.abc import Callable

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from vitcam.web.requests.connection import HttpConnection, speaks_http_1

IDLE_TIMEOUT_S = 20.0
MAX_IDLE = 500  # so that as many clients may connect at the same moment
MAX_IDLE_OF_ONE_ADDRESS = 400  # so that one address leaves room for others
MAX_CONNECTIONS = 1500  # idle or not; for requests, each kind also has a quota
_OTHER_FILES = 200  # of this process: camera, model, and connections that asyncio accepts before one is closed here
_MIN_CONNECTIONS = 16


class IdleConnections:
    """Closes connections that send no complete request within `IDLE_TIMEOUT_S`; if there are too many, the oldest of
    the address that has most.

    max_files  how many files the process may have open. Fewer connections than that are kept, so that none fails
               because there is no file descriptor left.
    connected_within_s  a connection that has no transport for longer has left; with TLS it gets one after the handshake
    """

    def __init__(self, max_files: int, connected_within_s: float) -> None:
        self._connected_within_s = connected_within_s
        self._max_connections = max(_MIN_CONNECTIONS, min(MAX_CONNECTIONS, max_files - _OTHER_FILES))
        self._idle_since: dict[HttpConnection, float] = {}  # the oldest first
        self._busy = 0

    def protocol_factory(self, server: web.Server) -> Callable[[], HttpConnection]:
        """Makes the protocol of each new connection, which is idle at first."""

        def connect() -> HttpConnection:
            connection = HttpConnection(server, self._enforce_limits, self._forget)
            self._idle_since[connection] = time.monotonic()
            return connection

        return connect

    def middleware(self) -> Middleware:
        """The outermost middleware: while a request is handled, its connection is not idle."""

        @web.middleware
        async def handle(request: web.Request, handler: Handler) -> web.StreamResponse:
            connection = request.protocol
            assert isinstance(connection, HttpConnection)  # noqa: S101 - `protocol_factory` makes no other
            if not speaks_http_1(request):
                connection.refuse(400, "the version of HTTP is neither 1.0 nor 1.1; send one of these")
                raise ConnectionResetError("this version has no answer of its own")
            self._idle_since.pop(connection, None)
            self._busy += 1
            try:
                with connection.answering(request):
                    return await handler(request)
            finally:
                self._busy -= 1
                if connection.transport is not None:
                    self._idle_since[connection] = time.monotonic()

        return handle

    def close_idle(self) -> None:
        """Close what has been idle for too long; to be called regularly."""
        now = time.monotonic()
        for connection, since in list(self._idle_since.items()):
            left = connection.transport is None and now - since > self._connected_within_s
            if left or now - since > IDLE_TIMEOUT_S:
                self._close(connection, 408, f"no complete request came within {IDLE_TIMEOUT_S:g} s; send it faster")
        self._enforce_limits()

    def _forget(self, connection: HttpConnection) -> None:
        """One that has ended takes nobody's place."""
        self._idle_since.pop(connection, None)

    def _enforce_limits(self) -> None:
        known = len(self._idle_since)
        if known <= min(MAX_IDLE, MAX_IDLE_OF_ONE_ADDRESS) and known + self._busy <= self._max_connections:
            return
        by_address = self._by_address()
        for of_one in by_address.values():
            while len(of_one) > MAX_IDLE_OF_ONE_ADDRESS:
                self._close_for_room(of_one.pop(0))
        idle = sum(map(len, by_address.values()))
        too_many = max(0, idle - MAX_IDLE, len(self._idle_since) + self._busy - self._max_connections)
        for _ in range(min(too_many, idle)):
            self._close_for_room(max(by_address.values(), key=len).pop(0))

    def _by_address(self) -> dict[str, list[HttpConnection]]:
        """The idle connections of each address, the oldest first; those that are not connected yet have none."""
        found: dict[str, list[HttpConnection]] = defaultdict(list)
        for connection in self._idle_since:
            if connection.transport is not None:
                peer = connection.transport.get_extra_info("peername")
                found[str(peer[0]) if peer else ""].append(connection)
        return found

    def _close_for_room(self, connection: HttpConnection) -> None:
        self._close(connection, 503, "too many connections send no complete request; send it faster, or try again")

    def _close(self, connection: HttpConnection, status: int, sentence: str) -> None:
        """With a sentence where a part of a request came: where nobody asked, it would be taken for the next answer."""
        del self._idle_since[connection]
        if connection.has_begun:
            connection.refuse(status, sentence)
        elif connection.transport is not None:
            connection.transport.abort()
