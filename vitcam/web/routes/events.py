"""The history: events, one event, its picture and its clip."""

import asyncio
from collections.abc import Callable, Iterator
from typing import TypeVar

from aiohttp import web
from aiohttp.abc import AbstractStreamWriter

from vitcam.access.tokens import Scope
from vitcam.errors import UsageError
from vitcam.history.database.search import MOST
from vitcam.history.export import FORMATS, as_text, header, pages
from vitcam.history.query_text import read_query
from vitcam.history.record import full_record, stored_record
from vitcam.history.rendering import DRAWABLE, LEAST_WIDTH, MOST_WIDTH, rendered
from vitcam.history.store import EventStore
from vitcam.history.stored import KINDS, FrameSummary, Query, StoredEvent
from vitcam.web.context import AppContext, Handlers
from vitcam.web.openapi.schema import PROBABILITY, TEXT, Schema, described, one_of
from vitcam.web.requests.base_path import base_of
from vitcam.web.route import RequestLimits, Route, as_json

NO_STORE = {"Cache-Control": "no-store"}
USUAL_COUNT = 50
_LONG = RequestLimits(at_once=16, of_one_address=8)
"""For an answer that is as long as the history."""
_TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson"}

PARAMETERS: dict[str, Schema] = {
    "since": described(
        TEXT,
        "From this time on, such as `2026-01-31T21:00:00Z`; without an offset it is local time. It may also be "
        "`yesterday`, `today`, or an age such as `90min`, `12h` or `3d`.",
    ),
    "until": described(TEXT, "Before this time."),
    "label": described(
        TEXT, "Events of this label or group, by any of its names. A correction by a person counts before the model."
    ),
    "shown": described(TEXT, "Events displayed by this name: that of a label, of a group, or an everyday name."),
    "zone": described(TEXT, "In this zone."),
    "min_p": described(PROBABILITY, "Those whose `peak` reaches this."),
    "kind": one_of(KINDS, "Of this kind."),
    "favourite": one_of(("0", "1", "false", "true"), "Favourites, or all others."),
    "corrected": one_of(("0", "1", "false", "true"), "With another label, or not."),
    "text": described(TEXT, "Those whose label or zone contains this."),
}
_PAGING: dict[str, Schema] = {
    "limit": {"type": "integer", "minimum": 1, "maximum": MOST, "description": "Events of a page, at most."},
    "before": described(TEXT, "The `next` of the page before, or the id of any event: those that came before it."),
    "after": described(TEXT, "The id of an event: the events directly after it, in place of the newest."),
}
_DRAWING: dict[str, Schema] = {
    "overlay": one_of(DRAWABLE, "What is drawn over the picture."),
    "width": {
        "type": "integer",
        "minimum": LEAST_WIDTH,
        "maximum": MOST_WIDTH,
        "description": "In px, for a smaller picture.",
    },
}

T = TypeVar("T")


class HistoryReader(Handlers):
    """Reads what is stored, in a thread of its own, which also draws."""

    def __init__(self, app: AppContext) -> None:
        self._history = app.parts.history
        self._vocabulary = app.parts.vocabulary()
        self._executor = app.threads.reads

    async def _query(self, request: web.Request) -> Query:
        """What the parameters ask for. It runs in the thread, since it makes the names of every label first."""
        return await self._in_thread(lambda: read_query(request.query, self._vocabulary.names_of))

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.wrap_future(self._executor.submit(work))


class EventRoutes(HistoryReader):
    """Events as they are stored."""

    @Route(
        "GET",
        "/api/events",
        Scope.READ,
        parameters={**PARAMETERS, **_PAGING},
        answers=as_json("Events"),
        refusals=(400, 404, 503),
    )
    async def find(self, request: web.Request) -> web.Response:
        """What was seen, the newest first.

        With the events comes the id to ask for the next ones.
        """
        store, query = store_or_404(self._history), await self._query(request)
        limit = whole_number("limit", request.query.get("limit"), USUAL_COUNT, 1, MOST)
        before, after = request.query.get("before") or None, request.query.get("after") or None
        store.viewer_asked()
        page = await self._in_thread(lambda: store.find(query, limit, before, after))
        record = {"events": [stored_record(event, base=base_of(request)) for event in page.events], "next": page.next}
        return web.json_response(record, headers=NO_STORE)

    @Route("GET", "/api/events/{id}", Scope.READ, answers=as_json("FullEvent"), refusals=(404, 503))
    async def show(self, request: web.Request) -> web.Response:
        """One event, with its curve and its evidence."""
        return web.json_response(full_record(await self._event(request), base_of(request)), headers=NO_STORE)

    @Route(
        "GET",
        "/api/events/export",
        Scope.READ,
        limits=_LONG,
        parameters={**PARAMETERS, "format": one_of(FORMATS, "Of the file.")},
        answers={"text/csv": TEXT, "application/x-ndjson": TEXT},
        refusals=(400, 404, 503),
    )
    async def export(self, request: web.Request) -> web.StreamResponse:
        """What was seen, as CSV or JSON Lines."""
        store, query = store_or_404(self._history), await self._query(request)
        form = request.query.get("format") or FORMATS[0]
        if form not in FORMATS:
            raise UsageError(f"format is {form[:40]!r}; it must be {' or '.join(FORMATS)}")
        name = f"attachment; filename=vitcam-events.{form}"
        response = web.StreamResponse(headers={"Content-Type": _TYPES[form], "Content-Disposition": name, **NO_STORE})
        await response.prepare(request)
        await response.write(header(form).encode())
        found = pages(store, query)
        while (text := await self._in_thread(lambda: _next_text(found, form))) is not None:
            await response.write(text.encode())
        return response

    @Route(
        "GET",
        "/api/events/{id}/frame.jpg",
        Scope.READ,
        parameters=_DRAWING,
        answers={"image/jpeg": {}},
        cached=True,
        refusals=(400, 404, 503),
    )
    async def picture(self, request: web.Request) -> web.Response:
        """The best picture of an event.

        A browser asks each time whether it has changed.
        """
        return await self._picture(request, lambda store, event: store.picture(event), lambda event: event.summary)

    @Route(
        "GET",
        "/api/events/{id}/detail.jpg",
        Scope.READ,
        parameters=_DRAWING,
        answers={"image/jpeg": {}},
        cached=True,
        refusals=(400, 404, 503),
    )
    async def detail(self, request: web.Request) -> web.Response:
        """The box of an event in the best picture, in the camera's own px."""
        return await self._picture(
            request, lambda store, event: store.detail(event), lambda event: event.summary.of_detail
        )

    async def _picture(
        self,
        request: web.Request,
        read: Callable[[EventStore, StoredEvent], bytes | None],
        summary_of: Callable[[StoredEvent], FrameSummary],
    ) -> web.Response:
        """One of the two pictures of an event, as it is asked for."""
        store, event = store_or_404(self._history), await self._event(request)
        overlay = request.query.get("overlay") or "none"
        width = whole_number("width", request.query.get("width"), MOST_WIDTH, LEAST_WIDTH, MOST_WIDTH)
        if event.frame is None:
            raise web.HTTPNotFound
        tag = event.frame.rpartition("/")[2]
        headers = {"ETag": f'"{tag}-{overlay}-{width}"', "Cache-Control": "private, no-cache"}
        if any(f'"{known.value}"' == headers["ETag"] for known in request.if_none_match or ()):
            return web.Response(status=304, headers=headers)

        def made() -> bytes | None:
            jpeg = read(store, event)
            return jpeg and rendered(jpeg, summary_of(event), overlay, width if width < MOST_WIDTH else None)

        if not (jpeg := await self._in_thread(made)):
            raise web.HTTPNotFound
        return web.Response(body=jpeg, content_type="image/jpeg", headers=headers)

    @Route(
        "GET",
        "/api/events/{id}/clip.mp4",
        Scope.READ,
        answers={"video/mp4": {}},
        cached=True,
        ranges=True,
        refusals=(404, 416, 503),
    )
    async def clip(self, request: web.Request) -> web.StreamResponse:
        """The clip of an event; parts of it by Range."""
        event = await self._event(request)
        if event.clip is None:
            raise web.HTTPNotFound
        path = store_or_404(self._history).folder / event.clip
        found = await self._in_thread(lambda: path.stat() if path.is_file() else None)
        if found is None:
            raise web.HTTPNotFound
        _check_range(request, found.st_size)
        return _ClipFile(path, headers={"Content-Type": "video/mp4", "Cache-Control": "private, no-cache"})

    async def _event(self, request: web.Request) -> StoredEvent:
        """The event that the path names. Raises HTTPNotFound."""
        store, event_id = store_or_404(self._history), request.match_info["id"]
        if (found := await self._in_thread(lambda: store.get(event_id))) is None:
            raise web.HTTPNotFound
        return found


class _ClipFile(web.FileResponse):
    """Can be prepared twice: by the middleware of limits, which sends it, and by aiohttp, whose call does nothing."""

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        return None if self.prepared else await super().prepare(request)


def _check_range(request: web.Request, size: int) -> None:
    """Refuse a range outside of the file; FileResponse would refuse it without a sentence."""
    try:
        first = request.http_range.start
    except ValueError:  # several parts, or nonsense: a server may ignore it, and aiohttp refuses it
        first = size
    if first is not None and first >= size:
        raise web.HTTPRequestRangeNotSatisfiable(headers={"Content-Range": f"bytes */{size}"})


def store_or_404(history: EventStore | None) -> EventStore:
    """Raises HTTPNotFound where no events are kept."""
    if history is None:
        raise web.HTTPNotFound
    return history


def _next_text(found: Iterator[tuple[StoredEvent, ...]], form: str) -> str | None:
    events = next(found, None)
    return None if events is None else as_text(events, form)


def whole_number(name: str, text: str | None, usual: int, low: int, high: int) -> int:
    """A number of the query. Raises UsageError for one that is not within the limits."""
    if not text:
        return usual
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1
    if not low <= number <= high:
        raise UsageError(f"{name} is {text[:40]!r}; it must be a whole number from {low} to {high}")
    return number
