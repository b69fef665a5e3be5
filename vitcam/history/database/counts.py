"""How many events of each label began in each hour."""

import sqlite3
from typing import NamedTuple

from vitcam.history.database.search import words
from vitcam.history.stored import Query

HOUR_MS = 3_600_000


class HourCount(NamedTuple):
    """Of one label in one hour."""

    start_ms: int
    """When the hour begins."""
    label: str
    events: int


def by_label_and_hour(connection: sqlite3.Connection, query: Query) -> list[HourCount]:
    """In the order of time. Only times, label, zone, kind and certainty of a query count.

    Reads one range of an index for each label.
    """
    labels = words(connection, "name") if query.label is None else [query.label]
    given = {"zone = ?": query.zone, "kind = ?": query.kind, "peak >= ?": query.min_p or None}
    conditions = {condition: value for condition, value in given.items() if value is not None}
    more = "".join(f" AND {condition}" for condition in conditions)
    sql = f"""SELECT start_ms / {HOUR_MS}, count(*) FROM events INDEXED BY events_by_name
        WHERE name = ? AND start_ms >= ? AND start_ms < ?{more} GROUP BY 1"""  # noqa: S608 - constants
    since_ms = 0 if query.since_ms is None else query.since_ms
    until_ms = 2**62 if query.until_ms is None else query.until_ms
    found = [
        HourCount(hour * HOUR_MS, label, events)
        for label in labels
        for hour, events in connection.execute(sql, (label, since_ms, until_ms, *conditions.values()))
    ]
    return sorted(found)
