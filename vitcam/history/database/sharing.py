"""Events of earlier versions that show the picture of another one, and which of them gets it when that one is deleted.

No index leads from a picture to those that share it. They began within a day.
"""

import sqlite3
from collections.abc import Collection

_DAY_MS = 86_400_000
_SLACK_MS = 3_600_000
_NEWEST = 100_000  # events of more than two days, however busy


def pass_on(connection: sqlite3.Connection, rows: Collection[int]) -> None:
    """Give the pictures of rows that will be deleted to the oldest of the events that show them, too, and stay."""
    marks = ",".join("?" * len(rows))
    owners = connection.execute(
        f"SELECT n, start_ms FROM events WHERE n IN ({marks}) AND shares = 1",  # noqa: S608 - question marks
        [*rows],
    ).fetchall()
    going = frozenset(rows)
    for owner, start_ms in owners:
        if staying := [n for n in _sharers(connection, owner, start_ms) if n not in going]:
            _inherit(connection, owner, staying[0], staying[1:])


def newest_pictures(connection: sqlite3.Connection) -> set[str]:
    """The files of the newest events. By their numbers: times may have been moved when the clock was set."""
    found = connection.execute(
        "SELECT frame FROM events WHERE n > (SELECT max(n) FROM events) - ? AND frame IS NOT NULL", (_NEWEST,)
    )
    return {frame for (frame,) in found}


def last_picture(connection: sqlite3.Connection) -> str | None:
    """The file of the event that was recorded last, of those that have a picture of their own."""
    found = connection.execute("SELECT frame FROM events WHERE frame IS NOT NULL ORDER BY n DESC LIMIT 1").fetchone()
    return None if found is None else found[0]


def _sharers(connection: sqlite3.Connection, owner: int, start_ms: int) -> list[int]:
    """The rows that show the picture of the row `owner`, the oldest first."""
    found = connection.execute(
        """SELECT n FROM events INDEXED BY events_by_time WHERE start_ms BETWEEN ? AND ? AND shared = ?
        ORDER BY start_ms, n""",
        (start_ms - _SLACK_MS, start_ms + _DAY_MS + _SLACK_MS, owner),
    )
    return [n for (n,) in found]


def _inherit(connection: sqlite3.Connection, owner: int, heir: int, others: list[int]) -> None:
    columns = "frame, frame_bytes, sight, evidence"
    connection.execute(
        f"""UPDATE events SET ({columns}) = (SELECT {columns} FROM events WHERE n = ?), shared = NULL, shares = ?
        WHERE n = ?""",  # noqa: S608 - constants
        (owner, int(bool(others)), heir),
    )
    connection.execute("UPDATE events SET frame = NULL, frame_bytes = 0 WHERE n = ?", (owner,))
    connection.executemany("UPDATE events SET shared = ? WHERE n = ?", [(heir, n) for n in others])
