"""How many events of each displayed name began in each quarter of an hour.

Not in each hour: those of some time zones, such as India's, begin at a half or three quarters of an hour of UTC. From
quarters a reader can make the hours of every zone.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from vitcam.history.database.search import distinct_values, words_like
from vitcam.history.stored import Query

QUARTER_MS = 15 * 60_000


class QuarterCount(NamedTuple):
    """Of one displayed name in one quarter of an hour."""

    start_ms: int
    """When the quarter begins."""
    label: str
    """A label or a group."""
    events: int


def by_label_and_quarter(connection: sqlite3.Connection, query: Query) -> list[QuarterCount]:
    """In the order of time. Every condition of a query counts."""
    counts: Counter[tuple[int, str]] = Counter()
    text = query.text.casefold()
    for quarter, displayed, name, zone, events in _groups(connection, query):
        if any(text in (word or "").casefold() for word in (displayed, name, zone)):
            counts[quarter, displayed] += events
    return sorted(QuarterCount(quarter * QUARTER_MS, label, events) for (quarter, label), events in counts.items())


def _groups(connection: sqlite3.Connection, query: Query) -> Iterator[tuple[int, str, str, str | None, int]]:
    """Quarter, displayed name, label, zone, and how many events.

    Reads a short index of marked events, or one range for each name.
    """
    conditions: list[tuple[str, Any]] = [
        ("start_ms >= ?", 0 if query.since_ms is None else query.since_ms),
        ("start_ms < ?", 2**62 if query.until_ms is None else query.until_ms),
    ]
    given = {"zone = ?": query.zone, "kind = ?": query.kind, "peak >= ?": query.min_p or None}
    conditions += [(condition, value) for condition, value in given.items() if value is not None]
    marks = [] if query.favourite is None else [f"favourite = {query.favourite:d}"]
    marks += [] if query.corrected is None else [f"corrected IS {'NOT ' * query.corrected}NULL"]
    for index, named in _ranges(connection, query):
        where = " AND ".join([*marks, *(condition for condition, _ in conditions + named)])
        yield from connection.execute(
            f"""SELECT start_ms / {QUARTER_MS}, displayed, name, zone, count(*) FROM events INDEXED BY {index}
            WHERE {where} GROUP BY 1, 2, 3, 4""",  # noqa: S608 - no text of users
            [value for _, value in conditions + named],
        )


def _ranges(connection: sqlite3.Connection, query: Query) -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """Indexes, and what must hold in each; no event is in two of them."""
    marked = "events_by_star" if query.favourite else "events_by_correction" if query.corrected else ""
    if query.label is None and marked:
        yield marked, []
    elif query.label is None:
        for word in distinct_values(connection, "displayed"):
            yield "events_by_display", [("displayed = ?", word)]
    else:
        words = words_like(connection, query.label, query.also)
        called = [("displayed <> ?", word) for column, word in words if column == "displayed"]
        for column, word in words:
            others = called if column == "name" else []
            index = "events_by_display" if column == "displayed" else "events_by_name"
            yield marked or index, [(f"{column} = ?", word), *others]
