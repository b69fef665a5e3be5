"""Text is sent as gzip to clients that accept it; pictures and streams are never compressed."""

import asyncio
import gzip

from aiohttp import web
from aiohttp.typedefs import Handler

MIN_BYTES = 1024  # less would save less than one packet
_LEVEL = 6
_MAX_ON_LOOP = 65536  # bytes; these take a few ms, for which the event loop may be blocked
VARY = {"Vary": "Accept-Encoding"}
GZIP = {"Content-Encoding": "gzip"}


def accepts_gzip(request: web.Request) -> bool:
    """Whether the client's Accept-Encoding allows gzip (RFC 9110, 12.5.3)."""
    accepted = {}
    for entry in request.headers.get("Accept-Encoding", "").lower().split(","):
        coding, _, weight = entry.partition(";")
        accepted[coding.strip()] = _is_positive(weight.strip())
    return accepted.get("gzip", accepted.get("*", False))


def gzipped(data: bytes, level: int = _LEVEL) -> bytes:
    """Data as gzip. The same data always give the same bytes."""
    return gzip.compress(data, level, mtime=0)


@web.middleware
async def compress_json(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Compress JSON answers of `MIN_BYTES` or more."""
    response = await handler(request)
    if not isinstance(response, web.Response) or response.content_type != "application/json":
        return response
    if "Content-Encoding" in response.headers:  # a file of the page, which was compressed at the start
        return response
    body = response.body
    if not isinstance(body, bytes) or len(body) < MIN_BYTES:
        return response
    response.headers.update(VARY)
    if accepts_gzip(request):
        response.body = gzipped(body) if len(body) <= _MAX_ON_LOOP else await asyncio.to_thread(gzipped, body)
        response.headers.update(GZIP)
    return response


def _is_positive(weight: str) -> bool:
    try:
        return float(weight.removeprefix("q=") or 1) > 0
    except ValueError:
        return False
