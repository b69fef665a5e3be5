"""The file `events.db`: how it is opened, and what happens to a damaged one."""

import logging
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from vitcam.history.database.schema import migrate
from vitcam.history.picture_files import PictureFiles
from vitcam.history.stored import FRAMES
from vitcam.storage.damaged_database import exchange, finish_exchange, free_name, save_rows, saved, set_aside

log = logging.getLogger(__name__)

FILE = "events.db"
_BUSY_S = 10.0  # how long one process waits for another one's transaction
_NO_LOCKS = (
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_IOERR_SHMOPEN,
    sqlite3.SQLITE_IOERR_SHMSIZE,
    sqlite3.SQLITE_IOERR_SHMMAP,
    sqlite3.SQLITE_READONLY_CANTINIT,
    sqlite3.SQLITE_READONLY_DIRECTORY,
)
"""On a disk that is full, or read-only."""
_DISK_FAILURES = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
_CACHE_KB = 256  # by default 2 MB, which a daemon would fill within an hour; the kernel keeps the file's pages, too
_PAGE = 1024  # half as much is written as with 4096: an event changes six pages, and each goes to the log as a whole
_PRIVATE = 0o600
_WITHOUT_LOST_ROWS = tuple(
    f"UPDATE events SET {column} = NULL WHERE {column} NOT IN (SELECT n FROM {table})"  # noqa: S608 - constants
    for column, table in (("shared", "events"), ("model", "models"), ("clock", "clocks"))
)
"""The numbers of rows that were lost are given again."""


def open_to_write(folder: Path) -> sqlite3.Connection:
    """The database of a state folder, which is made if need be, at the newest version.

    Every transaction is begun and committed by hand. A commit is on the disk when it returns.

    raises  sqlite3.Error; OSError if the folder cannot be written; VitcamError if a newer vitcam has made it
    """
    folder.mkdir(0o750, parents=True, exist_ok=True)
    finish_exchange(folder / FILE)
    return _open(folder / FILE)


def _open(path: Path) -> sqlite3.Connection:
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
    """Another connection, which sees what is committed, also where nothing can be written beside the file.

    Raises sqlite3.Error if there is no database.
    """
    path = folder / FILE
    uri = f"{path.absolute().as_uri()}?mode=ro"
    connection = _connect(uri)
    try:
        connection.execute("PRAGMA user_version").fetchone()
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) not in _NO_LOCKS:
            return connection
    else:
        return connection
    connection.close()  # SQLite cannot make the file of its locks, and needs none: a process that writes has made it
    if _size(path.with_name(f"{FILE}-wal")):
        connection = _connect(f"{uri}&vfs=unix-none")
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        return connection
    return _connect(f"{uri}&immutable=1")


def is_input_or_output(error: sqlite3.Error) -> bool:
    """Whether the disk failed, and not what was asked of it."""
    return (getattr(error, "sqlite_errorcode", 0) & 0xFF) in _DISK_FAILURES


def begin_anew(folder: Path, beat: Callable[[], None]) -> str:
    """Put a new database in the place of a damaged one, with all events that can still be read, and their pictures.

    beat     called now and then: a large one takes minutes
    returns  a sentence on that
    raises   OSError and sqlite3.Error where a new one cannot be written: then nothing has changed
    """
    path = folder / FILE
    rows, aside = save_rows(path, _open, beat, _WITHOUT_LOST_ROWS), free_name(path, "damaged")
    with closing(_connect(saved(path).absolute().as_uri())) as new:
        named = {frame for (frame,) in new.execute("SELECT frame FROM events WHERE frame IS NOT NULL")}
    PictureFiles(folder).set_aside(named, FRAMES + aside.removeprefix(FILE))
    exchange(path, aside)
    saves = f"{rows['events']:,} events that could be read" if rows["events"] else "no event of it"
    return f"the history {path} is damaged; it was renamed to {aside}, and a new one has begun with {saves}"


def set_emptied_aside(folder: Path) -> str:
    """Rename a database that somebody has emptied, with its pictures, so that somebody may look at it.

    returns  a sentence on that
    raises   OSError
    """
    path = folder / FILE
    aside = free_name(path, "emptied")
    set_aside(path, aside)
    PictureFiles(folder).set_aside(set(), FRAMES + aside.removeprefix(FILE))
    return f"the history {path} was emptied while vitcam ran; it was renamed to {aside}, and a new one has begun"


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


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
