"""The body of a request: read whole within a time and a size, then taken as JSON or as a form.

A form is multipart/form-data (RFC 7578; RFC 2046, 5.1). The time to find a field in it grows only with the length of
the body: the content of a part is never looked into.
"""

import asyncio
import json
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from email.message import Message
from email.parser import BytesHeaderParser
from email.utils import collapse_rfc2231_value
from typing import Any

from aiohttp import web

from vitcam.errors import UsageError

_MAX_PARTS = 16
_MAX_PART_HEADERS = 2048  # bytes
_MAX_PREAMBLE = 1024  # bytes before the first part
_MAX_BOUNDARY = 70  # characters, as in RFC 2046
_MOST_DIGITS = 19  # of a number of 64 bits


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """How large a body may be, and how long it may take to arrive."""

    size: int
    """In bytes."""
    seconds: float
    """From the head of the request to the last byte of the body."""
    noun: str
    """What the body is, with its article, such as `the photo`."""


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """A body that has arrived completely."""

    data: bytes
    content_type: str
    """The header as it was sent; empty if there was none."""

    @property
    def is_form(self) -> bool:
        """Whether the Content-Type header says that it is a form."""
        return self.content_type.strip().lower().startswith("multipart/")


async def read_body(request: web.Request, limits: BodyLimits) -> Body:
    """Wait for the whole body. Raises what `receive_body` raises."""
    data = bytearray()

    async def keep(chunk: bytes) -> None:
        data.extend(chunk)

    await receive_body(request, limits, keep)
    return Body(bytes(data), request.headers.get("Content-Type", ""))


async def receive_body(request: web.Request, limits: BodyLimits, take: Callable[[bytes], Awaitable[None]]) -> None:
    """Hand the body on in parts, as it comes.

    raises  HTTPRequestEntityTooLarge, HTTPRequestTimeout; UsageError for a body that is compressed or broken; what
            `take` raises
    """
    coding = request.headers.get("Content-Encoding", "identity")
    if coding != "identity":
        raise UsageError(f"{limits.noun} is sent with Content-Encoding {coding[:40]!r}; send it without compression")
    if (request.content_length or 0) > limits.size:
        raise _too_large(limits, request.content_length or 0)
    received = 0
    try:
        async with asyncio.timeout(limits.seconds):
            async for chunk in request.content.iter_any():
                received += len(chunk)
                if received > limits.size:
                    raise _too_large(limits, received)
                await take(chunk)
    except TimeoutError:
        raise web.HTTPRequestTimeout(
            text=f"{limits.noun} did not arrive within {limits.seconds:.0f} s; send it faster, or send a smaller one"
        ) from None
    except web.RequestPayloadError as error:
        raise UsageError(f"{limits.noun} does not match its HTTP headers; send it again") from error


def read_json(body: Body) -> Any:
    """The JSON in a body. Raises UsageError for anything else."""
    charset = _header(body).get_content_charset("utf-8")
    if charset not in ("utf-8", "utf8", "us-ascii"):
        raise UsageError(f"the charset of the request is {charset[:40]!r}; send JSON as utf-8")
    try:
        text = body.data.decode("utf-8")
        found = json.loads(text, parse_int=_whole_number, parse_float=_number, parse_constant=_number)
        if "\\u" in text:  # half of a character, which is no name of anything, can only be said like this
            json.dumps(found, ensure_ascii=False).encode()
        return found
    except UnicodeEncodeError as error:
        raise UsageError("the request holds half of a character; send whole ones") from error
    except RecursionError as error:
        raise UsageError("the request is not JSON: it is nested too deep") from error
    except ValueError as error:
        raise UsageError(f"the request is not JSON: {error}") from error


def _whole_number(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"a number in it has {len(digits):,} digits, and {_MOST_DIGITS} are allowed")
    return int(digits)


def _number(text: str) -> float:
    found = float(text)
    if not math.isfinite(found):
        raise ValueError(f"{text[:20]} in it is no number that can be used")
    return found


def read_field(body: Body, name: str) -> bytes:
    """The content of a form's first field of that name. Raises UsageError if there is none, or the form is broken."""
    data, delimiter = body.data, b"\r\n--" + _boundary(body)
    at = len(delimiter) - 2 if data.startswith(delimiter[2:]) else _end_of(delimiter, data, 0, _MAX_PREAMBLE)
    for _ in range(_MAX_PARTS):
        if data.startswith(b"--", at):
            raise UsageError(f"the form has no field {name!r}; send the photo under that name")
        head_end = _end_of(b"\r\n\r\n", data, at, _MAX_PART_HEADERS)
        part_end = _end_of(delimiter, data, head_end, len(data))
        if _field_name(data[at:head_end]) == name:
            return data[head_end : part_end - len(delimiter)]
        at = part_end
    raise UsageError(f"the form has more than {_MAX_PARTS} fields; send only the field {name!r} with the photo")


def _end_of(wanted: bytes, data: bytes, start: int, within: int) -> int:
    """The position after `wanted`, which must begin within that many bytes after `start`."""
    found = data.find(wanted, start, start + within + len(wanted))
    if found < 0:
        raise UsageError("the form is incomplete, or does not match its headers; send the photo as the body")
    return found + len(wanted)


def _boundary(body: Body) -> bytes:
    boundary = _header(body).get_boundary() or ""
    if not (boundary.isascii() and 0 < len(boundary) <= _MAX_BOUNDARY):
        raise UsageError(f"the form's Content-Type needs a boundary of 1 to {_MAX_BOUNDARY} ASCII characters; add one")
    return boundary.encode()


def _field_name(head: bytes) -> str | None:
    found = BytesHeaderParser().parsebytes(head.lstrip()).get_param("name", header="Content-Disposition")
    return None if found is None else collapse_rfc2231_value(found)


def _header(body: Body) -> Message:
    """A message that can parse the parameters of the body's Content-Type."""
    header = Message()
    header["Content-Type"] = body.content_type
    return header


def _too_large(limits: BodyLimits, found: int) -> web.HTTPRequestEntityTooLarge:
    allowed = f"{limits.size // 2**20} MiB" if limits.size >= 2**20 else f"{limits.size:,} bytes"
    return web.HTTPRequestEntityTooLarge(
        limits.size, found, text=f"{limits.noun} is larger than {allowed}; send a smaller one"
    )
