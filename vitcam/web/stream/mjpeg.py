"""MJPEG over HTTP: `multipart/x-mixed-replace` with one part for each picture.

The next part is sent only when the client has read the last one.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager

from aiohttp import web

from vitcam.web.stream.back_pressure import BackPressure
from vitcam.web.stream.channel import Channel
from vitcam.web.stream.picture import Picture

WRITE_TIMEOUT_S = 30.0  # the kernel gives nobody up whose own kernel still takes some
BOUNDARY = "vitcam-picture"
STREAM_HEADERS = {
    "Content-Type": f"multipart/x-mixed-replace; boundary={BOUNDARY}",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",  # otherwise nginx would buffer pictures
}

_NEXT = f"--{BOUNDARY}\r\nContent-Type: image/jpeg\r\n".encode()


class PlainResponse(web.StreamResponse):
    """A response whose body ends with the connection: simple MJPEG clients do not support chunked encoding."""

    _length_check = False  # private name of aiohttp: it has no public way; a test looks for the chunks


class PartWriter:
    """Writes the parts of one response.

    Chromium shows a picture only when it has received the delimiter after it, so the delimiter is sent at once, and the
    type of the next part. Until there is a picture for it, `probe` adds to its headers.
    """

    def __init__(self, response: web.StreamResponse) -> None:
        self._response = response

    async def start(self) -> None:
        """Write the delimiter before the first part."""
        await self._response.write(_NEXT)

    async def write(self, picture: Picture) -> None:
        """Write one part and the delimiter after it."""
        fields = {"Content-Length": str(len(picture.jpeg)), **picture.headers()}
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items()).encode("ascii")
        await self._response.write(b"".join((head, b"\r\n", picture.jpeg, b"\r\n", _NEXT)))

    async def probe(self, size: int) -> None:
        """Write one more header of the next part, which shows no picture, of about `size` bytes."""
        await self._response.write(b"X-Vitcam-Held: " + b"." * size + b"\r\n")


async def send_pictures(
    response: web.StreamResponse,
    transport: asyncio.Transport,
    channel: Channel,
    sending: Callable[[asyncio.Transport], AbstractContextManager[None]],
) -> None:
    """Send a channel's pictures until the client leaves, or reads nothing for `WRITE_TIMEOUT_S`.

    sending  entered while a picture is on its way
    """
    writer = PartWriter(response)
    back_pressure = BackPressure(transport, writer.probe)
    await writer.start()
    seen = 0
    try:
        while True:
            picture = await channel.next(seen)
            seen = picture.number
            with sending(transport):
                async with asyncio.timeout(WRITE_TIMEOUT_S):
                    await writer.write(picture)
                    await back_pressure.wait_until_read(len(picture.jpeg) // 4)
    except (ConnectionError, TimeoutError):
        transport.abort()  # a close would wait for a client that does not read
