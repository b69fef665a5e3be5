"""Middleware for every request: checks of host and origin, errors as JSON, and security headers."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from urllib.parse import urlsplit

from aiohttp import HttpVersion10, HttpVersion11, web
from aiohttp.typedefs import Handler, Middleware

from vitcam.access.credentials import session_cookie
from vitcam.errors import UsageError, VitcamError
from vitcam.sentence import with_keys
from vitcam.web.requests.allowed_hosts import AllowedHosts
from vitcam.web.requests.base_path import base_of
from vitcam.web.requests.connection import HttpConnection
from vitcam.web.requests.refusal import sentence_of
from vitcam.web.requests.versions import OutOfDateError
from vitcam.web.stream.preview import TooManyVariantsError

log = logging.getLogger(__name__)

_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
_KEPT = ("Allow", "Retry-After", "WWW-Authenticate")
_NOT_KEPT = {"Cache-Control": "no-store"}
_HEADERS = {
    "Server": "vitcam",
    "X-Content-Type-Options": "nosniff",
}
_RESOURCE = "Cross-Origin-Resource-Policy"
_PARTS = ("text/css", "text/javascript")
"""Of a page, whose own policy holds for them: it would be 300 bytes in each of fifty answers."""
_WORDS = "/page/language/"  # the same for the page's texts
_PICTURES = ("image/jpeg", "multipart/x-mixed-replace")
_NOTHING = "404: Not Found"  # what aiohttp says where a route says nothing
"""Pages of other programs on the same host show these; those of any other host only where `web.frames` names one."""
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
)


def headers_adder(frames: Sequence[str]) -> Callable[[web.Request, web.StreamResponse], Awaitable[None]]:
    """For `on_response_prepare`, so that streams get them, too.

    frames  sites that may show the page in a frame
    """
    policies = {
        "Referrer-Policy": "no-referrer",
        "Content-Security-Policy": " ".join([_POLICY, *(site.lower().rstrip("/") for site in frames)]),
    }

    async def add(request: web.Request, response: web.StreamResponse) -> None:
        response.headers.update(_HEADERS)
        if response.content_type not in _PARTS and _WORDS not in request.path:
            response.headers.update(policies)
        shared = response.content_type in _PICTURES
        response.headers[_RESOURCE] = ("cross-origin" if frames else "same-site") if shared else "same-origin"

    return add


@web.middleware
async def tell_connection(request: web.Request, handler: Handler) -> web.StreamResponse:
    """The outermost: its connection knows that a request is being answered, and refuses other versions of HTTP."""
    connection = request.protocol
    assert isinstance(connection, HttpConnection)  # noqa: S101 - `Connections` makes no other
    if request.version not in (HttpVersion10, HttpVersion11):  # the parser lets others pass
        connection.refuse_version()
        raise ConnectionResetError("aiohttp would answer in the version of the request")
    with connection.answering(request):
        return await handler(request)


@web.middleware
async def errors_as_json(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer errors as `{"error": "one sentence"}`, and log unexpected ones.

    If the body of the request was not read, the connection is closed after the answer.
    """
    try:
        return await handler(request)
    except web.HTTPException as error:
        if error.status < 400:
            return web.Response(status=error.status, headers={"Location": error.headers["Location"], **_NOT_KEPT})
        answer = error_response(error.status, _sentence(request, error))
        for name in _KEPT:
            answer.headers.extend([(name, value) for value in error.headers.getall(name, [])])
        error.__traceback__ = None  # it holds the request, which holds the error: both would stay for minutes
    except OutOfDateError as error:
        answer = error.answer()
    except VitcamError as error:
        answer = error_response(_status(error), error.sentence)
    except Exception as error:
        if isinstance(error, ConnectionError) and _has_left(request):
            raise
        log.exception("%s %s failed", request.method, request.path)
        answer = error_response(500, "this request failed because of an error in vitcam; see its log")
    if not request.content.at_eof():
        answer.force_close()
    return answer


def check_host_and_origin(allowed_hosts: AllowedHosts, framed: bool) -> Middleware:
    """Refuse requests of other sites' pages, which a browser on this network may have open.

    framed  other sites may show the page in a frame, so a browser may show its session to requests of any site
    """

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        if sentence := allowed_hosts.why_refused(_host_header(request)):
            return error_response(403, sentence)
        if request.method not in _SAFE_METHODS and not _from_own_page(request, framed):
            return error_response(403, "pages of other sites may not send this request; open vitcam's own page")
        return await handler(request)

    return check


def error_response(status: int, sentence: str) -> web.Response:
    """An error as JSON."""
    return web.json_response(with_keys({"error": sentence}), status=status)


def _host_header(request: web.Request) -> str:
    """The Host header. Without one, `request.host` would look up this machine's own name."""
    return request.headers.get("Host", "")


def _from_own_page(request: web.Request, framed: bool) -> bool:
    """Browsers send where a request comes from. Programs such as curl do not, and are allowed.

    A session that travels in frames is worth nothing without that: a program sends a token or the password.
    """
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = request.headers.get("Origin")
    if origin is None:
        return not (framed and session_cookie(request.headers.getall("Cookie", [])))
    return _netloc(origin) == _host_header(request)


def _has_left(request: web.Request) -> bool:
    """Whether the client closed the connection before it got an answer."""
    return request.transport is None or request.transport.is_closing()


def _netloc(url: str) -> str:
    try:
        return urlsplit(url).netloc
    except ValueError:  # such as a bracket that is not closed
        return ""


def _status(error: VitcamError) -> int:
    if isinstance(error, TooManyVariantsError):
        return 429
    return 400 if isinstance(error, UsageError) else 503


def _sentence(request: web.Request, error: web.HTTPException) -> str:
    if isinstance(error, web.HTTPMethodNotAllowed):
        return f"{request.path} does not take {request.method}; allowed: {', '.join(sorted(error.allowed_methods))}"
    if isinstance(error, web.HTTPNotFound) and error.text == _NOTHING:
        return f"there is nothing at {request.path}; the page is at {base_of(request)}/"
    return sentence_of(error)
