"""The body of a request: read whole, within a time and a size, and as JSON."""

import asyncio
import json
from dataclasses import dataclass
from email.message import Message
from typing import Any

from aiohttp import web

from vitcam.errors import UsageError


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """What a body may take."""

    size: int
    """In bytes."""
    seconds: float
    """From the head of the request to the last byte of the body."""
    noun: str
    """What the body is, with its article, such as `the photo`."""


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """A body that has come whole."""

    data: bytes
    content_type: str
    """The header as it was sent; empty if there was none."""


async def read_body(request: web.Request, limits: BodyLimits) -> Body:
    """Wait for the whole body.

    raises  HTTPRequestEntityTooLarge, HTTPRequestTimeout; UsageError for a body that is compressed or broken
    """
    coding = request.headers.get("Content-Encoding", "identity")
    if coding != "identity":
        raise UsageError(f"{limits.noun} is sent with Content-Encoding {coding[:40]!r}; send it as it is")
    if (request.content_length or 0) > limits.size:
        raise _too_large(limits, request.content_length or 0)
    data = bytearray()
    try:
        async with asyncio.timeout(limits.seconds):
            async for piece in request.content.iter_any():
                data += piece
                if len(data) > limits.size:
                    raise _too_large(limits, len(data))
    except TimeoutError:
        raise web.HTTPRequestTimeout(
            text=f"{limits.noun} did not arrive within {limits.seconds:.0f} s; send it faster, or a smaller one"
        ) from None
    except web.RequestPayloadError as error:
        raise UsageError(f"{limits.noun} is not sent as its headers say; send it again") from error
    return Body(bytes(data), request.headers.get("Content-Type", ""))


def read_json(body: Body) -> Any:
    """The JSON in a body. Raises UsageError for anything else."""
    header = Message()
    header["Content-Type"] = body.content_type
    charset = header.get_content_charset("utf-8")
    if charset not in ("utf-8", "utf8", "us-ascii"):
        raise UsageError(f"the charset of the request is {charset[:40]!r}; send JSON as utf-8")
    try:
        return json.loads(body.data.decode("utf-8"))
    except RecursionError as error:
        raise UsageError("the request is not JSON: it is nested too deep") from error
    except ValueError as error:
        raise UsageError(f"the request is not JSON: {error}") from error


def _too_large(limits: BodyLimits, found: int) -> web.HTTPRequestEntityTooLarge:
    room = f"{limits.size // 2**20} MiB" if limits.size >= 2**20 else f"{limits.size:,} bytes"
    return web.HTTPRequestEntityTooLarge(
        limits.size, found, text=f"{limits.noun} is larger than {room}; send a smaller one"
    )
