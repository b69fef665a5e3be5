"""What has to be delivered and is not yet, webhooks and MQTT messages: a small database of the state folder."""

import logging
import os
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

log = logging.getLogger(__name__)

MOST_BYTES = 100_000_000
"""Of each kind."""
MOST_AGE_S = 7 * 86_400.0
"""Of the time in which vitcam runs: the wall clock may be set by years."""
MOST_IN_MEMORY = 1000
"""Of each kind, while the disk cannot be written."""
_FILE = "outbox.db"
_WAIT_S = 2.0
_PRIVATE = 0o600  # addresses may hold keys
_ROW_BYTES = 150  # what a row takes beside its texts, in the table and in both indexes
_NOTE_RUNNING_S = 3600.0
_AT_ONCE = 64
_FREE_PAGES = 256
_COLUMNS = "number, kind, destination, event_id, rule, body, urgent, made_s"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS deliveries (
    number INTEGER PRIMARY KEY, kind TEXT NOT NULL, destination TEXT NOT NULL, event_id TEXT NOT NULL,
    rule TEXT NOT NULL, body TEXT NOT NULL, urgent INTEGER NOT NULL, made_s REAL NOT NULL, size INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS by_kind ON deliveries (kind, number, size);
CREATE INDEX IF NOT EXISTS by_destination ON deliveries (kind, destination, number);
CREATE INDEX IF NOT EXISTS urgent ON deliveries (kind, number) WHERE urgent;
CREATE TABLE IF NOT EXISTS running (one INTEGER PRIMARY KEY CHECK (one = 1), s REAL NOT NULL) STRICT;
"""
_TAKE_LETTERS = """
BEGIN IMMEDIATE;
INSERT INTO deliveries SELECT number, 'webhook', url, event_id, rule, body, 0, 0.0,
    length(body) + length(url) + 150 FROM letters;
DROP TABLE letters;
COMMIT;
"""


@dataclass(frozen=True, slots=True)
class Delivery:
    """One thing to deliver. Its body is the same at each attempt."""

    kind: str
    """Whose it is: `webhook` or `mqtt`."""
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
        self._folder = folder
        self._lock = threading.RLock()
        self._db: sqlite3.Connection | None = None
        self._is_file = self._failing = False
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
        return self._folder is not None and (self._folder / _FILE).exists()

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
            self._opened()
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
            return [*islice(self._all("kind = ? AND destination = ?", (kind, destination)), most)]

    def heads(self, kind: str) -> list[Delivery]:
        """The oldest one to each destination, the oldest of them first."""
        with self._lock:
            found = [self.first(kind, destination) for destination in self._destinations(kind)]
            return sorted((head for heads in found for head in heads), key=lambda head: head.number)

    def urgent(self, kind: str) -> Delivery | None:
        """The oldest one that a person waits for."""
        with self._lock:
            return next(self._all("kind = ? AND urgent", (kind,), only_urgent=True), None)

    def remove(self, *deliveries: Delivery) -> None:
        """They were delivered, or never will be."""
        with self._lock:
            self._opened()
            for delivery in deliveries:
                if self._unwritten.pop(delivery.number, None) is None:
                    self._gone.add(delivery.number)
                self._count(delivery, -1)
            self._settle()

    def lost_at_end(self, kind: str) -> list[Delivery]:
        """Those that the next run will not have."""
        with self._lock:
            if not self._is_file:
                return [*self._all("kind = ?", (kind,))]
            return [each for each in self._unwritten.values() if each.kind == kind]

    def close(self) -> None:
        """Close the file. Another use would open it again."""
        with self._lock:
            if self._db is not None:
                self._noted_s = float("-inf")
                if self._counts.total():
                    self._settle()
                self._db.close()
                self._db = None

    def _opened(self) -> sqlite3.Connection:
        if self._db is None:
            found = None if self._folder is None else _open_file(self._folder / _FILE)
            self._is_file = found is not None
            self._db = found or _connected(":memory:")
            self._next = 1 + int(self._db.execute("SELECT coalesce(max(number), 0) FROM deliveries").fetchone()[0])
            self._counts.clear()
            self._bytes.clear()
            for kind, count, size in self._db.execute("SELECT kind, count(*), sum(size) FROM deliveries GROUP BY kind"):
                self._counts[kind], self._bytes[kind] = count, size
            ran_s = self._db.execute("SELECT s FROM running").fetchone()
            self._started_s = time.monotonic() - (ran_s[0] if ran_s else 0.0)
            self._noted_s = self._now_s()
        return self._db

    def _now_s(self) -> float:
        """How long vitcam has run with this outbox, in this run and in those before."""
        return time.monotonic() - self._started_s

    def _count(self, delivery: Delivery, by: int) -> None:
        self._counts[delivery.kind] += by
        self._bytes[delivery.kind] += by * delivery.size

    def _all(self, where: str, values: tuple[str, ...], *, only_urgent: bool = False) -> Iterator[Delivery]:
        """Those that fit, the oldest first. values: of kind and perhaps destination"""
        db = self._opened()
        rows = db.execute(f"SELECT {_COLUMNS} FROM deliveries WHERE {where} ORDER BY number", values)  # noqa: S608
        for number, kind, destination, event_id, rule, body, urgent, made_s in rows:
            if number not in self._gone:
                yield Delivery(kind, destination, event_id, rule, body, bool(urgent), number, made_s)
        for each in self._unwritten.values():
            fits = (each.kind, each.destination)[: len(values)] == values
            if fits and (each.urgent or not only_urgent):
                yield each

    def _destinations(self, kind: str) -> set[str]:
        db, found, last = self._opened(), {each.destination for each in self._unwritten.values()}, ""
        query = "SELECT destination FROM deliveries WHERE kind = ? AND destination > ? ORDER BY destination LIMIT 1"
        while (row := db.execute(query, (kind, last)).fetchone()) is not None:
            last = row[0]
            found.add(last)
        return found

    def _make_room(self, kind: str) -> list[Delivery]:
        """Give up what is too old, and the oldest while there are too many."""
        given_up: list[Delivery] = []
        oldest_s = self._now_s() - MOST_AGE_S
        while True:
            found = [*islice(self._all("kind = ?", (kind,)), _AT_ONCE if self._bytes[kind] > MOST_BYTES else 1)]
            over, going = self._bytes[kind] - MOST_BYTES, []
            for each in found:
                if over <= 0 and each.made_s >= oldest_s:
                    break
                going.append(each)
                over -= each.size
            if not going:
                break
            self.remove(*going)
            given_up += going
        here = [each for each in self._unwritten.values() if each.kind == kind] if self._is_file else []
        if len(here) > MOST_IN_MEMORY:
            going = here[: len(here) - MOST_IN_MEMORY]
            self.remove(*going)
            given_up += going
        self._given_up[kind] += len(given_up)
        return given_up

    def _settle(self) -> None:
        """Write what is not written yet, in one transaction."""
        db, now_s = self._opened(), self._now_s()
        try:
            db.execute("BEGIN IMMEDIATE")
            try:
                db.executemany("DELETE FROM deliveries WHERE number = ?", ((number,) for number in self._gone))
                db.executemany("INSERT INTO deliveries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", _rows(self._unwritten))
                if now_s - self._noted_s > _NOTE_RUNNING_S:
                    db.execute("INSERT OR REPLACE INTO running VALUES (1, ?)", (now_s,))
                db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    db.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            if not self._failing:
                log.warning("what waits to be delivered does not survive a restart: %s: %s", _FILE, error)
            self._failing = True
            return
        self._failing = False
        self._unwritten.clear()
        if now_s - self._noted_s > _NOTE_RUNNING_S:
            self._noted_s = now_s
        if self._gone and not self._counts.total():
            with suppress(sqlite3.Error):  # give the room back to the disk
                if db.execute("PRAGMA freelist_count").fetchone()[0] > _FREE_PAGES:
                    db.executescript("PRAGMA incremental_vacuum")  # `execute` would stop after the first page
                    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        self._gone.clear()


def _rows(deliveries: dict[int, Delivery]) -> Iterable[tuple[object, ...]]:
    for each in deliveries.values():
        texts = (each.kind, each.destination, each.event_id, each.rule, each.body)
        yield (each.number, *texts, int(each.urgent), each.made_s, each.size)


def _open_file(path: Path) -> sqlite3.Connection | None:
    """The database; a damaged one is set aside. None where none can be opened."""
    try:
        return _connected_file(path)
    except (sqlite3.Error, OSError) as error:
        damaged = isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError)
        reason = error
    if damaged:
        log.warning("%s is damaged (%s); it was renamed to %s.damaged, and a new one begins", path, reason, _FILE)
        with suppress(sqlite3.Error, OSError):
            path.replace(path.with_name(f"{_FILE}.damaged"))
            for rest in ("-wal", "-shm"):
                path.with_name(f"{_FILE}{rest}").unlink(missing_ok=True)
            return _connected_file(path)
    log.warning("what waits to be delivered does not survive a restart: %s cannot be opened: %s", path, reason)
    return None


def _connected_file(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(0o750, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _PRIVATE))
    path.chmod(_PRIVATE)
    return _connected(str(path))


def _connected(place: str) -> sqlite3.Connection:
    db = sqlite3.connect(place, timeout=_WAIT_S, isolation_level=None, check_same_thread=False)
    try:
        db.execute("PRAGMA auto_vacuum = INCREMENTAL")
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")  # what is in it survives a power cut
        db.execute("PRAGMA journal_size_limit = 1000000")
        db.executescript(_SCHEMA)
        if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'letters'").fetchone():
            db.executescript(_TAKE_LETTERS)  # of vitcam before MQTT
        db.execute("SELECT number, size FROM deliveries LIMIT 1").fetchall()
    except sqlite3.Error:
        db.close()
        raise
    return db
