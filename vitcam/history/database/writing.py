"""The changes of the history: each function works within the caller's transaction."""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from vitcam.history.database.rows import actions_of, actions_text, summary_values, values_of
from vitcam.history.database.sharing import pass_on
from vitcam.history.stored import Action, EventChange, FrameSummary

_MOST_ACTIONS = 32


def write_change(
    connection: sqlite3.Connection,
    change: EventChange,
    seen_ms: int,
    frame: str | None,
    new: bool,
    clock: int | None = None,
) -> str | None:
    """Insert or update one event. An event that was deleted meanwhile stays so.

    frame    the file of `change.jpeg`, beside which lies that of `change.detail`; None: the one before holds
    new      insert it if there is none of that id
    clock    the number of the clock that dated it; None: that is not known
    returns  the picture that is not used any more
    """
    event = change.event
    values = values_of(event, seen_ms) | {"clock": clock}
    if frame is not None and change.jpeg is not None:
        values |= summary_values(event.summary) | {"frame": frame, "frame_bytes": change.picture_bytes}
    before = _row(connection, event.id, ("frame", *values))
    if before is None:
        if new:
            values["model"] = _model(connection, event.model, event.fingerprint)
            _insert(connection, summary_values(event.summary) | values)
            return None
        return frame
    # each index that holds a column of the statement is written, whether its value is another one or not
    _update(connection, event.id, {name: value for name, value in values.items() if value != before[name]})
    picture = before["frame"]
    return str(picture) if picture is not None and "frame" in values else None


def note_action(connection: sqlite3.Connection, event_id: str, action: Action) -> bool:
    """Add what a rule did, in place of what the same rule waited for; False: there is no such event."""
    before = actions_of(connection, event_id)
    if before is None:
        return False
    same = (action.rule, action.kind, "waiting")
    others = tuple(each for each in before if (each.rule, each.kind, each.status) != same)
    return _update(connection, event_id, {"actions": actions_text((*others, action)[-_MOST_ACTIONS:])})


def attach_clip(connection: sqlite3.Connection, event_id: str, clip: str, size: int) -> bool:
    """Name the video of an event; False: there is no such event.

    clip  a file below the state folder
    size  in bytes
    """
    return _update(connection, event_id, {"clip": clip, "clip_bytes": size})


def close_open(connection: sqlite3.Connection) -> int:
    """End what a killed run left open, at the time at which it was last seen. Returns how many there were."""
    return connection.execute("UPDATE events SET end_ms = max(start_ms, seen_ms) WHERE end_ms IS NULL").rowcount


def first_free(connection: sqlite3.Connection) -> int:
    """The number that no row has had yet."""
    return int(connection.execute("SELECT coalesce(max(n), 0) + 1 FROM events").fetchone()[0])


def forget_open_pictures(connection: sqlite3.Connection, first: int) -> list[str]:
    """Take their pictures from the events that last, of the rows from number `first` on. Returns the files."""
    files = open_pictures(connection, first)
    forget_pictures(connection, files)
    return files


def open_pictures(connection: sqlite3.Connection, first: int) -> list[str]:
    """The files of the pictures of the events that last, of the rows from number `first` on."""
    query = "SELECT frame FROM events WHERE end_ms IS NULL AND n >= ? AND frame IS NOT NULL"
    return [frame for (frame,) in connection.execute(query, (first,))]


def forget_pictures(connection: sqlite3.Connection, files: Sequence[str]) -> bool:
    """Take pictures whose files are gone from their events. True: it is done."""
    bare = summary_values(FrameSummary()) | {"frame": None, "frame_bytes": 0}
    columns = ", ".join(f"{name} = ?" for name in bare)
    connection.executemany(
        f"UPDATE events SET {columns} WHERE frame = ?",  # noqa: S608 - names of columns
        [[*bare.values(), file] for file in files],
    )
    return True


def frame_of(connection: sqlite3.Connection, event_id: str) -> str | None:
    """The file of an event's own picture; None if it has none, or there is no such event."""
    found = connection.execute("SELECT frame FROM events WHERE id = ?", (event_id,)).fetchone()
    return None if found is None else found[0]


def edit(connection: sqlite3.Connection, event_id: str, values: Mapping[str, Any]) -> bool:
    """EventChange what a person may change, `corrected` and `favourite`; False: there is no such event."""
    return _update(connection, event_id, values)


def delete_ids(connection: sqlite3.Connection, ids: list[str]) -> list[str]:
    """Delete events by their ids. Returns the files that belonged to them."""
    marks = ",".join("?" * len(ids))
    rows = connection.execute(f"SELECT n FROM events WHERE id IN ({marks})", ids)  # noqa: S608 - question marks
    return delete(connection, [n for (n,) in rows])


def delete(connection: sqlite3.Connection, rows: list[int]) -> list[str]:
    """Delete rows by their number. Returns the files that belonged to them and to no other event."""
    pass_on(connection, rows)
    marks = ",".join("?" * len(rows))
    files = connection.execute(f"SELECT frame, clip FROM events WHERE n IN ({marks})", rows).fetchall()  # noqa: S608
    connection.execute(f"DELETE FROM events WHERE n IN ({marks})", rows)  # noqa: S608 - question marks
    return [name for pair in files for name in pair if name is not None]


def _row(connection: sqlite3.Connection, event_id: str, columns: tuple[str, ...]) -> dict[str, Any] | None:
    """Some columns of an event; None: there is none of that id."""
    found = connection.execute(f"SELECT {', '.join(columns)} FROM events WHERE id = ?", (event_id,)).fetchone()  # noqa: S608
    return None if found is None else dict(zip(columns, found, strict=True))


def _model(connection: sqlite3.Connection, name: str, fingerprint: str) -> int | None:
    if not name:
        return None
    connection.execute("INSERT OR IGNORE INTO models (name, fingerprint) VALUES (?, ?)", (name, fingerprint))
    found = connection.execute("SELECT n FROM models WHERE name = ? AND fingerprint = ?", (name, fingerprint))
    return int(found.fetchone()[0])


def _insert(connection: sqlite3.Connection, values: Mapping[str, Any]) -> None:
    marks = ", ".join("?" * len(values))
    connection.execute(f"INSERT INTO events ({', '.join(values)}) VALUES ({marks})", [*values.values()])  # noqa: S608


def _update(connection: sqlite3.Connection, event_id: str, values: Mapping[str, Any]) -> bool:
    settings = ", ".join(f"{column} = ?" for column in values)
    found = connection.execute(f"UPDATE events SET {settings} WHERE id = ?", [*values.values(), event_id])  # noqa: S608
    return found.rowcount > 0
