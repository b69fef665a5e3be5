"""Finds stored events. Every condition is answered by an index, so that a million of them do not take longer."""

import sqlite3
from collections.abc import Iterable
from typing import Any

from vitcam.history.database.rows import EVENTS, event_of
from vitcam.history.stored import Page, Query, StoredEvent

MOST = 500
"""Events of one page."""
_MOST_WORDS = 200
_AT_ONCE = 16  # more events do not last at the same time
_NEWEST_FIRST, _OLDEST_FIRST = "ORDER BY start_ms DESC, n DESC", "ORDER BY start_ms, n"


def get(connection: sqlite3.Connection, event_id: str) -> StoredEvent | None:
    """One event; None if there is none of that id."""
    row = connection.execute(f"{EVENTS} WHERE events.id = ?", (event_id,)).fetchone()
    return None if row is None else event_of(row)


def find(
    connection: sqlite3.Connection, query: Query, limit: int, before: str | None = None, after: str | None = None
) -> Page:
    """The newest events that a query means, at most `limit`, which is at most `MOST`.

    before  the id of the last event of the page before; a page whose event is gone meanwhile is empty
    after   the id of an event: those that came next after it, the newest of them first; `before` is ignored then
    """
    limit = min(limit, MOST)
    place = None
    if (beside := after or before) is not None:
        place = connection.execute("SELECT start_ms, n FROM events WHERE id = ?", (beside,)).fetchone()
        if place is None:
            return Page((), None)
    if after is not None:
        return Page(_of_numbers(connection, row_numbers(connection, query, limit, place, newer=True)), None)
    found = row_numbers(connection, query, limit + 1, place)
    events = _of_numbers(connection, found)
    return Page(events[:limit], events[limit - 1].id if len(events) > limit else None)


def _of_numbers(connection: sqlite3.Connection, found: list[int]) -> tuple[StoredEvent, ...]:
    """The events in some rows, the newest first."""
    rows = connection.execute(
        f"{EVENTS} WHERE events.n IN ({','.join('?' * len(found))}) ORDER BY events.start_ms DESC, events.n DESC", found
    )
    return tuple(map(event_of, rows))


def row_numbers(
    connection: sqlite3.Connection,
    query: Query,
    limit: int,
    place: tuple[int, int] | None = None,
    newer: bool = False,
) -> list[int]:
    """The rows that a query means, the newest first.

    place  time and number of a row: only what is older
    newer  only what is newer, the oldest first
    """
    branches = [_branch(query, words, limit, place, newer) for words in _meant(connection, query)]
    if not branches:
        return []
    union = " UNION ".join(f"SELECT * FROM ({sql})" for sql, _ in branches)  # noqa: S608 - no text of users
    values = [value for _, each in branches for value in each]
    found = connection.execute(f"{union} {_OLDEST_FIRST if newer else _NEWEST_FIRST} LIMIT ?", (*values, limit))
    return [n for _, n in found]


def after(connection: sqlite3.Connection, event_id: str) -> tuple[StoredEvent, ...]:
    """Events that were recorded after an id, and a few that were not: they may have changed since. The oldest first.

    By their numbers, because the time in an id is that of a clock that may have been wrong. Of an event that was
    deleted only the id is known.
    """
    (place,) = connection.execute(
        """SELECT coalesce(
            (SELECT n FROM events WHERE id = :id), (SELECT n - 1 FROM events WHERE id > :id ORDER BY id LIMIT 1),
            (SELECT max(n) FROM events), 0)""",
        {"id": event_id},
    ).fetchone()
    older = connection.execute(f"{EVENTS} WHERE events.n <= ? ORDER BY events.n DESC LIMIT ?", (place, _AT_ONCE))
    newer = connection.execute(f"{EVENTS} WHERE events.n > ? ORDER BY events.n LIMIT ?", (place, MOST))
    return tuple(map(event_of, (*reversed(older.fetchall()), *newer)))


def distinct_values(connection: sqlite3.Connection, column: str) -> list[str]:
    """Every label (`name`), displayed name (`displayed`) or zone (`zone`); reads one entry of the index for each."""
    sql = f"""WITH RECURSIVE found(word) AS (
        SELECT min({column}) FROM events WHERE {column} IS NOT NULL UNION ALL
        SELECT (SELECT min({column}) FROM events WHERE {column} > found.word) FROM found WHERE found.word IS NOT NULL
    ) SELECT word FROM found WHERE word IS NOT NULL"""  # noqa: S608 - constants
    return [word for (word,) in connection.execute(sql)]


Words = tuple[tuple[str, str], ...]
"""Columns, and the word that each must hold."""


def words_like(connection: sqlite3.Connection, label: str, also: Iterable[str] = ()) -> list[tuple[str, str]]:
    """Columns and words that a label of a query means: what is displayed, or the label that holds, in any case.

    also  other names of it
    """
    keys = {each.casefold() for each in (label, *also)}
    return [
        (column, word)
        for column in ("displayed", "name")
        for word in distinct_values(connection, column)
        if word.casefold() in keys
    ]


def _meant(connection: sqlite3.Connection, query: Query) -> list[Words]:
    """What must hold for label and text of a query; each of the answers is enough."""
    labels: list[Words] = [()]
    if query.label is not None:
        labels = [(word,) for word in words_like(connection, query.label, query.also)]
    if not query.text:
        return labels
    text = query.text.casefold()
    texts = [
        (column, word)
        for column in ("displayed", "name", "zone")
        for word in distinct_values(connection, column)
        if text in word.casefold()
    ]
    return [(*label, word) for label in labels for word in texts][:_MOST_WORDS]


def _branch(
    query: Query, words: Words, limit: int, place: tuple[int, int] | None, newer: bool
) -> tuple[str, tuple[Any, ...]]:
    """A statement for time and number of each row, and its values."""
    conditions: list[tuple[str, tuple[Any, ...]]] = [(f"{column} = ?", (word,)) for column, word in words]
    given: dict[str, Any] = {
        "start_ms >= ?": query.since_ms,
        "start_ms < ?": query.until_ms,
        "zone = ?": query.zone,
        "kind = ?": query.kind,
        "peak >= ?": query.min_p or None,
    }
    conditions += [(condition, (value,)) for condition, value in given.items() if value is not None]
    if query.favourite is not None:  # written out: a partial index serves no parameter
        conditions.append((f"favourite = {query.favourite:d}", ()))
    if query.corrected is not None:
        conditions.append((f"corrected IS {'NOT ' * query.corrected}NULL", ()))
    if place is not None:
        conditions.append((f"(start_ms, n) {'>' if newer else '<'} (?, ?)", place))
    where = " AND ".join(condition for condition, _ in conditions) or "1"
    order = _OLDEST_FIRST if newer else _NEWEST_FIRST
    sql = f"SELECT start_ms, n FROM events INDEXED BY {_index(query, words)} WHERE {where} {order} LIMIT ?"  # noqa: S608
    return sql, (*(value for _, values in conditions for value in values), limit)


def _index(query: Query, words: Words) -> str:
    """Named, because SQLite without statistics would guess."""
    if query.favourite:
        return "events_by_star"
    if query.corrected:
        return "events_by_correction"
    for column, index in (("displayed", "events_by_display"), ("name", "events_by_name"), ("zone", "events_by_zone")):
        if any(column == named for named, _ in words):
            return index
    return "events_by_time" if query.zone is None else "events_by_zone"
