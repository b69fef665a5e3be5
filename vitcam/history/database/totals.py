"""How much is kept: counted at the start, then kept up to date in memory by every change of this connection."""

import sqlite3
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Totals:
    """Of the whole history."""

    events: int = 0
    bytes: int = 0
    """Of database, pictures and videos."""


_TRIGGERS = (
    """CREATE TEMP TRIGGER came AFTER INSERT ON main.events BEGIN
        UPDATE kept SET events = events + 1, bytes = bytes + new.frame_bytes + new.clip_bytes;
    END""",
    """CREATE TEMP TRIGGER went AFTER DELETE ON main.events BEGIN
        UPDATE kept SET events = events - 1, bytes = bytes - old.frame_bytes - old.clip_bytes;
    END""",
    """CREATE TEMP TRIGGER grew AFTER UPDATE OF frame_bytes, clip_bytes ON main.events BEGIN
        UPDATE kept SET bytes = bytes + new.frame_bytes + new.clip_bytes - old.frame_bytes - old.clip_bytes;
    END""",
)


class RunningTotals:
    """Of one connection. Nothing of it is written to the disk."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("CREATE TEMP TABLE kept (events INTEGER, bytes INTEGER)")
        connection.execute("INSERT INTO kept VALUES (0, 0)")
        for trigger in _TRIGGERS:
            connection.execute(trigger)
        self._count()

    def __call__(self) -> Totals:
        """Counts again only after another process has changed something."""
        if _version(self._connection) != self._counted:
            self._count()
        events, size = self._connection.execute("SELECT events, bytes FROM kept").fetchone()
        return Totals(events, size + database_bytes(self._connection))

    def _count(self) -> None:
        """Reads one index from end to end, which takes some tenths of a second for a million events."""
        self._counted = _version(self._connection)
        self._connection.execute(
            """UPDATE kept SET (events, bytes) = (
                SELECT count(*), coalesce(sum(frame_bytes + clip_bytes), 0) FROM events INDEXED BY events_by_time
            )"""
        )


def database_bytes(connection: sqlite3.Connection) -> int:
    """Of the pages in use."""
    size, pages, free = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_size", "page_count", "freelist_count")
    )
    return int(size * (pages - free))


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA data_version").fetchone()[0])
