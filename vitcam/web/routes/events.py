"""The history: `GET /api/events`, one event, and its picture."""

import asyncio
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from aiohttp import web

from vitcam.errors import UsageError
from vitcam.history.database.search import MOST
from vitcam.history.export import FORMATS, as_text, header, pages
from vitcam.history.query_text import read_query
from vitcam.history.record import full_record, stored_record, time_text
from vitcam.history.rendering import LEAST_WIDTH, MOST_WIDTH, rendered
from vitcam.history.store import EventStore
from vitcam.history.stored import StoredEvent
from vitcam.web.requests.base_path import base_of

_NO_STORE = {"Cache-Control": "no-store"}
_USUAL = 50
_WEEK_MS = 7 * 86_400_000
_TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson"}

T = TypeVar("T")


class EventRoutes:
    """Answers from the store.

    store     None: no events are kept, and every request gets a 404
    executor  reads files and draws: one thread
    """

    def __init__(self, store: EventStore | None, executor: Executor) -> None:
        self._store = store
        self._executor = executor

    async def list(self, request: web.Request) -> web.Response:
        """Events, the newest first, and the id to ask for the next ones with."""
        store, query = self._kept(), read_query(request.query)
        limit = whole_number("limit", request.query.get("limit"), _USUAL, 1, MOST)
        before, after = request.query.get("before") or None, request.query.get("after") or None
        store.viewer_asked()
        page = await self._in_thread(lambda: store.find(query, limit, before, after))
        record = {"events": [stored_record(event, base=base_of(request)) for event in page.events], "next": page.next}
        return web.json_response(record, headers=_NO_STORE)

    async def show(self, request: web.Request) -> web.Response:
        """One event with its curve and its evidence."""
        return web.json_response(full_record(await self.event(request), base_of(request)), headers=_NO_STORE)

    async def counts(self, request: web.Request) -> web.Response:
        """How many events of each label began in each quarter of an hour; without `since` in the last week."""
        store, query = self._kept(), read_query(request.query)
        if query.since_ms is None:
            query = replace(query, since_ms=(query.until_ms or time.time_ns() // 1_000_000) - _WEEK_MS)
        found = await self._in_thread(lambda: store.counts(query))
        hours = [{"hour": time_text(each.start_ms), "label": each.label, "events": each.events} for each in found]
        return web.json_response({"hours": hours}, headers=_NO_STORE)

    async def export(self, request: web.Request) -> web.StreamResponse:
        """All events that the filters mean, as CSV or JSON Lines."""
        store, query, form = self._kept(), read_query(request.query), request.query.get("format") or FORMATS[0]
        if form not in FORMATS:
            raise UsageError(f"format is {form[:40]!r}; it must be {' or '.join(FORMATS)}")
        name = f"attachment; filename=vitcam-events.{form}"
        response = web.StreamResponse(headers={"Content-Type": _TYPES[form], "Content-Disposition": name, **_NO_STORE})
        await response.prepare(request)
        await response.write(header(form).encode())
        found = pages(store, query)
        while (text := await self._in_thread(lambda: _next_text(found, form))) is not None:
            await response.write(text.encode())
        return response

    async def picture(self, request: web.Request) -> web.Response:
        """The best frame as JPEG. A browser asks each time whether it has changed."""
        store, event = self._kept(), await self.event(request)
        overlay = request.query.get("overlay") or "none"
        width = whole_number("width", request.query.get("width"), MOST_WIDTH, LEAST_WIDTH, MOST_WIDTH)
        if event.frame is None:
            raise web.HTTPNotFound
        tag = event.frame.rpartition("/")[2]
        headers = {"ETag": f'"{tag}-{overlay}-{width}"', "Cache-Control": "private, no-cache"}
        if any(f'"{known.value}"' == headers["ETag"] for known in request.if_none_match or ()):
            return web.Response(status=304, headers=headers)

        def made() -> bytes | None:
            jpeg = store.picture(event)
            return jpeg and rendered(jpeg, event.summary, overlay, width if width < MOST_WIDTH else None)

        if not (jpeg := await self._in_thread(made)):
            raise web.HTTPNotFound
        return web.Response(body=jpeg, content_type="image/jpeg", headers=headers)

    async def event(self, request: web.Request) -> StoredEvent:
        """The event that the path names. Raises HTTPNotFound."""
        store, event_id = self._kept(), request.match_info["id"]
        if (found := await self._in_thread(lambda: store.get(event_id))) is None:
            raise web.HTTPNotFound
        return found

    async def clip_of(self, event: StoredEvent) -> tuple[Path, int]:
        """The file of its clip, and its bytes. Raises HTTPNotFound if it has none, or the file is gone."""
        if event.clip is None:
            raise web.HTTPNotFound
        path = self._kept().folder / event.clip
        found = await self._in_thread(lambda: path.stat() if path.is_file() else None)
        if found is None:
            raise web.HTTPNotFound
        return path, found.st_size

    def _kept(self) -> EventStore:
        if self._store is None:
            raise web.HTTPNotFound
        return self._store

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.wrap_future(self._executor.submit(work))


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
