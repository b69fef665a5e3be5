"""What has to be delivered and is not yet: a small database of the state folder."""

import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from vitcam.storage.outbox_database import COLUMNS, OutboxDatabase

T = TypeVar("T")

MOST_BYTES = 100_000_000
"""Of each kind."""
MOST_AGE_S = 7 * 86_400.0
"""Of the time in which vitcam runs: the wall clock may be set by years."""
MOST_IN_MEMORY = 1000
"""Of each kind, while the disk cannot be written."""
_ROW_BYTES = 150  # what a row takes beside its texts, in the table and in both indexes
_NOTE_RUNNING_S = 3600.0
_AT_ONCE = 64
_FREE_PAGES = 256
_BY_NUMBER = f"SELECT {COLUMNS} FROM deliveries WHERE number"  # noqa: S608 - constants


@dataclass(frozen=True, slots=True)
class Delivery:
    """One thing to deliver. Its body is the same at each attempt."""

    kind: str
    """Whose it is, such as `webhook`."""
    destination: str
    """Those to one destination are delivered in order."""
    event_id: str
    rule: str
    """Name of the rule that asked for it; empty if none did."""
    body: str
    urgent: bool = False
    """A person waits for it now."""
    number: int = 0
    """In the order of their making; given by the outbox."""
    made_s: float = 0.0
    """When it was made, on the outbox's own clock."""

    @property
    def key(self) -> str:
        """The same at each attempt, so that a receiver can tell that it has this one already."""
        return f"{self.event_id}-{self.rule}"

    @property
    def size(self) -> int:
        """In bytes, about."""
        return len(self.body.encode()) + len(self.destination) + _ROW_BYTES


class Outbox:
    """In any thread. The file is made with the first delivery. Where the disk cannot be written, they stay in memory.

    folder  the state folder, which no other run uses; None: in memory only
    """

    def __init__(self, folder: Path | None) -> None:
        self._lock = threading.RLock()
        self._database = OutboxDatabase(folder)
        self._opened = 0
        """Which opening of the database the counts are of."""
        self._unwritten: dict[int, Delivery] = {}
        """The newest, which are not in the database; by number."""
        self._gone: set[int] = set()
        """Numbers that are in the database, and that were removed."""
        self._next = 1
        self._counts: Counter[str] = Counter()
        self._bytes: Counter[str] = Counter()
        self._given_up: Counter[str] = Counter()
        self._started_s = self._noted_s = 0.0

    @property
    def is_there(self) -> bool:
        """Whether a run has used one in this folder; it may be empty."""
        return self._database.is_there

    @property
    def trouble(self) -> str:
        """Why what waits would not survive a restart; empty while it would, and where that is not wanted."""
        return self._database.trouble

    @property
    def notice(self) -> str:
        """What happened to a damaged file since the start, as one sentence; empty if nothing did."""
        return self._database.notice

    def waiting(self, kind: str) -> int:
        """How many of a kind wait, once the file is open. Waits for nothing."""
        return self._counts[kind]

    def given_up(self, kind: str) -> int:
        """How many of a kind had to give their place to newer ones, or were too old, since the start."""
        return self._given_up[kind]

    def put(self, *deliveries: Delivery) -> list[Delivery]:
        """Keep new deliveries. What this returns is on the disk, if the disk can be written.

        returns  the oldest ones of these kinds, which had to give them their place, or were too old
        """
        with self._lock:
            self._asked(lambda _: None, None)
            for delivery in deliveries:
                made = replace(delivery, number=self._next, made_s=self._now_s())
                self._next += 1
                self._unwritten[made.number] = made
                self._count(made, 1)
            self._settle()
            return [old for kind in {delivery.kind for delivery in deliveries} for old in self._make_room(kind)]

    def first(self, kind: str, destination: str, most: int = 1) -> list[Delivery]:
        """The oldest ones to a destination, in order."""
        with self._lock:
            return self._all("kind = ? AND destination = ?", (kind, destination), most)

    def heads(self, kind: str) -> list[Delivery]:
        """The oldest one to each destination, the oldest of them first."""
        with self._lock:
            found = [self.first(kind, destination) for destination in self._destinations(kind)]
            return sorted((head for heads in found for head in heads), key=lambda head: head.number)

    def urgent(self, kind: str) -> Delivery | None:
        """The oldest one that a person waits for."""
        with self._lock:
            return next(iter(self._all("kind = ? AND urgent", (kind,), 1, only_urgent=True)), None)

    def remove(self, *deliveries: Delivery) -> list[Delivery]:
        """They were delivered, or never will be.

        returns  those of them that waited until now; the others had been given up before
        """
        with self._lock:
            waited = [each for each in deliveries if self._waits(each.number)]
            for each in waited:
                if self._unwritten.pop(each.number, None) is None:
                    self._gone.add(each.number)
                self._count(each, -1)
            self._settle()
            return waited

    def lost_at_end(self, kind: str) -> list[Delivery]:
        """Those that the next run will not have."""
        with self._lock:
            if not self._database.is_file:
                return self._all("kind = ?", (kind,))
            return [each for each in self._unwritten.values() if each.kind == kind]

    def close(self) -> None:
        """Close the file. Another use would open it again."""
        with self._lock:
            if self._opened:
                self._noted_s = float("-inf")
                if self._counts.total():
                    self._settle()
                self._database.close()

    def _asked(self, ask: Callable[[sqlite3.Connection], T], nothing: T) -> T:
        """What the database answers; `nothing` where it cannot be used now."""

        def known(db: sqlite3.Connection) -> T:
            if self._opened != self._database.opened:
                self._count_all(db)
                self._opened = self._database.opened
            return ask(db)

        return self._database.asked(known, nothing)

    def _count_all(self, db: sqlite3.Connection) -> None:
        """Of a database that was opened just now."""
        ran_s = db.execute("SELECT s FROM running").fetchone()
        if not self._opened:
            self._started_s = time.monotonic() - (ran_s[0] if ran_s else 0.0)
            self._noted_s = self._now_s()
        newest = db.execute("SELECT coalesce(max(number), 0) FROM deliveries").fetchone()[0]
        self._next = max(self._next, newest + 1)  # somebody may have deliveries of an earlier file in hand
        self._counts.clear()
        self._bytes.clear()
        for kind, count, size in db.execute("SELECT kind, count(*), sum(size) FROM deliveries GROUP BY kind"):
            self._counts[kind], self._bytes[kind] = count, size
        gone = [db.execute(f"{_BY_NUMBER} = ?", (number,)).fetchone() for number in self._gone]
        for each in filter(None, gone):
            self._count(_delivery(each), -1)
        for delivery in self._unwritten.values():
            self._count(delivery, 1)

    def _now_s(self) -> float:
        """How long vitcam has run with this outbox, in this run and in those before."""
        return time.monotonic() - self._started_s

    def _count(self, delivery: Delivery, by: int) -> None:
        self._counts[delivery.kind] += by
        self._bytes[delivery.kind] += by * delivery.size

    def _all(
        self, where: str, values: tuple[str, ...], most: int | None = None, *, only_urgent: bool = False
    ) -> list[Delivery]:
        """Those that fit, the oldest first, `most` of them at most. values: of kind and perhaps destination"""

        def ask(db: sqlite3.Connection) -> list[Delivery]:
            rows = db.execute(f"SELECT {COLUMNS} FROM deliveries WHERE {where} ORDER BY number", values)  # noqa: S608
            return [*islice((_delivery(row) for row in rows if row[0] not in self._gone), most)]

        found = self._asked(ask, list[Delivery]())
        fresh = (
            each
            for each in self._unwritten.values()
            if (each.kind, each.destination)[: len(values)] == values and (each.urgent or not only_urgent)
        )
        return [*found, *islice(fresh, None if most is None else most - len(found))]

    def _waits(self, number: int) -> bool:
        if number in self._unwritten:
            return True
        if number in self._gone:
            return False
        return self._asked(lambda db: db.execute(f"{_BY_NUMBER} = ?", (number,)).fetchone() is not None, True)

    def _destinations(self, kind: str) -> set[str]:
        query = "SELECT destination FROM deliveries WHERE kind = ? AND destination > ? ORDER BY destination LIMIT 1"

        def ask(db: sqlite3.Connection) -> set[str]:
            found, last = set[str](), ""
            while (row := db.execute(query, (kind, last)).fetchone()) is not None:
                last = row[0]
                found.add(last)
            return found

        return {each.destination for each in self._unwritten.values() if each.kind == kind} | self._asked(
            ask, set[str]()
        )

    def _make_room(self, kind: str) -> list[Delivery]:
        """Give up what is too old, and the oldest while there are too many."""
        given_up: list[Delivery] = []
        oldest_s = self._now_s() - MOST_AGE_S
        while True:
            found = self._all("kind = ?", (kind,), _AT_ONCE if self._bytes[kind] > MOST_BYTES else 1)
            over, going = self._bytes[kind] - MOST_BYTES, []
            for each in found:
                if over <= 0 and each.made_s >= oldest_s:
                    break
                going.append(each)
                over -= each.size
            if not going or not (gone := self.remove(*going)):
                break
            given_up += gone
        here = [each for each in self._unwritten.values() if each.kind == kind] if self._database.is_file else []
        if len(here) > MOST_IN_MEMORY:
            going = here[: len(here) - MOST_IN_MEMORY]
            given_up += self.remove(*going)
        self._given_up[kind] += len(given_up)
        return given_up

    def _settle(self) -> None:
        """Write what is not written yet, in one transaction."""
        self._asked(self._write, None)

    def _write(self, db: sqlite3.Connection) -> None:
        now_s = self._now_s()
        db.execute("BEGIN IMMEDIATE")
        try:
            db.executemany("DELETE FROM deliveries WHERE number = ?", ((number,) for number in self._gone))
            db.executemany(
                "INSERT OR REPLACE INTO deliveries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", _rows(self._unwritten)
            )
            if now_s - self._noted_s > _NOTE_RUNNING_S:
                db.execute("INSERT OR REPLACE INTO running VALUES (1, ?)", (now_s,))
            db.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                db.execute("ROLLBACK")
            raise
        self._unwritten.clear()
        if now_s - self._noted_s > _NOTE_RUNNING_S:
            self._noted_s = now_s
        self._database.wrote()
        if self._gone and not self._counts.total():
            with suppress(sqlite3.Error):  # give the room back to the disk
                if db.execute("PRAGMA freelist_count").fetchone()[0] > _FREE_PAGES:
                    db.executescript("PRAGMA incremental_vacuum")  # `execute` would stop after the first page
                    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        self._gone.clear()


def _delivery(row: tuple[Any, ...]) -> Delivery:
    """Of a row with all `COLUMNS`."""
    number, kind, destination, event_id, rule, body, urgent, made_s = row
    return Delivery(kind, destination, event_id, rule, body, bool(urgent), number, made_s)


def _rows(deliveries: dict[int, Delivery]) -> Iterable[tuple[object, ...]]:
    for each in deliveries.values():
        texts = (each.kind, each.destination, each.event_id, each.rule, each.body)
        yield (each.number, *texts, int(each.urgent), each.made_s, each.size)
