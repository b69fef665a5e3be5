"""Connections that ask for nothing: each has a little time, and together they have few places.

From the moment that a request's head has come, its handler has time-outs of its own.
"""

import time
from collections.abc import Callable

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware
from aiohttp.web_protocol import RequestHandler as Connection

IDLE_TIMEOUT_S = 20.0
MAX_IDLE = 500  # as many may come at once
MAX_CONNECTIONS = 1500  # in all; of those that are served, each kind has a limit of its own
_OTHER_FILES = 200  # of the process: camera, model, what asyncio accepts before anybody is sent away
_FEWEST = 16
_CONNECTED_WITHIN_S = 1.0  # asyncio connects a protocol to its transport a moment after it has made it


class IdleConnections:
    """Ends who has sent no whole request for `IDLE_TIMEOUT_S`; and, when there are too many, the oldest of them.

    files  the process may have open; there are fewer connections than that, so that none fails for want of one
    """

    def __init__(self, files: int) -> None:
        self._most = max(_FEWEST, min(MAX_CONNECTIONS, files - _OTHER_FILES))
        self._idle_since: dict[Connection, float] = {}  # since when, the oldest first
        self._served = 0

    def protocol_factory(self, server: web.Server) -> Callable[[], Connection]:
        """A protocol factory that notes who comes."""

        def admit() -> Connection:
            connection = server()
            self._idle_since[connection] = time.monotonic()
            self._make_room()
            return connection

        return admit

    def middleware(self) -> Middleware:
        """To be the outermost one: notes who is being served."""

        @web.middleware
        async def serve(request: web.Request, handler: Handler) -> web.StreamResponse:
            self._idle_since.pop(request.protocol, None)
            self._served += 1
            try:
                return await handler(request)
            finally:
                self._served -= 1
                self._idle_since[request.protocol] = time.monotonic()

        return serve

    def close_idle(self) -> None:
        """To be called now and then."""
        now = time.monotonic()
        for connection, since in list(self._idle_since.items()):
            left = connection.transport is None and now - since > _CONNECTED_WITHIN_S
            if left or now - since > IDLE_TIMEOUT_S:
                self._end(connection)
        self._make_room()

    def _make_room(self) -> None:
        there = [connection for connection in self._idle_since if connection.transport is not None]
        silent = len(self._idle_since)
        for connection in there[: max(0, silent - MAX_IDLE, silent + self._served - self._most)]:
            self._end(connection)

    def _end(self, connection: Connection) -> None:
        del self._idle_since[connection]
        if connection.transport is not None:
            connection.transport.abort()
