"""What was seen in a while, folded: one story for each everyday name. Nothing is computed before somebody asks."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Literal

from vitcam.history.database.search import (
    Condition,
    any_of,
    conditions_of,
    displayed_words,
    distinct_values,
    joined,
    numbered,
    one_of,
    row_numbers,
    words_like,
    words_with,
)
from vitcam.history.stored import KINDS, Kind, Query, StoredEvent
from vitcam.history.trust import EARLIEST_MS

DAY_MS = 86_400_000
_WEEK_DAYS, _MONTH_DAYS = 7, 28
_RARE_DAYS = 3  # what was seen on fewer days of the last four weeks is rare
_LAST = 2**62
_FRAME, _PEAK = 2**56, 2**45  # weights of what makes an event the picture of its story: no other number is as large

Newness = Literal["first", "rare"]


@dataclass(frozen=True, slots=True)
class Story:
    """What people call by one name, and was of one kind, in a period."""

    label: str
    """The everyday name, as it is now."""
    kind: Kind
    events: int
    first_ms: int
    """When the first of them began, and the last."""
    last_ms: int
    newness: Newness | None
    """`first`: nothing of that name is stored of before the period, though the history is a day older. `rare`: it was
    seen on one or two days of the four weeks before, and the history is a week older."""
    event: StoredEvent
    """The most certain of those with a picture."""


@dataclass(frozen=True, slots=True)
class Period:
    """A while, from `since_ms` on and before `until_ms`."""

    since_ms: int
    until_ms: int
    events: int
    things: int
    """How many stories there are, with those that are left out here."""
    stories: tuple[Story, ...]
    """What is new first, then what is rare, then what was most frequent."""


@dataclass(frozen=True, slots=True)
class StorySummary:
    """Some periods, one after the other."""

    whole: Period
    parts: tuple[Period, ...]
    """Empty if there is only one."""
    oldest_ms: int | None
    """When the oldest event of the whole history began, by a clock that can have been right; None: there is none."""
    earlier_ms: int | None
    """When the newest event before `whole` began that the query means."""
    later_ms: int | None
    """The same of the oldest event after it."""


@dataclass(frozen=True, slots=True)
class _Fold:
    """A story whose newness and picture are not known yet."""

    label: str
    kind: Kind
    events: int
    first_ms: int
    last_ms: int
    best: int
    """The largest one is the picture."""

    def __add__(self, other: "_Fold") -> "_Fold":
        first_ms, last_ms = min(self.first_ms, other.first_ms), max(self.last_ms, other.last_ms)
        return replace(
            self,
            events=self.events + other.events,
            first_ms=first_ms,
            last_ms=last_ms,
            best=max(self.best, other.best),
        )


EverydayOf = Callable[[str], str]


def summarise(
    connection: sqlite3.Connection, query: Query, times_ms: Sequence[int], limit: int, everyday_of: EverydayOf
) -> StorySummary:
    """What was seen between each two neighbouring times, and from the first to the last.

    query        what counts; its own times are ignored
    times_ms     at least two, the earliest first
    limit        stories of a period
    everyday_of  gives what people say now for what was displayed
    """
    since_ms, until_ms = times_ms[0], times_ms[-1]
    teller = _Teller(connection, query, limit, everyday_of)
    folds = [teller.folds(*times) for times in pairwise(times_ms)]
    whole = teller.period(since_ms, until_ms, _together(folds))
    parts = [teller.period(*times, fold) for times, fold in zip(pairwise(times_ms), folds, strict=True)]
    before, after = replace(query, since_ms=None, until_ms=since_ms), replace(query, since_ms=until_ms, until_ms=None)
    earlier = row_numbers(connection, before, 1)
    later = row_numbers(connection, after, 1, (until_ms, -1), newer=True)
    return StorySummary(
        whole,
        tuple(parts if len(parts) > 1 else ()),
        teller.oldest_ms,
        teller.start_ms(earlier),
        teller.start_ms(later),
    )


def names_in_use(connection: sqlite3.Connection, everyday_of: EverydayOf) -> tuple[list[str], list[str]]:
    """What people say now for what is displayed of some event, and the zones that have events; both sorted."""
    displayed = {everyday_of(word) for word in distinct_values(connection, "displayed")}
    return sorted(displayed, key=str.casefold), distinct_values(connection, "zone")


class _Teller:
    """Of one query. What is the same for all periods is asked for once."""

    def __init__(self, connection: sqlite3.Connection, query: Query, limit: int, everyday_of: EverydayOf) -> None:
        self._connection = connection
        self._query = query
        self._limit = limit
        self._everyday = {word: everyday_of(word) for word in distinct_values(connection, "displayed")}
        self._everyday_of = everyday_of
        self._displayed: dict[str, list[str]] = {}
        for word, name in self._everyday.items():
            self._displayed.setdefault(name, []).append(word)
        self._named = [*_named(connection, query)]
        (self.oldest_ms,) = connection.execute(
            "SELECT min(start_ms) FROM events WHERE start_ms >= ?", (EARLIEST_MS,)
        ).fetchone()

    def start_ms(self, found: list[int]) -> int | None:
        """When the first of some rows began; None: there is none."""
        row = found and self._connection.execute("SELECT start_ms FROM events WHERE n = ?", (found[0],)).fetchone()
        return row[0] if row else None

    def period(self, since_ms: int, until_ms: int, groups: Sequence[_Fold]) -> Period:
        """The stories of a while, which was folded to these."""
        told = [(each, self._newness(each.label, since_ms) if each.kind == "seen" else None) for each in groups]
        told.sort(key=lambda each: (("first", "rare", None).index(each[1]), -each[0].events, each[0].label))
        shown = told[: self._limit]
        events = numbered(self._connection, [group.best % _PEAK for group, _ in shown])
        stories = [
            Story(
                group.label,
                group.kind,
                group.events,
                group.first_ms,
                group.last_ms,
                newness,
                self._said(events[number]),
            )
            for group, newness in shown
            if (number := group.best % _PEAK) in events
        ]
        return Period(since_ms, until_ms, sum(group.events for group in groups), len(groups), tuple(stories))

    def folds(self, since_ms: int, until_ms: int) -> list[_Fold]:
        """Reads the part of one index that belongs to the period."""
        query = replace(self._query, since_ms=since_ms, until_ms=until_ms)
        where, values = joined([*conditions_of(query), *self._named])
        rows = self._connection.execute(
            f"""SELECT displayed, kind, count(*), min(start_ms), max(start_ms), max(
                (frame_bytes > 0) * {_FRAME} + CAST(min(max(peak, 0), 1) * 1000 AS INTEGER) * {_PEAK} + n
            ) FROM events INDEXED BY events_by_time WHERE {where} GROUP BY 1, 2""",  # noqa: S608 - no text of users
            values,
        )
        return _together(
            [_Fold(self._called(displayed), kind if kind in KINDS else "problem", *rest)]
            for displayed, kind, *rest in rows
        )

    def _said(self, event: StoredEvent) -> StoredEvent:
        return replace(event, everyday=self._called(event.displayed))

    def _called(self, displayed: str) -> str:
        """What people say now for what was displayed; another process may have stored it a moment ago."""
        return self._everyday.get(displayed) or self._everyday_of(displayed)

    def _newness(self, label: str, since_ms: int) -> Newness | None:
        """Jumps from day to day in an index, and stops at the third day."""
        if self.oldest_ms is None or self.oldest_ms > since_ms - DAY_MS:
            return None
        words = self._displayed.get(label, [])
        least_ms = since_ms - _MONTH_DAYS * DAY_MS
        days, before_ms = 0, since_ms
        while days < _RARE_DAYS:
            last_ms = max((self._last_ms(word, before_ms) for word in words), default=-_LAST)
            if last_ms == -_LAST:
                break
            if last_ms < least_ms:
                days = max(days, 1)
                break
            days += 1
            before_ms = since_ms - ((since_ms - last_ms + DAY_MS - 1) // DAY_MS) * DAY_MS
        if not days:
            return "first"
        return "rare" if days < _RARE_DAYS and self.oldest_ms <= since_ms - _WEEK_DAYS * DAY_MS else None

    def _last_ms(self, word: str, before_ms: int) -> int:
        """When the last event that was displayed like this began before a time."""
        (found,) = self._connection.execute(
            "SELECT max(start_ms) FROM events INDEXED BY events_by_display WHERE displayed = ? AND start_ms < ?",
            (word, before_ms),
        ).fetchone()
        return -_LAST if found is None else int(found)


def _together(folds: Iterable[Iterable[_Fold]]) -> list[_Fold]:
    """One for each name and kind."""
    found: dict[tuple[str, Kind], _Fold] = {}
    for each in chain.from_iterable(folds):
        key = each.label, each.kind
        found[key] = found[key] + each if key in found else each
    return list(found.values())


def _named(connection: sqlite3.Connection, query: Query) -> Iterator[Condition]:
    """What must hold for the names of a query, in columns of the index of times."""
    if query.shown:
        yield one_of("displayed", displayed_words(connection, query.shown))
    if query.label is not None:
        yield any_of(words_like(connection, query.label, query.also))
    if query.text:
        yield any_of(words_with(connection, query.text))
