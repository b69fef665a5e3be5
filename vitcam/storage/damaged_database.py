"""SQLite databases with damaged pages: how they are told, and how what can still be read goes into a new one."""

import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from itertools import count
from pathlib import Path

COMPANIONS = ("-wal", "-shm")
"""What SQLite keeps beside a database."""
_DAMAGES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_UNREADABLE = (sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_IOERR_CORRUPTFS)
_STEPS = 1000  # numbers after a damaged place that are tried one after the other; then the steps grow
_LAST = 2**62
_BEAT_EVERY = 256  # rows
_MENDED = ".mended"


def is_damage(error: BaseException, path: Path) -> bool:
    """Whether the database itself is broken, and not a full disk, a lock or a missing right the reason.

    path  its file, which is read from end to end after a failure of the disk; this may take seconds
    """
    if not isinstance(error, sqlite3.Error):
        return False
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in _DAMAGES or (code == sqlite3.SQLITE_IOERR and not _is_whole(path))


def save_rows(
    path: Path,
    open_new: Callable[[Path], sqlite3.Connection],
    beat: Callable[[], None] = lambda: None,
    settle: Sequence[str] = (),
) -> Counter[str]:
    """Write a new database beside a damaged one, with all whole rows that can still be read. `exchange` uses it.

    open_new  makes a database with the tables that are wanted
    beat      called now and then: a large one takes minutes
    settle    statements that follow: rows that others name may be lost
    returns   how many rows were read, by table
    raises    sqlite3.Error and OSError where the new one cannot be written
    """
    mended = saved(path)
    for each in _with_companions(mended):
        each.unlink(missing_ok=True)
    with closing(open_new(mended)) as new:
        new.execute("BEGIN IMMEDIATE")
        rows = _salvage(path, new, beat)
        for statement in settle:
            new.execute(statement)
        new.execute("COMMIT")
        new.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        new.execute("PRAGMA journal_mode = DELETE")  # one file, with nothing beside it
    return rows


def saved(path: Path) -> Path:
    """What `save_rows` has written."""
    return path.with_name(path.name + _MENDED)


def exchange(path: Path, aside: str) -> None:
    """Put what `save_rows` has written in the place of the damaged database, which stays beside it as `aside`.

    Who has the damaged one open closes it afterwards. `finish_exchange` follows a kill. Raises OSError.
    """
    set_aside(path, aside)
    saved(path).rename(path)


def finish_exchange(path: Path) -> None:
    """Finish an exchange that was killed between its two renames. Raises OSError."""
    if not path.exists() and saved(path).exists():
        saved(path).rename(path)


def free_name(path: Path, what: str) -> str:
    """A name beside a database for the time when it is set aside. what: happened to it"""
    name = stem = f"{path.name}.{what}-{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}"
    again = count(2)  # a clock that was set back says the same moment twice
    while path.with_name(name).exists():
        name = f"{stem}-{next(again)}"
    return name


def set_aside(path: Path, aside: str) -> None:
    """Rename a database with its companions, so that SQLite opens them together. Raises OSError."""
    for old, new in zip(_with_companions(path), _with_companions(path.with_name(aside)), strict=True):
        if old.exists():
            old.rename(new)


def _with_companions(path: Path) -> list[Path]:
    return [path.with_name(path.name + ending) for ending in ("", *COMPANIONS)]


def _is_whole(path: Path) -> bool:
    """Whether SQLite finds no damage in any page; True where it cannot look.

    Not by a read of our own: to open the file and close it again would end the locks that SQLite holds on it.
    """
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            return bool(database.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0)
        return code not in _UNREADABLE and code & 0xFF not in _DAMAGES


def _salvage(path: Path, new: sqlite3.Connection, beat: Callable[[], None]) -> Counter[str]:
    """Copy the rows of every table that both have. Returns how many, by table.

    Raises sqlite3.Error where the new one cannot be written.
    """
    tables = [name for (name,) in new.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    uri, copied = f"{path.absolute().as_uri()}?mode=ro", Counter[str]()
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as old:
        old.text_factory = lambda text: text.decode(errors="replace")
        for table in tables:
            for row, insert in _rows_of(old, new, table):
                with suppress(sqlite3.IntegrityError):  # no row that vitcam has written
                    copied[table] += new.execute(insert, row).rowcount
                if not copied[table] % _BEAT_EVERY:
                    beat()
    return copied


def _rows_of(old: sqlite3.Connection, new: sqlite3.Connection, table: str) -> Iterator[tuple[tuple[object, ...], str]]:
    """The rows of a table of the old database that can be read, and the statement that puts each into the new one."""
    try:
        before = {name for _, name, *_ in old.execute(f"PRAGMA table_info({table})")}
    except sqlite3.DatabaseError:  # not even its schema can be read
        return
    wanted = new.execute(f"PRAGMA table_info({table})").fetchall()
    key = next(name for _, name, _, _, _, is_key in wanted if is_key)
    columns = [key, *(name for _, name, *_ in wanted if name in before and name != key)]
    if key not in before:
        return
    names, marks = ", ".join(columns), ", ".join("?" * len(columns))
    insert = f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})"  # noqa: S608 - names of our own
    after = f"SELECT {names} FROM {table} NOT INDEXED WHERE {key} > ? ORDER BY {key}"  # noqa: S608
    last = 0
    while last < _LAST:
        try:
            for row in old.execute(after, (last,)):
                yield row, insert
                last = row[0]
        except sqlite3.DatabaseError:
            last = _next_readable(old, after, last)
        else:
            return


def _next_readable(old: sqlite3.Connection, after: str, last: int) -> int:
    """The next number after which a whole row can be read, or the end is reached; `_LAST`: there is none."""
    tries = 0
    while last < _LAST:
        tries += 1
        last += 1 if tries <= _STEPS else 2 ** (tries - _STEPS)
        with suppress(sqlite3.DatabaseError):
            old.execute(f"{after} LIMIT 1", (last,)).fetchone()
            return last
    return _LAST
