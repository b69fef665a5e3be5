"""Text is sent as gzip to whoever takes that; pictures and streams never are."""

import asyncio
import gzip

from aiohttp import web
from aiohttp.typedefs import Handler

LEAST_BYTES = 1024  # below, headers and the first packet cost more than is saved
_LEVEL = 6
_AT_ONCE = 65536  # bytes that take less than the loop can spare, a few ms
VARY = {"Vary": "Accept-Encoding"}
GZIP = {"Content-Encoding": "gzip"}


def takes_gzip(request: web.Request) -> bool:
    """Whether the client's Accept-Encoding allows gzip (RFC 9110, 12.5.3)."""
    wishes = {}
    for wish in request.headers.get("Accept-Encoding", "").lower().split(","):
        coding, _, weight = wish.partition(";")
        wishes[coding.strip()] = _is_above_zero(weight.strip())
    return wishes.get("gzip", wishes.get("*", False))


def pack(data: bytes, level: int = _LEVEL) -> bytes:
    """As gzip; the same data always give the same bytes."""
    return gzip.compress(data, level, mtime=0)


@web.middleware
async def compress_json(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Every JSON answer of some length."""
    response = await handler(request)
    if not isinstance(response, web.Response) or response.content_type != "application/json":
        return response
    body = response.body
    if not isinstance(body, bytes) or len(body) < LEAST_BYTES:
        return response
    response.headers.update(VARY)
    if takes_gzip(request):
        response.body = pack(body) if len(body) <= _AT_ONCE else await asyncio.to_thread(pack, body)
        response.headers.update(GZIP)
    return response


def _is_above_zero(weight: str) -> bool:
    try:
        return float(weight.removeprefix("q=") or 1) > 0
    except ValueError:
        return False
