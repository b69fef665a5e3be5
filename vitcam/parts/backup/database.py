"""SQLite databases, which another process may write to while they are copied."""

import contextlib
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from vitcam.errors import VitcamError
from vitcam.storage.damaged_database import is_damage

_MAGIC = b"SQLite format 3\0"
"""source  SQLite's file format, section 1.3.1"""
_COMPANIONS = ("-wal", "-shm", "-journal")
_WAIT_S = 20.0


class DamagedDatabaseError(VitcamError):
    """A database that SQLite cannot copy."""


def is_database(path: Path) -> bool:
    """Whether a file begins as SQLite's do. False for one that cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def companions(paths: Iterable[Path]) -> frozenset[Path]:
    """Those of the files that SQLite keeps beside a database: the copy of a database holds what is in them."""
    known = frozenset(paths)
    found = set()
    for path in known:
        for ending in _COMPANIONS:
            base = path.with_name(path.name.removesuffix(ending))
            if path.name.endswith(ending) and base in known and is_database(base):
                found.add(path)
    return frozenset(found)


def copy_database(path: Path, out: Path) -> None:
    """Write all that was committed to another file, as of one moment.

    A database with a write-ahead log can be written to meanwhile. One without waits for the copy.

    raises  DamagedDatabaseError; VitcamError if it is locked for long
    """
    uri = f"{path.absolute().as_uri()}?mode=ro"
    try:
        with (
            contextlib.closing(sqlite3.connect(uri, uri=True, timeout=_WAIT_S)) as source,
            contextlib.closing(sqlite3.connect(out)) as copy,
        ):
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, with nothing beside it
    except sqlite3.Error as error:
        if is_damage(error, path):
            raise DamagedDatabaseError(f"{path} is damaged: {error}") from error
        raise VitcamError(
            f"the database {path} cannot be copied: {error}; end the program that holds it, and try again"
        ) from error
