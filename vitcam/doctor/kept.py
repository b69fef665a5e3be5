"""The databases of the state folder: whether they are whole, and which were set aside."""

import sqlite3
from contextlib import closing
from pathlib import Path

from vitcam.doctor.check import CheckContext, CheckResult
from vitcam.folders import state_folder
from vitcam.storage.damaged_database import COMPANIONS
from vitcam.storage.owner import owned

_DATABASES = ("events.db", "outbox.db")


def databases(context: CheckContext) -> CheckResult:
    """Whether the history and the outbox can be read from end to end."""
    folder = state_folder(context.machine.environ)
    if folder is None:
        return CheckResult("ok", "nothing is kept")
    with owned(folder).acting() as place:
        there = [place / name for name in _DATABASES if (place / name).exists()]
        broken = [f"{folder / path.name} is damaged: {why}" for path in there if (why := _damage_of(path))]
        aside = sorted(path.name for name in _DATABASES for path in place.glob(f"{name}.damaged*"))
    aside = [name for name in aside if not name.endswith(COMPANIONS)]
    if broken:
        return CheckResult("fail", "; ".join(broken), "vitcam run: it saves what can be read, and sets the rest aside")
    if aside:
        found = f"{', '.join(aside)} in {folder}: damaged, and set aside"
        return CheckResult("warn", found, "delete these files once nobody needs them; if more come, replace the disk")
    return CheckResult("ok", f"{', '.join(path.name for path in there)}: whole" if there else "nothing is kept yet")


def _damage_of(path: Path) -> str:
    """What SQLite finds first; empty if all is well, and where it cannot look."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            (found,) = database.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.OperationalError:  # no rights, or a lock: no damage
        return ""
    except sqlite3.DatabaseError as error:
        return str(error)
    return "" if found == "ok" else " ".join(str(found).split())
