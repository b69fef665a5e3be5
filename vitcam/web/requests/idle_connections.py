"""Idle connections: each is closed after a timeout, and only a limited number of them is kept open.

A connection is idle until the complete head of a request has arrived, and again after the answer. In between the
handler of the request has time limits of its own.
"""

import time
from collections.abc import Callable

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware
from aiohttp.web_protocol import RequestHandler as Connection

IDLE_TIMEOUT_S = 20.0
MAX_IDLE = 500  # so that as many clients may connect at the same moment
MAX_CONNECTIONS = 1500  # idle or not; for requests, each kind also has a quota
_OTHER_FILES = 200  # of this process: camera, model, and connections that asyncio accepts before one is closed here
_MIN_CONNECTIONS = 16


class IdleConnections:
    """Closes connections that send no complete request within `IDLE_TIMEOUT_S`; if there are too many, the oldest.

    max_files  how many files the process may have open. Fewer connections than that are kept, so that none fails
               because there is no file descriptor left.
    connected_within_s  a connection that has no transport for longer has left; with TLS it gets one after the handshake
    """

    def __init__(self, max_files: int, connected_within_s: float) -> None:
        self._connected_within_s = connected_within_s
        self._max_connections = max(_MIN_CONNECTIONS, min(MAX_CONNECTIONS, max_files - _OTHER_FILES))
        self._idle_since: dict[Connection, float] = {}  # the oldest first
        self._busy = 0

    def protocol_factory(self, server: web.Server) -> Callable[[], Connection]:
        """Makes the protocol of each new connection, which is idle at first."""

        def connect() -> Connection:
            connection = server()
            self._idle_since[connection] = time.monotonic()
            self._enforce_limits()
            return connection

        return connect

    def middleware(self) -> Middleware:
        """The outermost middleware: while a request is handled, its connection is not idle."""

        @web.middleware
        async def handle(request: web.Request, handler: Handler) -> web.StreamResponse:
            self._idle_since.pop(request.protocol, None)
            self._busy += 1
            try:
                return await handler(request)
            finally:
                self._busy -= 1
                self._idle_since[request.protocol] = time.monotonic()

        return handle

    def close_idle(self) -> None:
        """Close what has been idle for too long; to be called regularly."""
        now = time.monotonic()
        for connection, since in list(self._idle_since.items()):
            left = connection.transport is None and now - since > self._connected_within_s
            if left or now - since > IDLE_TIMEOUT_S:
                self._close(connection)
        self._enforce_limits()

    def _enforce_limits(self) -> None:
        open_ones = [connection for connection in self._idle_since if connection.transport is not None]
        idle = len(self._idle_since)
        for connection in open_ones[: max(0, idle - MAX_IDLE, idle + self._busy - self._max_connections)]:
            self._close(connection)

    def _close(self, connection: Connection) -> None:
        del self._idle_since[connection]
        if connection.transport is not None:
            connection.transport.abort()
