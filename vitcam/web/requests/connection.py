"""One connection: what comes before a request is complete, and what is not HTTP."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager

from aiohttp import web
from aiohttp.http_exceptions import LineTooLong

IDLE_TIMEOUT_S = 20.0  # until the head of the next request is complete
MAX_LINE = 8190  # bytes, of the request line, and of the name and the value of a header
MAX_HEADERS = 128
MAX_HEAD = 65536  # bytes, in all
_TOO_LONG = f"a line of the request's head is longer than {MAX_LINE:,} bytes; send shorter ones"


class HttpConnection(web.RequestHandler):
    """Answers what is not a request with a sentence, and reads about `MAX_HEAD` bytes of a head.

    aiohttp limits each line of a head and their number, which together may be a megabyte, and twice that in memory. So
    reading pauses after `MAX_HEAD` bytes that belong to no request that is being answered.
    """

    __slots__ = ("_holds", "_unasked", "ended")
    _holds: bool
    """Whether reading pauses because of this, and not because aiohttp waits until a body is used up."""
    _unasked: int | None
    """How many bytes of the next request have come; None: what comes is the body of one that is being answered."""
    ended: asyncio.Event

    def __init__(self, server: web.Server) -> None:
        """In place of `server()`, which knows no other class; on the event loop."""
        super().__init__(
            server,
            loop=asyncio.get_running_loop(),
            keepalive_timeout=IDLE_TIMEOUT_S,  # also for the first request
            max_line_size=MAX_LINE,
            max_field_size=MAX_LINE,
            max_headers=MAX_HEADERS,
            access_log=None,  # type: ignore[arg-type] # with None it logs no requests
            auto_decompress=False,  # compressed bodies are refused: a small one may become very large
        )
        self._unasked, self._holds = 0, False
        self.ended = asyncio.Event()

    def connection_lost(self, exc: BaseException | None) -> None:
        """Says so."""
        self.ended.set()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Feed the parser, which keeps an incomplete head in memory."""
        super().data_received(data)
        if self._unasked is not None:
            self._unasked += len(data)
            if self._unasked > MAX_HEAD and self.transport is not None and self.transport.is_reading():
                self.transport.pause_reading()
                self._holds = True

    @contextmanager
    def answering(self, request: web.BaseRequest) -> Iterator[None]:
        """While the context lasts, a request that has come is being answered."""
        self._unasked = None if request.body_exists else 0
        if self._holds and self.transport is not None:
            self.transport.resume_reading()
        self._holds = False
        try:
            yield
        finally:
            self._unasked = 0

    def refuse_version(self) -> None:
        """Answer a request of another version of HTTP in 1.1, and close."""
        body = json.dumps({"error": "the version of HTTP is neither 1.0 nor 1.1; send one of these"}).encode()
        head = (
            "HTTP/1.1 400 Bad Request",
            "Content-Type: application/json; charset=utf-8",
            f"Content-Length: {len(body)}",
            "Server: vitcam",
            "Connection: close",
        )
        if self.transport is not None:
            self.transport.write("\r\n".join([*head, "", ""]).encode() + body)
        self.force_close()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """The answer to what cannot be parsed, as JSON and with no line in the log; anybody may send it."""
        if isinstance(exc, ConnectionError):  # the client has left
            raise exc
        if status != 400:
            return super().handle_error(request, status, exc, message)
        reason = (message or "").partition("\n")[0].strip(" :.")[:100]
        sentence = f"the request is not valid HTTP{f' ({reason})' if reason else ''}; see RFC 9112"
        if isinstance(exc, LineTooLong):
            status, sentence = 431, _TOO_LONG
        answer = web.json_response({"error": sentence}, status=status, headers={"Server": "vitcam"})
        answer.force_close()
        return answer
