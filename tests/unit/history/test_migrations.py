"""Databases of older versions become those of this one, with all that is in them."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.histories import is_sound
from vitcam.errors import VitcamError
from vitcam.history.database.connections import FILE, open_to_write
from vitcam.history.database.schema import MIGRATIONS, migrate, version_of
from vitcam.history.database.search import find, get
from vitcam.history.stored import Query

ROW = """INSERT INTO events (id, kind, label, zone, camera, start_ms, seen_ms, p, peak, sight, curve)
VALUES ('old', 'seen', 'cup', 'door', 'demo', 1000, 2000, 0.5, 0.5,
    '{"top": [["cup", 0.5]], "size": [0, 0], "crop": [0, 0, 0, 0], "grid": null, "familiarity": null}', x'')"""


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS) + 1))
def test_an_older_history_is_brought_up_to_date_with_its_events(tmp_path: Path, version: int) -> None:
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as old:
        migrate(old, MIGRATIONS[:version])
        old.execute(ROW)
    with closing(open_to_write(tmp_path)) as new:
        event = get(new, "old")

        assert version_of(new) == len(MIGRATIONS)
        assert event is not None
        assert (event.label, event.name, event.start_ms) == ("cup", "cup", 1000)
        assert [each.id for each in find(new, Query(text="CU", zone="door"), 10).events] == ["old"]
    assert is_sound(tmp_path)


def test_a_migration_that_fails_leaves_the_older_version(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as connection:
        migrate(connection)
        with pytest.raises(sqlite3.Error):
            migrate(connection, (*MIGRATIONS, ("CREATE TABLE more (n INTEGER) STRICT", "nonsense")))

        assert version_of(connection) == len(MIGRATIONS)
        assert connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'more'").fetchone() is None


def test_a_newer_history_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with closing(open_to_write(tmp_path)) as newer:
        newer.execute("PRAGMA user_version = 99")

    with pytest.raises(VitcamError, match="has version 99, and this vitcam knows versions up to"):
        open_to_write(tmp_path)
