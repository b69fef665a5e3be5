"""What holds for every request: who may ask, errors as JSON, headers that keep a browser safe."""

import logging
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from vitcam.errors import UsageError, VitcamError
from vitcam.web.requests.allowed_hosts import AllowedHosts
from vitcam.web.stream.preview import TooManyVariantsError

log = logging.getLogger(__name__)

_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
_HEADERS = {
    "Server": "vitcam",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    ),
}


async def add_headers(_: web.Request, response: web.StreamResponse) -> None:
    """For `on_response_prepare`: streams get them too."""
    response.headers.update(_HEADERS)


@web.middleware
async def errors_as_json(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Whatever a handler refuses leaves as `{"error": "one sentence"}`; what it did not expect is logged.

    The connection of a request whose body was not read ends with that answer.
    """
    try:
        return await handler(request)
    except web.HTTPException as error:
        answer = refusal(error.status, _sentence(request, error))
        answer.headers.update({name: error.headers[name] for name in ("Allow", "Retry-After") if name in error.headers})
    except VitcamError as error:
        answer = refusal(_status(error), str(error))
    except Exception:
        log.exception("%s %s failed", request.method, request.path)
        answer = refusal(500, "vitcam failed at this request; its log says more")
    if not request.content.at_eof():
        answer.force_close()
    return answer


def check_host_and_origin(names: AllowedHosts) -> Middleware:
    """A middleware against pages of other sites that a browser on this network may have open."""

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        if sentence := names.refusal(_asked(request)):
            return refusal(403, sentence)
        if request.method not in _SAFE_METHODS and not _from_own_page(request):
            return refusal(403, "a page of another site may not do this; open vitcam's own page")
        return await handler(request)

    return check


def refusal(status: int, sentence: str) -> web.Response:
    """An error as JSON."""
    return web.json_response({"error": sentence}, status=status)


def _asked(request: web.Request) -> str:
    """The Host header; `request.host` would look the machine's own name up where there is none."""
    return request.headers.get("Host", "")


def _from_own_page(request: web.Request) -> bool:
    """Browsers name the page that asks; programs such as curl name none, and may."""
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = request.headers.get("Origin")
    return origin is None or _netloc(origin) == _asked(request)


def _netloc(url: str) -> str:
    try:
        return urlsplit(url).netloc
    except ValueError:  # a bracket without its other half
        return ""


def _status(error: VitcamError) -> int:
    if isinstance(error, TooManyVariantsError):
        return 429
    return 400 if isinstance(error, UsageError) else 503


def _sentence(request: web.Request, error: web.HTTPException) -> str:
    if isinstance(error, web.HTTPMethodNotAllowed):
        return f"{request.path} does not take {request.method}; allowed: {', '.join(sorted(error.allowed_methods))}"
    if isinstance(error, web.HTTPNotFound):
        return f"there is nothing at {request.path}; the page is at /"
    return error.text or error.reason
