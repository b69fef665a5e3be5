"""Webhooks that are not delivered yet. They survive a restart, in a small database of the state folder."""

import logging
import os
import sqlite3
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

log = logging.getLogger(__name__)

MOST_DELIVERIES = 1000
_FILE = "outbox.db"
_WAIT_S = 2.0
_PRIVATE = 0o600  # addresses may hold keys
_TABLE = """CREATE TABLE IF NOT EXISTS letters (
    number INTEGER PRIMARY KEY, event_id TEXT NOT NULL, rule TEXT NOT NULL, url TEXT NOT NULL, body TEXT NOT NULL,
    made_s REAL NOT NULL
) STRICT"""


@dataclass(frozen=True, slots=True)
class Delivery:
    """One webhook."""

    number: int
    """In the order of their making."""
    event_id: str
    rule: str
    """Its name."""
    url: str
    body: str
    made_s: float
    """Seconds since the epoch."""

    @property
    def key(self) -> str:
        """The same at each attempt, so that a receiver can tell that it has this one already."""
        return f"{self.event_id}-{self.rule}"


class Outbox:
    """Used by one thread. Where the disk cannot be written, they are kept in memory, and the log says so.

    folder  the state folder; None: in memory only
    """

    def __init__(self, folder: Path | None) -> None:
        self._db = None if folder is None else _opened(folder / _FILE)
        self._deliveries = {delivery.number: delivery for delivery in self._read()}
        self._failing = False

    def __len__(self) -> int:
        return len(self._deliveries)

    @property
    def survives(self) -> bool:
        """Whether what is in it is there after a restart."""
        return self._db is not None and not self._failing

    @property
    def deliveries(self) -> tuple[Delivery, ...]:
        """All, the oldest first."""
        return tuple(self._deliveries.values())

    def add(self, event_id: str, rule: str, url: str, body: str, made_s: float) -> tuple[Delivery, Delivery | None]:
        """The new delivery, and the oldest one where that had to give it its place."""
        delivery = Delivery(max(self._deliveries, default=0) + 1, event_id, rule, url, body, made_s)
        self._deliveries[delivery.number] = delivery
        values = (delivery.number, event_id, rule, url, body, made_s)
        self._write("INSERT OR REPLACE INTO letters VALUES (?, ?, ?, ?, ?, ?)", values)
        if len(self._deliveries) <= MOST_DELIVERIES:
            return delivery, None
        oldest = next(iter(self._deliveries.values()))
        self.remove(oldest)
        return delivery, oldest

    def remove(self, delivery: Delivery) -> None:
        """It was delivered, or never will be."""
        self._deliveries.pop(delivery.number, None)
        self._write("DELETE FROM letters WHERE number = ?", (delivery.number,))

    def close(self) -> None:
        """Close the file."""
        if self._db is not None:
            self._db.close()

    def _read(self) -> list[Delivery]:
        if self._db is None:
            return []
        return [Delivery(*row) for row in self._db.execute("SELECT * FROM letters ORDER BY number")]

    def _write(self, statement: str, values: tuple[object, ...]) -> None:
        if self._db is None:
            return
        try:
            self._db.execute(statement, values)
        except sqlite3.Error as error:
            if not self._failing:
                log.warning("webhooks that wait do not survive a restart: %s cannot be written: %s", _FILE, error)
            self._failing = True
        else:
            self._failing = False


def has_outbox(folder: Path) -> bool:
    """Whether a run has used an outbox in this state folder; it may be empty."""
    return (folder / _FILE).exists()


def _opened(path: Path) -> sqlite3.Connection | None:
    """The database; a damaged one is set aside. None where none can be opened."""
    try:
        return _connected(path)
    except (sqlite3.Error, OSError) as error:
        damaged = isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError)
        reason = error
    if damaged:
        log.warning("%s is damaged (%s); it was renamed to %s.damaged, and a new one begins", path, reason, _FILE)
        with suppress(sqlite3.Error, OSError):
            path.replace(path.with_name(f"{_FILE}.damaged"))
            for rest in ("-wal", "-shm"):
                path.with_name(f"{_FILE}{rest}").unlink(missing_ok=True)
            return _connected(path)
    log.warning("webhooks that wait do not survive a restart: %s cannot be opened: %s", path, reason)
    return None


def _connected(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(0o750, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _PRIVATE))
    path.chmod(_PRIVATE)
    db = sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None)
    try:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")  # what is in it survives a power cut
        db.execute(_TABLE)
        db.execute("SELECT * FROM letters").fetchall()
    except sqlite3.Error:
        db.close()
        raise
    return db
