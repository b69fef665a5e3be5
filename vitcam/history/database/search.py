"""Finds stored events. Every condition is answered by an index, so that a million of them do not take longer."""

import json
import sqlite3
from collections.abc import Iterable
from typing import Any

from vitcam.history.database.rows import EVENTS, event_of, readable_events
from vitcam.history.stored import Page, Query, StoredEvent

MOST = 500
"""Events of one page."""
_MOST_WORDS = 200
INDICES = {
    "displayed": "events_by_display",
    "name": "events_by_name",
    "zone": "events_by_zone",
    "detail": "events_by_detail",
}
"""Of columns that hold words: the fastest first."""
_FEW = 16  # events that a client may have got before, and that may have changed since
_LONGEST = 1000  # an event that began more than so many events ago is not sent again after a change
_NEWEST_FIRST, _OLDEST_FIRST = "ORDER BY start_ms DESC, n DESC", "ORDER BY start_ms, n"


def get(connection: sqlite3.Connection, event_id: str) -> StoredEvent | None:
    """One event; None if there is none of that id."""
    row = connection.execute(f"{EVENTS} WHERE events.id = ?", (event_id,)).fetchone()
    return None if row is None else event_of(row)


def without_clip(connection: sqlite3.Connection, event_ids: Iterable[str]) -> set[str]:
    """Those of these events that are here and name no clip."""
    found = connection.execute(
        "SELECT id FROM events WHERE clip IS NULL AND id IN (SELECT value FROM json_each(?))",
        (json.dumps([*event_ids]),),
    )
    return {event_id for (event_id,) in found}


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
    events = _of_numbers(connection, found[:limit])
    return Page(events, events[-1].id if events and len(found) > limit else None)


def _of_numbers(connection: sqlite3.Connection, found: list[int]) -> tuple[StoredEvent, ...]:
    """The events in some rows, the newest first. One that cannot be read costs none of the others."""
    rows = connection.execute(
        f"{EVENTS} WHERE events.n IN ({','.join('?' * len(found))}) ORDER BY events.start_ms DESC, events.n DESC", found
    )
    return tuple(readable_events(rows))


def numbered(connection: sqlite3.Connection, found: list[int]) -> dict[int, StoredEvent]:
    """The events in some rows, by their numbers; a row that is gone is left out."""
    sql = f"SELECT n, id FROM events WHERE n IN ({','.join('?' * len(found))})"  # noqa: S608 - question marks
    ids = {event_id: n for n, event_id in connection.execute(sql, found)}
    return {ids[event.id]: event for event in _of_numbers(connection, found) if event.id in ids}


def row_numbers(
    connection: sqlite3.Connection,
    query: Query,
    limit: int,
    place: tuple[int, int] | None = None,
    newer: bool = False,
) -> list[int]:
    """The rows that a query means, the newest first.

    place  time and number of a row: only older rows are found
    newer  True: only newer rows, the oldest first
    """
    branches = [_branch(query, words, limit, place, newer) for words in _meant(connection, query)]
    if not branches:
        return []
    union = " UNION ".join(f"SELECT * FROM ({sql})" for sql, _ in branches)  # noqa: S608 - no text of users
    values = [value for _, each in branches for value in each]
    found = connection.execute(f"{union} {_OLDEST_FIRST if newer else _NEWEST_FIRST} LIMIT ?", (*values, limit))
    return [n for _, n in found]


def changed_since(connection: sqlite3.Connection, event_id: str) -> tuple[StoredEvent, ...]:
    """Events that were recorded after an id, and those before it that have changed or ended since. The oldest first.

    By their numbers, because the time in an id is that of a clock that may have been wrong. Of an event that was
    deleted only the id is known.
    """
    (place,) = connection.execute(
        """SELECT coalesce(
            (SELECT n FROM events WHERE id = :id), (SELECT n - 1 FROM events WHERE id > :id ORDER BY id LIMIT 1),
            (SELECT max(n) FROM events), 0)""",
        {"id": event_id},
    ).fetchone()
    older = connection.execute(  # nothing of it is a text of users
        f"""{EVENTS} WHERE events.n <= :n AND events.n > :n - :longest AND (
            events.n > :n - :few OR events.end_ms IS NULL
            OR events.end_ms >= (SELECT min(start_ms) FROM events WHERE n > :n - :few AND n <= :n)
        ) ORDER BY events.n DESC LIMIT :most""",  # noqa: S608
        {"n": place, "longest": _LONGEST, "few": _FEW, "most": MOST},
    )
    newer = connection.execute(f"{EVENTS} WHERE events.n > ? ORDER BY events.n LIMIT ?", (place, MOST))
    return tuple(readable_events((*reversed(older.fetchall()), *newer)))


def distinct_values(connection: sqlite3.Connection, column: str) -> list[str]:
    """Every label (`name`), displayed name (`displayed`) or zone (`zone`); reads one entry of the index for each."""
    sql = f"""WITH RECURSIVE found(word) AS (
        SELECT min({column}) FROM events WHERE {column} IS NOT NULL UNION ALL
        SELECT (SELECT min({column}) FROM events WHERE {column} > found.word) FROM found WHERE found.word IS NOT NULL
    ) SELECT word FROM found WHERE word IS NOT NULL"""  # noqa: S608 - constants
    return [word for (word,) in connection.execute(sql)]


Condition = tuple[str, tuple[Any, ...]]
"""Text, and the values of its question marks."""


def joined(conditions: Iterable[Condition]) -> tuple[str, tuple[Any, ...]]:
    """All of them as one."""
    all_of = [*conditions]
    return " AND ".join(text for text, _ in all_of) or "1", tuple(value for _, values in all_of for value in values)


def one_of(column: str, words: Iterable[str]) -> Condition:
    """A column holds one of some words, however many."""
    return f"{column} IN (SELECT value FROM json_each(?))", (json.dumps([*words]),)  # noqa: S608 - a constant


def any_of(words: list[tuple[str, str]]) -> Condition:
    """One of the columns holds one of its words."""
    columns = {column for column, _ in words} or {"displayed"}
    each = [one_of(column, (word for its, word in words if its == column)) for column in columns]
    text = " OR ".join(text for text, _ in each)
    return f"({text})", tuple(value for _, values in each for value in values)


Words = tuple[tuple[str, str], ...]
"""Columns, and the word that each must hold."""


def words_like(connection: sqlite3.Connection, label: str, also: Iterable[str] = ()) -> list[tuple[str, str]]:
    """Columns and words that a label of a query means: what is displayed, the label (a correction counts before the
    model's), or what a second model says, in any case.

    also  other names of it
    """
    keys = {each.casefold() for each in (label, *also)}
    return [
        (column, word)
        for column in ("displayed", "name", "detail")
        for word in distinct_values(connection, column)
        if word.casefold() in keys
    ]


def words_with(connection: sqlite3.Connection, text: str) -> list[tuple[str, str]]:
    """Columns and words that hold a text, in any case."""
    key = text.casefold()
    return [
        (column, word)
        for column in ("displayed", "name", "zone", "detail")
        for word in distinct_values(connection, column)
        if key in word.casefold()
    ]


def displayed_words(connection: sqlite3.Connection, names: Iterable[str]) -> list[str]:
    """What is displayed of some event, and is one of some names in any case."""
    keys = {name.casefold() for name in names}
    return [word for word in distinct_values(connection, "displayed") if word.casefold() in keys]


def conditions_of(query: Query) -> list[Condition]:
    """What holds for every event that a query means, whatever label and text it names: conditions and their values."""
    given: dict[str, Any] = {
        "start_ms >= ?": query.since_ms,
        "start_ms < ?": query.until_ms,
        "zone = ?": query.zone,
        "kind = ?": query.kind,
        "peak >= ?": query.min_p or None,
    }
    conditions: list[Condition] = [(text, (value,)) for text, value in given.items() if value is not None]
    if query.favourite is not None:  # written out: a partial index serves no parameter
        conditions.append((f"favourite = {query.favourite:d}", ()))
    if query.corrected is not None:
        conditions.append((f"corrected IS {'NOT ' * query.corrected}NULL", ()))
    return conditions


def _meant(connection: sqlite3.Connection, query: Query) -> list[Words]:
    """What must hold for label and text of a query; each of the answers is enough."""
    meant: list[Words] = [()]
    if query.shown:
        meant = [(("displayed", word),) for word in displayed_words(connection, query.shown)]
    if query.label is not None:
        meant = [(*words, word) for words in meant for word in words_like(connection, query.label, query.also)]
    if query.text:
        meant = [(*words, word) for words in meant for word in words_with(connection, query.text)]
    return meant[:_MOST_WORDS]


def _branch(
    query: Query, words: Words, limit: int, place: tuple[int, int] | None, newer: bool
) -> tuple[str, tuple[Any, ...]]:
    """A statement for time and number of each row, and its values."""
    conditions: list[Condition] = [(f"{column} = ?", (word,)) for column, word in words]
    conditions += conditions_of(query)
    if place is not None:
        conditions.append((f"(start_ms, n) {'>' if newer else '<'} (?, ?)", place))
    where, values = joined(conditions)
    order = _OLDEST_FIRST if newer else _NEWEST_FIRST
    sql = f"SELECT start_ms, n FROM events INDEXED BY {_index(query, words)} WHERE {where} {order} LIMIT ?"  # noqa: S608
    return sql, (*values, limit)


def _index(query: Query, words: Words) -> str:
    """Named, because SQLite without statistics would guess."""
    if query.favourite:
        return "events_by_star"
    if query.corrected:
        return "events_by_correction"
    for column, index in INDICES.items():
        if any(column == named for named, _ in words):
            return index
    return "events_by_time" if query.zone is None else "events_by_zone"
