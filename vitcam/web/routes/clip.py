"""`GET /api/events/{id}/clip.mp4`: the clip of an event, in whole or in the part that a player asks for."""

from aiohttp import web
from aiohttp.abc import AbstractStreamWriter

from vitcam.web.routes.events import EventRoutes


class ClipRoute:
    """Answers with the file; a player asks for parts of it (Range, RFC 9110)."""

    def __init__(self, events: EventRoutes) -> None:
        self._events = events

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """The clip. Raises HTTPNotFound for an event without one, HTTPRequestRangeNotSatisfiable."""
        event = await self._events.event(request)
        path, size = await self._events.clip_of(event)
        _check_range(request, size)
        return _ClipFile(path, headers={"Content-Type": "video/mp4", "Cache-Control": "private, no-cache"})


class _ClipFile(web.FileResponse):
    """Is sent once. The middleware of limits sends it, to know when its client has read it, and aiohttp would again."""

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        return None if self.prepared else await super().prepare(request)


def _check_range(request: web.Request, size: int) -> None:
    """Here and not in FileResponse, which refuses without a sentence."""
    try:
        first = request.http_range.start
    except ValueError:  # several parts, or nonsense: a server may ignore it, and aiohttp refuses it
        first = size
    if first is not None and first >= size:
        raise web.HTTPRequestRangeNotSatisfiable(headers={"Content-Range": f"bytes */{size}"})
