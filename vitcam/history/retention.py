"""What is kept for how long: age and room. The oldest go first, favourites stay, and the disk gets its room back."""

import math
import sqlite3
from dataclasses import dataclass

from vitcam.history.clock import MachineClock
from vitcam.history.database.connections import transaction
from vitcam.history.database.totals import RunningTotals, Totals
from vitcam.history.database.writing import delete
from vitcam.history.picture_files import PictureFiles

_DAY_MS = 86_400_000
_AT_ONCE = 200  # events of one transaction: what waits to be written waits some hundredths of a second for it
_ROW_BYTES = 1000  # the database's own part of an event, guessed
_FEW = 10
_LOOK_MS, _HOUR_MS = 10_000, 3_600_000
_SPARE_PAGES = 256  # 1 MB that new events fill again
_PAGES_AT_ONCE = 512


@dataclass(frozen=True, slots=True)
class RetentionRules:
    """0: no limit."""

    keep_days: float = 0.0
    max_mb: float = 0.0
    rests: str = ""
    """Why no event is deleted because of its age, as a sentence, whatever `keep_days` says; empty: it is."""


def most_in_an_hour(rules: RetentionRules, events: int) -> int:
    """How many events may be deleted within an hour because of their age, of so many that there are.

    A clock that is wrong although it is believed can then do no more until somebody sees it. What really is too old has
    gone after a day at most.
    """
    share = max(1 / 24, min(1.0, 2 / (24 * rules.keep_days))) if rules.keep_days else 0.0
    return max(_FEW, math.ceil(events * share))


def too_old(connection: sqlite3.Connection, rules: RetentionRules, now_ms: int, most: int) -> list[int]:
    """The rows of some events that are too old, `most` of them at most."""
    if not rules.keep_days or rules.rests:
        return []
    found = connection.execute(
        """SELECT n FROM events INDEXED BY events_by_time WHERE favourite = 0 AND start_ms < ?
        ORDER BY start_ms, n LIMIT ?""",
        (now_ms - int(rules.keep_days * _DAY_MS), min(most, _AT_ONCE)),
    )
    return [n for (n,) in found]


def without_room(connection: sqlite3.Connection, rules: RetentionRules, kept: Totals) -> list[int]:
    """The rows of some events for which there is no room: those that were recorded first, whatever time they have."""
    excess = kept.bytes - rules.max_mb * 1e6 if rules.max_mb else 0.0
    if excess <= 0:
        return []
    oldest = connection.execute(
        "SELECT n, frame_bytes + clip_bytes + ? FROM events WHERE favourite = 0 ORDER BY n LIMIT ?",
        (_ROW_BYTES, _AT_ONCE),
    )
    chosen = []
    for n, size in oldest:
        if excess <= 0:
            break
        chosen.append(n)
        excess -= size
    return chosen


class Housekeeping:
    """Of one connection; called in the writer's thread only.

    rules  any thread may replace them
    """

    def __init__(self, connection: sqlite3.Connection, pictures: PictureFiles, clock: MachineClock) -> None:
        self._connection = connection
        self._pictures = pictures
        self._counter = RunningTotals(connection)
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
