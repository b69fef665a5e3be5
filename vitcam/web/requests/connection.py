"""One connection: what comes before a request is complete, and what is not HTTP.

aiohttp limits each line of a head and their number, which together may be a megabyte. It answers what it cannot parse
as plain text, with its own version, and logs a traceback for it. This adds a limit for the head in all, and answers as
everywhere else.

aiohttp has no public way to either, so `PRIVATE` lists what is used of its inside: look there first if a new release
fails the tests of the web server. `.ci/newest_aiohttp` runs them with the newest one.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, cast

from aiohttp import StreamReader, web
from aiohttp.http_exceptions import HttpProcessingError, LineTooLong

MAX_LINE = 8190  # bytes; aiohttp's own limit for the request line, and for the name and the value of a header
MAX_HEADERS = 128  # aiohttp's own, too
MAX_HEAD = 65536  # bytes, in all
_VERSIONS = ((1, 0), (1, 1))
_TOO_LARGE = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
PRIVATE: Mapping[type, tuple[str, ...]] = MappingProxyType(
    {
        web.RequestHandler: ("_messages", "_request_count"),  # here: whether a head is complete, and its body
        web.StreamResponse: ("_length_check",),  # stream/mjpeg.py: a body that ends with the connection
    }
)
"""The private names of aiohttp's classes that are used, and nowhere else others."""


class HttpConnection(web.RequestHandler):
    """Answers what is not a request with a sentence, and accepts a head of at most `MAX_HEAD` bytes."""

    __slots__ = ("_answered", "_body", "_head_bytes", "_lost", "address", "connecting", "line")
    _answered: web.BaseRequest | None
    _body: StreamReader | None
    """Of the newest request; it may come after the answer, too."""
    _head_bytes: int
    _lost: "Callable[[HttpConnection], None]"
    address: str
    """Whose connection it is: an IP address, or a home's network of IPv6."""
    connecting: "asyncio.Task[Any] | None"
    """Until it has a transport: with TLS until the end of the handshake."""
    line: asyncio.Transport | None
    """Its transport, also while it is being closed."""

    def __init__(self, server: web.Server, address: str, lost: "Callable[[HttpConnection], None]") -> None:
        """In place of `server()`, which knows no other class; on the event loop.

        lost  is called with it when it has ended
        """
        super().__init__(
            server,
            loop=asyncio.get_running_loop(),
            access_log=None,  # type: ignore[arg-type] # with None it logs no requests
            logger=_protocol_logger(),
            auto_decompress=False,  # compressed bodies are refused: a small one may become very large
        )
        self._answered, self._body, self._head_bytes, self._lost = None, None, 0, lost
        self.address, self.connecting, self.line = address, None, None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remembers it: aiohttp forgets it when it begins to close."""
        super().connection_made(transport)
        self.line = cast(asyncio.Transport, transport)

    def abort(self) -> None:
        """Close at once, whatever was not sent yet."""
        if self.line is not None:
            self.line.abort()
        elif self.connecting is not None:
            self.connecting.cancel()

    def connection_lost(self, exc: BaseException | None) -> None:
        """Says so at once."""
        self._lost(self)
        super().connection_lost(exc)

    @contextmanager
    def answering(self, request: web.BaseRequest) -> Iterator[None]:
        """While the context lasts, a request that has come is being answered."""
        self._answered = request
        try:
            yield
        finally:
            self._answered = None

    @property
    def has_begun(self) -> bool:
        """Whether a part of a request's head has come, and not yet the rest."""
        return self._head_bytes > 0

    def data_received(self, data: bytes) -> None:
        """Feed the parser, which keeps an incomplete head in memory, and count what it keeps."""
        complete, is_body = self._request_count, self._body is not None and not self._body.is_eof()
        super().data_received(data)
        if self._request_count != complete:
            self._head_bytes, self._body = 0, self._messages[-1][1]
        elif not is_body:
            self._head_bytes += len(data)
            if self._head_bytes > MAX_HEAD:
                self.refuse(_TOO_LARGE, f"the request's head is larger than {MAX_HEAD:,} bytes; send a smaller one")

    def refuse(self, status: int, sentence: str) -> None:
        """Answer what is not a request, or not yet one, and close. Where an answer has begun: only close."""
        if self.transport is None:
            return
        current = self._answered
        if (current is None or not current.writer.output_size) and not self.transport.is_closing():
            self.transport.write(_refusal(HTTPStatus(status), sentence))
        self.force_close()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """The answer to what cannot be parsed, as JSON. A client that has left gets none, and no line in the log."""
        if isinstance(exc, ConnectionError):
            raise exc
        super().handle_error(request, status, exc, message)  # logs it; raises ConnectionError if an answer has begun
        status, sentence = (_TOO_LARGE, _why_too_long()) if isinstance(exc, LineTooLong) else _why(status, message)
        answer = web.json_response({"error": sentence}, status=status, headers={"Server": "vitcam"})
        answer.force_close()
        return answer


def refuse(request: web.BaseRequest, status: int, sentence: str) -> None:
    """Answer on a request's connection what has no answer of its own, and close it."""
    if isinstance(request.protocol, HttpConnection):
        request.protocol.refuse(status, sentence)


def speaks_http_1(request: web.BaseRequest) -> bool:
    """Whether a request has a version that is answered here; the parser lets others pass."""
    return tuple(request.version) in _VERSIONS


def _why_too_long() -> str:
    return f"a line of the request's head is longer than {MAX_LINE:,} bytes; send shorter ones"


def _why(status: int, message: str | None) -> tuple[int, str]:
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return 500, "this request failed because of an error in vitcam; see its log"
    reason = (message or "").partition("\n")[0].strip(" :.")[:100]
    return status, f"the request is not valid HTTP{f' ({reason})' if reason else ''}; see RFC 9112"


def _refusal(status: HTTPStatus, sentence: str) -> bytes:
    body = json.dumps({"error": sentence}).encode()
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}",
        "Content-Type: application/json; charset=utf-8",
        f"Content-Length: {len(body)}",
        "Server: vitcam",
        "Connection: close",
    )
    return "\r\n".join([*head, "", ""]).encode() + body


def _protocol_logger() -> logging.Logger:
    """A logger for aiohttp without requests that are not HTTP, so that no client can fill the log.

    aiohttp logs a whole traceback for each of them. Its answer with status 400 is enough.
    """
    logger = logging.getLogger("vitcam.web.protocol")
    logger.addFilter(_is_no_client_error)
    return logger


def _is_no_client_error(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, HttpProcessingError)
