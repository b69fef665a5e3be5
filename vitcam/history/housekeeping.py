"""What the writer's thread does while nothing waits: it keeps to the limits, and gives room back to the disk."""

import sqlite3

from vitcam.history.clock import MachineClock
from vitcam.history.database.connections import transaction
from vitcam.history.database.totals import Counter, Totals
from vitcam.history.database.writing import delete
from vitcam.history.picture_files import PictureFiles
from vitcam.history.retention import RetentionRules, most_in_an_hour, too_old, without_room

_LOOK_MS, _HOUR_MS = 10_000, 3_600_000
_SPARE_PAGES = 256  # 1 MB that new events fill again
_PAGES_AT_ONCE = 512


class Housekeeping:
    """Of one connection; called in the writer's thread only.

    rules  any thread may replace them
    """

    def __init__(self, connection: sqlite3.Connection, pictures: PictureFiles, clock: MachineClock) -> None:
        self._connection = connection
        self._pictures = pictures
        self._counter = Counter(connection)
        self._clock = clock
        self._next_ms = self._hour_ends_ms = 0
        self._too_old = 0
        """Deleted in this hour because of their age."""
        self.totals = self._counter()
        self._most = self.totals.events
        """That were kept at the same time."""

    @property
    def due(self) -> bool:
        """Whether it is time for a step."""
        return self._clock.up_ms() >= self._next_ms

    def step(self, rules: RetentionRules, now_ms: int | None) -> bool:
        """Do a little, for some hundredths of a second; True: there is more to do.

        now_ms  since the epoch; None: nobody knows, so nothing is deleted because of its age
        """
        self.totals = self._counter()
        rows = [] if now_ms is None else too_old(self._connection, rules, now_ms, self._left(rules))
        self._too_old += len(rows)
        if rows := rows or without_room(self._connection, rules, self.totals):
            self._pictures.remove(delete_rows(self._connection, rows))
            return True
        if self._free_pages() > _SPARE_PAGES:
            vacuum(self._connection, _PAGES_AT_ONCE)
            return True
        self._next_ms = self._clock.up_ms() + _LOOK_MS
        return False

    def _left(self, rules: RetentionRules) -> int:
        """How many events may still be deleted in this hour because of their age."""
        self._most = max(self._most, self.totals.events)
        if (up_ms := self._clock.up_ms()) >= self._hour_ends_ms:
            self._hour_ends_ms, self._too_old = up_ms + _HOUR_MS, 0
        return max(0, most_in_an_hour(rules, self._most) - self._too_old)

    def look(self) -> Totals:
        """Count what was written."""
        self.totals = self._counter()
        return self.totals

    def _free_pages(self) -> int:
        return int(self._connection.execute("PRAGMA freelist_count").fetchone()[0])


def delete_rows(connection: sqlite3.Connection, rows: list[int]) -> list[str]:
    """Delete rows in a transaction of their own. Returns the files that belonged to them. Raises sqlite3.Error."""
    with transaction(connection):
        return delete(connection, rows)


def vacuum(connection: sqlite3.Connection, pages: int) -> None:
    """Give free pages back to the disk, all with a number of 0. Raises sqlite3.Error."""
    connection.executescript(f"PRAGMA incremental_vacuum({pages})")  # `execute` would stop after the first page


def reclaim(connection: sqlite3.Connection) -> None:
    """Give the room of what was deleted back to the disk, and empty the log, in which its content still stands.

    raises  sqlite3.Error
    """
    vacuum(connection, 0)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
