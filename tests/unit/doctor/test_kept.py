"""`vitcam doctor` on the databases of the state folder."""

import sqlite3
from contextlib import closing

from vitcam.doctor import kept
from vitcam.doctor.check import CheckContext


def test_a_damaged_database_and_one_that_was_set_aside_are_said(context: CheckContext) -> None:
    folder = context.machine.root / ".local/state/vitcam"
    nothing = kept.databases(context)
    folder.mkdir(parents=True)
    with closing(sqlite3.connect(folder / "outbox.db")) as database, database:
        database.execute("CREATE TABLE deliveries (body TEXT)")
        database.executemany("INSERT INTO deliveries VALUES (?)", [("x" * 1000,)] * 100)
    whole = kept.databases(context)
    for name in ("events.db.damaged-20260102T030405", "events.db.damaged-20260102T030405-wal"):
        (folder / name).touch()
    aside = kept.databases(context)
    with (folder / "outbox.db").open("r+b") as file:
        file.seek(3 * 4096)
        file.write(b"damage" * 500)
    damaged = kept.databases(context)

    assert (nothing.status, whole.status, aside.status, damaged.status) == ("ok", "ok", "warn", "fail")
    assert whole.found == "outbox.db: whole"
    assert aside.found == f"events.db.damaged-20260102T030405 in {folder}: damaged, and set aside"
    assert damaged.found.startswith(f"{folder}/outbox.db is damaged: ")
