"""Reads `events.db`, each time by a connection of its own, also where nobody may write beside it."""

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, TypeVar

from vitcam.errors import VitcamError
from vitcam.history.database.connections import FILE, is_there, open_to_read
from vitcam.history.database.schema import MIGRATIONS, version_of
from vitcam.storage.damaged_database import is_damage

T = TypeVar("T")

_READ_S = 10.0
_STEPS = 50_000  # of SQLite, between two looks at the clock


class DamagedHistory(VitcamError):
    """A part of the file that was asked for is broken."""


def read(folder: Path, ask: Callable[[sqlite3.Connection], T], nothing: T) -> T:
    """What the history in a state folder answers; `nothing` before the first start has made it.

    raises  DamagedHistory; VitcamError for one that cannot be read, or holds what vitcam has not written
    """
    if not is_there(folder):
        return nothing
    try:
        with closing(open_to_read(folder)) as connection:
            if not (version := version_of(connection)):
                return nothing
            if version != len(MIGRATIONS):
                raise VitcamError(
                    f"the history in {folder} has version {version} and not {len(MIGRATIONS)}; a daemon of this "
                    "version brings an older one up to date when it starts"
                )
            until_s = time.monotonic() + _READ_S
            connection.set_progress_handler(lambda: time.monotonic() > until_s, _STEPS)
            return ask(connection)
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT:
            raise VitcamError(f"this search takes longer than {_READ_S:.0f} s; search a shorter time") from error
        if is_damage(error, folder / FILE):
            raise DamagedHistory(
                f"the history in {folder} is damaged: {error}; `vitcam run` saves what can be read and begins a new one"
            ) from error
        raise VitcamError(f"the history in {folder} cannot be read: {error}") from error
    except (ValueError, TypeError, LookupError, OverflowError, RecursionError) as error:
        raise VitcamError(
            f"the history in {folder} holds an event that vitcam has not written ({error}); restore a backup, or move "
            "the file events.db away"
        ) from error


def meets_no_damage(folder: Path, ask: Callable[[sqlite3.Connection], Any]) -> bool:
    """Ask the file itself once more, whatever other connections have in memory. Raises sqlite3.Error."""
    with closing(open_to_read(folder)) as connection, suppress(ValueError, TypeError, LookupError, ArithmeticError):
        ask(connection)
    return True
