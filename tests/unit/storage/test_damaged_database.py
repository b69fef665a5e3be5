"""Databases with damaged pages: what can be read is saved, and a kill at any moment leaves the old or the new one."""

import os
import random
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path

import pytest

from vitcam.storage.damaged_database import exchange, finish_exchange, free_name, is_damage, save_rows

ROWS = 400
PAGE, MOST_OF_A_PAGE = 1024, 10
"""Bytes, and rows."""
EXCHANGES = """
import sys
from pathlib import Path
from tests.unit.storage.test_damaged_database import exchanged
exchanged(Path(sys.argv[1]))
"""


def made(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA page_size = {PAGE}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(
        "CREATE TABLE IF NOT EXISTS things (n INTEGER PRIMARY KEY, name TEXT NOT NULL, long BLOB) STRICT"
    )
    connection.execute("CREATE INDEX IF NOT EXISTS by_name ON things (name, n)")
    return connection


def filled(path: Path) -> None:
    """Rows of some bytes, and some that need pages of their own."""
    with closing(made(path)) as connection:
        rows = (
            (number, f"thing {number}", b"x" * (5000 if number % 40 == 0 else 100)) for number in range(1, ROWS + 1)
        )
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO things VALUES (?, ?, ?)", rows)
        connection.execute("COMMIT")


def exchanged(path: Path) -> int:
    """How many rows were saved."""
    rows = save_rows(path, made)
    exchange(path, free_name(path, "damaged"))
    return rows["things"]


def rows_of(path: Path) -> dict[int, tuple[str, int]]:
    with closing(made(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return {n: (name, size) for n, name, size in connection.execute("SELECT n, name, length(long) FROM things")}


def put_garbage_in(path: Path, pages: list[int], rng: random.Random) -> None:
    with path.open("r+b") as file:
        for page in pages:
            file.seek(page * PAGE)
            file.write(rng.randbytes(PAGE))


@pytest.mark.parametrize("seed", range(25))
def test_every_row_of_a_whole_page_is_saved_and_no_other_one_is_made_up(tmp_path: Path, seed: int) -> None:
    path, rng = tmp_path / "things.db", random.Random(seed)
    filled(path)
    before = rows_of(path)
    total = path.stat().st_size // PAGE
    pages = rng.sample(range(2, total), rng.choice([1, 3, 10]))  # the first one has the schema, the second is a root
    put_garbage_in(path, pages, rng)
    saved = exchanged(path)
    after = rows_of(path)

    assert len(after) == saved
    assert after.items() <= before.items()
    assert ROWS - saved <= MOST_OF_A_PAGE * len(pages)
    assert len([*tmp_path.glob("things.db.damaged-*T??????")]) == 1


def test_a_file_without_a_readable_page_is_exchanged_for_an_empty_one(tmp_path: Path) -> None:
    path = tmp_path / "things.db"
    path.write_bytes(os.urandom(20_000))

    assert exchanged(path) == 0
    assert rows_of(path) == {}
    assert next(tmp_path.glob("things.db.damaged-*")).stat().st_size == 20_000


@pytest.mark.fault(
    "the daemon is killed while a damaged database is exchanged",
    injected="SIGKILL at a random moment of it, ten times",
    observed="the next one finds the damaged one or the new one, with all rows that can be read, and nothing is lost",
)
def test_a_kill_while_it_is_exchanged_leaves_the_old_or_the_new_one(tmp_path: Path) -> None:
    path, rng = tmp_path / "things.db", random.Random(7)
    filled(path)
    put_garbage_in(path, [9], rng)
    for _ in range(10):
        with subprocess.Popen([sys.executable, "-c", EXCHANGES, str(path)]) as process:
            with suppress(subprocess.TimeoutExpired):
                process.wait(rng.uniform(0.1, 0.4))
            process.kill()
        finish_exchange(path)
        assert path.exists()
    saved = exchanged(path)

    assert ROWS - MOST_OF_A_PAGE <= saved < ROWS
    assert len(rows_of(path)) == saved


def test_an_exchange_that_was_killed_between_its_renames_is_finished(tmp_path: Path) -> None:
    path = tmp_path / "things.db"
    filled(path)
    save_rows(path, made)
    path.rename(tmp_path / "things.db.damaged-20260102T030405")
    finish_exchange(path)

    assert len(rows_of(path)) == ROWS


def failure(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = code
    return error


def test_a_failure_of_the_disk_is_damage_where_the_file_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "things.db"
    filled(path)
    (tmp_path / "unreadable").symlink_to("/proc/self/mem")  # reading it from its begin is EIO

    assert is_damage(failure(sqlite3.SQLITE_IOERR_READ), tmp_path / "unreadable")
    assert not is_damage(failure(sqlite3.SQLITE_IOERR_WRITE), path)
    assert not is_damage(failure(sqlite3.SQLITE_IOERR), tmp_path / "gone")
    assert not any(is_damage(failure(code), path) for code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY))
    assert not any(is_damage(failure(code), path) for code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN))
    assert is_damage(failure(sqlite3.SQLITE_NOTADB), path)
    put_garbage_in(path, [9], random.Random(1))
    assert is_damage(failure(sqlite3.SQLITE_IOERR_READ), path)
    assert not is_damage(OSError(), path)
