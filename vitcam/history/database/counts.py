"""How many events of each displayed name began in each quarter of an hour.

Not in each hour: those of some time zones, such as India's, begin at a half or three quarters of an hour of UTC. From
quarters a reader can make the hours of every zone.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from vitcam.history.database.search import (
    INDICES,
    Condition,
    any_of,
    conditions_of,
    displayed_words,
    joined,
    one_of,
    words_like,
    words_with,
)
from vitcam.history.stored import Query

QUARTER_MS = 15 * 60_000
_DAY_MS = 96 * QUARTER_MS


class QuarterCount(NamedTuple):
    """Of one displayed name in one quarter of an hour."""

    start_ms: int
    """When the quarter begins."""
    label: str
    """A label or a group."""
    events: int


def by_label_and_quarter(
    connection: sqlite3.Connection, query: Query, ahead_ms: int | None = None
) -> list[QuarterCount]:
    """In the order of time. Every condition of a query counts.

    ahead_ms  None: each day by itself. Else all days together, as if it were the first of January 1970, on a clock that
              is this much ahead of UTC

    Reads a short index of marked events, or one range of time or of a name.
    """
    quarter_of = f"start_ms / {QUARTER_MS}"
    if ahead_ms is not None:
        quarter_of = f"((start_ms + {int(ahead_ms)}) % {_DAY_MS} + {_DAY_MS}) % {_DAY_MS} / {QUARTER_MS}"
    counts: Counter[tuple[int, str]] = Counter()
    conditions = conditions_of(query)
    if query.text:
        conditions.append(any_of(words_with(connection, query.text)))
    for index, named in _ranges(connection, query):
        where, values = joined([*conditions, *named])
        found = connection.execute(
            f"""SELECT {quarter_of}, displayed, count(*) FROM events INDEXED BY {index}
            WHERE {where} GROUP BY 1, 2""",  # noqa: S608 - no text of users
            values,
        )
        for quarter, displayed, events in found:
            counts[quarter, displayed] += events
    return sorted(QuarterCount(quarter * QUARTER_MS, label, events) for (quarter, label), events in counts.items())


def _ranges(connection: sqlite3.Connection, query: Query) -> Iterator[tuple[str, list[Condition]]]:
    """Indexes, and what must hold in each; no event is in two of them."""
    marked = "events_by_star" if query.favourite else "events_by_correction" if query.corrected else ""
    if query.label is None and not query.shown:
        yield marked or "events_by_time", []
    elif query.label is None:
        for word in displayed_words(connection, query.shown):
            yield marked or "events_by_display", [("displayed = ?", (word,))]
    else:
        words = words_like(connection, query.label, query.also)
        shown: list[Condition] = [one_of("displayed", displayed_words(connection, query.shown))] if query.shown else []
        others: list[Condition] = []
        for column, same in groupby(words, key=lambda each: each[0]):
            named = [word for _, word in same]
            for word in named:
                yield marked or INDICES[column], [(f"{column} = ?", (word,)), *others, *shown]
            others += [(f"{column} <> ?", (word,)) for word in named]
