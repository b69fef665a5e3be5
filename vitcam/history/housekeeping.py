"""What the writer's thread does while nothing waits: it keeps to the limits, and gives room back to the disk."""

import contextlib
import sqlite3
import time

from vitcam.history.database.totals import Counter, Totals
from vitcam.history.database.writing import delete
from vitcam.history.pictures.files import PictureFiles
from vitcam.history.retention import RetentionRules, overdue

_LOOK_S = 10.0
_SPARE_PAGES = 256  # 1 MB that new events fill again
_PAGES_AT_ONCE = 512


class Housekeeping:
    """Of one connection; called in the writer's thread only.

    rules  any thread may replace them
    """

    def __init__(self, connection: sqlite3.Connection, pictures: PictureFiles) -> None:
        self._connection = connection
        self._pictures = pictures
        self._counter = Counter(connection)
        self._next_s = 0.0
        self.totals = self._counter()

    def step(self, rules: RetentionRules) -> bool:
        """Do a little, for some hundredths of a second; True: there is more to do."""
        if time.monotonic() < self._next_s:
            return False
        self.totals = self._counter()
        if rows := overdue(self._connection, rules, self.totals, time.time_ns() // 1_000_000):
            self._pictures.remove(delete_rows(self._connection, rows))
            return True
        if self._free_pages() > _SPARE_PAGES:
            vacuum(self._connection, _PAGES_AT_ONCE)
            return True
        self._next_s = time.monotonic() + _LOOK_S
        return False

    def look(self) -> Totals:
        """Count what was written."""
        self.totals = self._counter()
        return self.totals

    def _free_pages(self) -> int:
        return int(self._connection.execute("PRAGMA freelist_count").fetchone()[0])


def delete_rows(connection: sqlite3.Connection, rows: list[int]) -> list[str]:
    """Delete rows in a transaction of their own. Returns the files that belonged to them. Raises sqlite3.Error."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        files = delete(connection, rows)
        connection.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise
    return files


def vacuum(connection: sqlite3.Connection, pages: int) -> None:
    """Give free pages back to the disk, all with a number of 0. Raises sqlite3.Error."""
    connection.executescript(f"PRAGMA incremental_vacuum({pages})")  # `execute` would stop after the first page


def reclaim(connection: sqlite3.Connection) -> None:
    """Give the room of what was deleted back to the disk, and empty the log, in which its content still stands.

    raises  sqlite3.Error
    """
    vacuum(connection, 0)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
