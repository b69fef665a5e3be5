"""The file of an outbox: how it is opened, what becomes of a damaged one, and what is said where it cannot be used."""

import logging
import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from vitcam.storage.damaged_database import exchange, finish_exchange, free_name, is_damage, save_rows

T = TypeVar("T")
log = logging.getLogger(__name__)

FILE = "outbox.db"
COLUMNS = "number, kind, destination, event_id, rule, body, urgent, made_s"
_WAIT_S = 2.0
_EXCHANGE_EVERY_S = 60.0  # where there is no room for a new one
_PRIVATE = 0o600  # addresses may hold keys
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


class OutboxDatabase:
    """Used under the lock of its outbox.

    folder  the state folder; None: in memory only
    """

    def __init__(self, folder: Path | None) -> None:
        self._path = None if folder is None else folder / FILE
        self._db: sqlite3.Connection | None = None
        self._exchange_s = float("-inf")
        self.is_file = False
        """Whether what is written survives a restart."""
        self.opened = 0
        """How often one was opened: what is known of its content holds for the same number only."""
        self.trouble = ""
        """Why what waits would not survive a restart; empty while it would."""
        self.notice = ""
        """What happened to a damaged file since the start; empty if nothing did."""

    @property
    def is_there(self) -> bool:
        """Whether a run has used one in this folder; it may be empty."""
        return self._path is not None and self._path.exists()

    def asked(self, ask: Callable[[sqlite3.Connection], T], nothing: T) -> T:
        """What `ask` returns. A damaged database is exchanged first; `nothing` where it cannot be used now.

        Logs once what is wrong.
        """
        try:
            try:
                found = ask(self._open())
            except sqlite3.Error as error:
                if not self._exchanged(error):
                    raise
                found = ask(self._open())
        except sqlite3.Error as error:
            self._set_trouble(f"{FILE}: {error}")
            return nothing
        return found

    def wrote(self) -> None:
        """A transaction was committed."""
        if self.is_file:
            self._set_trouble("")

    def close(self) -> None:
        """Close the file. Another use would open it again."""
        if self._db is not None:
            with suppress(sqlite3.Error):
                self._db.close()
            self._db = None

    def _open(self) -> sqlite3.Connection:
        if self._db is None:
            found = None if self._path is None else self._open_file(self._path)
            self.is_file = found is not None
            self._db = found or _connected(":memory:")
            self.opened += 1
        return self._db

    def _open_file(self, path: Path) -> sqlite3.Connection | None:
        """None where none can be opened."""
        try:
            try:
                finish_exchange(path)
                return _connected_file(path)
            except sqlite3.Error as error:
                if not (is_damage(error, path) and self._exchange(path, error)):
                    raise
                return _connected_file(path)
        except (sqlite3.Error, OSError) as error:
            self._set_trouble(f"{path} cannot be opened: {error}")
            return None

    def _exchanged(self, error: sqlite3.Error) -> bool:
        """Exchange the open database if it is damaged; False: it is not, or no new one can be written now."""
        if self._path is None or not self.is_file or time.monotonic() < self._exchange_s:
            return False
        if not (is_damage(error, self._path) and self._exchange(self._path, error)):
            return False
        self.close()
        return True

    def _exchange(self, path: Path, error: sqlite3.Error) -> bool:
        try:
            rows, aside = save_rows(path, _connected_file), free_name(path, "damaged")
            exchange(path, aside)
        except (sqlite3.Error, OSError) as failure:
            self._exchange_s = time.monotonic() + _EXCHANGE_EVERY_S
            self._set_trouble(f"{path} is damaged ({error}), and no new one can be written: {failure}")
            return False
        self.notice = (
            f"{path} with messages that wait to be sent is damaged ({error}); it was renamed to {aside}, and a "
            f"new one has begun with the {rows['deliveries']:,} that could be read"
        )
        log.error("%s", self.notice)
        return True

    def _set_trouble(self, trouble: str) -> None:
        """Log a trouble once."""
        said = f"what waits to be delivered does not survive a restart: {trouble}" if trouble else ""
        if said and not self.trouble:
            log.warning("%s", said)
        self.trouble = said


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
            db.executescript(_TAKE_LETTERS)  # as earlier versions kept webhooks
        db.execute("SELECT number, size FROM deliveries LIMIT 1").fetchall()
    except sqlite3.Error:
        db.close()
        raise
    return db
