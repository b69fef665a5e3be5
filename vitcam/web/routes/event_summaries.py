"""The history in short: how much there was when, what it was about, and which names occur."""

import re
import time
from collections import Counter
from dataclasses import replace
from itertools import pairwise

from aiohttp import web

from vitcam.access.tokens import Scope
from vitcam.errors import UsageError
from vitcam.history.query_text import read_time
from vitcam.history.record import summary_record, time_text
from vitcam.web.openapi.schema import TEXT, Schema, described
from vitcam.web.requests.base_path import base_of
from vitcam.web.route import RequestLimits, Route, as_json
from vitcam.web.routes.events import NO_STORE, PARAMETERS, USUAL_COUNT, HistoryReader, store_or_404, whole_number

_FOLDED = RequestLimits(at_once=64, of_one_address=32)
_DAY_MS = 86_400_000
_WEEK_MS = 7 * _DAY_MS
_MOST_AHEAD_MIN = 1440
_MINUTES = re.compile(r"-?[0-9]{1,4}")
_OF_A_DAY: dict[str, Schema] = {
    "ahead_min": {
        "type": "integer",
        "minimum": -_MOST_AHEAD_MIN,
        "maximum": _MOST_AHEAD_MIN,
        "description": "Take all days together, as if each were 1970-01-01, on a clock that is so many minutes ahead "
        "of UTC.",
    },
}
_MOST_TIMES = 16
_MOST_STORIES = 200
_FOLDING: dict[str, Schema] = {
    "times": described(
        TEXT,
        f"From 2 to {_MOST_TIMES} times, the earliest first, with a comma between each two, such as the midnights of a "
        "week where the viewer is. Without any, the last 24 hours.",
    ),
    "limit": {
        "type": "integer",
        "minimum": 1,
        "maximum": _MOST_STORIES,
        "description": "Stories of a period, at most.",
    },
}


class EventSummaryRoutes(HistoryReader):
    """Nothing is computed before somebody asks."""

    @Route(
        "GET",
        "/api/events/counts",
        Scope.READ,
        parameters=PARAMETERS | _OF_A_DAY,
        answers=as_json("EventCounts"),
        refusals=(400, 404, 503),
    )
    async def counts(self, request: web.Request) -> web.Response:
        """How many events of each everyday name began in each quarter of an hour.

        Without `since` in the last week. With `ahead_min` all days count together.
        """
        store, query = store_or_404(self._history), await self._query(request)
        if query.since_ms is None:
            query = replace(query, since_ms=(query.until_ms or time.time_ns() // 1_000_000) - _WEEK_MS)
        ahead_ms = _ahead_ms(request.query.get("ahead_min"))
        found = await self._in_thread(lambda: store.counts(query, ahead_ms))
        counts: Counter[tuple[int, str]] = Counter()
        for each in found:
            counts[each.start_ms, self._vocabulary.everyday(each.label)] += each.events
        hours = [{"hour": time_text(ms), "label": label, "events": n} for (ms, label), n in sorted(counts.items())]
        return web.json_response({"hours": hours}, headers=NO_STORE)

    @Route(
        "GET",
        "/api/events/summary",
        Scope.READ,
        limits=_FOLDED,
        parameters={name: each for name, each in PARAMETERS.items() if name not in ("since", "until")} | _FOLDING,
        answers=as_json("EventSummary"),
        refusals=(400, 404, 503),
    )
    async def summary(self, request: web.Request) -> web.Response:
        """What was seen between some times, folded: each everyday name once, what is new or rare first."""
        store, query = store_or_404(self._history), await self._query(request)
        times_ms = _times(request.query.get("times", ""))
        limit = whole_number("limit", request.query.get("limit"), USUAL_COUNT, 1, _MOST_STORIES)
        found = await self._in_thread(lambda: store.summary(query, times_ms, limit))
        return web.json_response(summary_record(found, base_of(request)), headers=NO_STORE)

    @Route("GET", "/api/events/names", Scope.READ, answers=as_json("EventNames"), refusals=(404, 503))
    async def names(self, request: web.Request) -> web.Response:
        """Everyday names of what was displayed so far, and in which zones something was."""
        store = store_or_404(self._history)
        shown, zones = await self._in_thread(store.names_in_use)
        return web.json_response({"shown": shown, "zones": zones}, headers=NO_STORE)


def _ahead_ms(text: str | None) -> int | None:
    """Raises UsageError."""
    if not text:
        return None
    number = int(text) if _MINUTES.fullmatch(text) else _DAY_MS
    if abs(number) > _MOST_AHEAD_MIN:
        low, high = -_MOST_AHEAD_MIN, _MOST_AHEAD_MIN
        raise UsageError(f"ahead_min is {text[:40]!r}; it must be a whole number of minutes from {low} to {high}")
    return number * 60_000


def _times(text: str) -> list[int]:
    """In ms since the epoch, each later than the one before. Raises UsageError."""
    if not text:
        now_ms = time.time_ns() // 1_000_000
        return [now_ms - _DAY_MS, now_ms]
    texts = text.split(",", _MOST_TIMES)
    if not 2 <= len(texts) <= _MOST_TIMES:
        raise UsageError(f"times must be from 2 to {_MOST_TIMES} times with commas between them, the earliest first")
    times_ms = [read_time("times", each) for each in texts]
    if any(later <= earlier for earlier, later in pairwise(times_ms)):
        raise UsageError("times must each be later than the one before; sort them")
    return times_ms
