"""The file `events.db`: how it is opened, and what happens to a damaged one."""

import logging
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Literal

from vitcam.history.database.schema import migrate
from vitcam.history.stored import FRAMES

log = logging.getLogger(__name__)

FILE = "events.db"
_COMPANIONS = ("-wal", "-shm")
_BUSY_S = 10.0  # how long one process waits for another one's transaction
_DAMAGES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_DISK_FAILURES = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
_CACHE_KB = 256  # by default 2 MB, which a daemon would fill within an hour; the kernel keeps the file's pages, too
_PAGE = 1024  # half as much is written as with 4096: an event changes six pages, and each goes to the log as a whole
_PRIVATE = 0o600


def open_to_write(folder: Path) -> sqlite3.Connection:
    """The database of a state folder, which is made if need be, at the newest version.

    Every transaction is begun and committed by hand. A commit is on the disk when it returns.

    raises  sqlite3.Error; OSError if the folder cannot be written; VitcamError if a newer vitcam has made it
    """
    folder.mkdir(0o750, parents=True, exist_ok=True)
    path = folder / FILE
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _PRIVATE))  # its companions get the same mode
    connection = _connect(path.absolute().as_uri())
    try:
        if path.stat().st_size == 0:  # both hold for the life of a file
            connection.execute(f"PRAGMA page_size = {_PAGE}")
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute(f"PRAGMA cache_size = {-_CACHE_KB}")
        migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """All that is done within, or nothing of it. Raises sqlite3.Error."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def open_to_read(folder: Path) -> sqlite3.Connection:
    """Another connection, which sees what is committed. Raises sqlite3.Error if there is no database."""
    return _connect(f"{(folder / FILE).absolute().as_uri()}?mode=ro")


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the file itself is broken."""
    return (getattr(error, "sqlite_errorcode", 0) & 0xFF) in _DAMAGES


def is_input_or_output(error: sqlite3.Error) -> bool:
    """Whether the disk failed, and not what was asked of it."""
    return (getattr(error, "sqlite_errorcode", 0) & 0xFF) in _DISK_FAILURES


def set_aside(folder: Path, what: Literal["damaged", "emptied"] = "damaged") -> str:
    """Rename a database with its pictures, so that somebody may look at it. Returns a sentence on that.

    what    happened to it
    raises  OSError
    """
    ending = moment = f".{what}-{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}"
    again = count(2)  # a clock that was set back says the same moment twice
    while (folder / (FILE + ending)).exists() or (folder / (FRAMES + ending)).exists():
        ending = f"{moment}-{next(again)}"
    for name in (FILE, *(FILE + companion for companion in _COMPANIONS), FRAMES):
        path = folder / name
        if path.exists():
            path.rename(path.with_name(name + ending))
    is_so = "is damaged" if what == "damaged" else "was emptied while vitcam ran"
    return f"the history {folder / FILE} {is_so}; it was renamed to {FILE}{ending}, and a new one has begun"


def _connect(uri: str) -> sqlite3.Connection:
    return sqlite3.connect(uri, uri=True, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)


def is_there(folder: Path) -> bool:
    """Whether anything was ever kept."""
    return os.path.lexists(folder / FILE)  # a link that leads nowhere, or where this user may not go, is an error later


def is_whole(folder: Path) -> bool:
    """Whether the file passes SQLite's quick check, which does not compare indexes; False also for no database."""
    try:
        with closing(open_to_read(folder)) as connection:
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))
    except sqlite3.Error:
        return False
