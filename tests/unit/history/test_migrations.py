"""Databases of older versions become those of this one, with all that is in them."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.histories import is_sound
from vitcam.errors import VitcamError
from vitcam.frames import Shown
from vitcam.history.database.connections import FILE, open_to_write
from vitcam.history.database.counts import by_label_and_quarter
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
        assert (event.track, event.box, event.summary.detail) == (None, None, None)
        assert [each.id for each in find(new, Query(text="CU", zone="door"), 10).events] == ["old"]
    assert is_sound(tmp_path)


def test_events_of_before_get_what_is_displayed_of_them(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as old:
        migrate(old, MIGRATIONS[:5])
        for event_id, p, group, kind in (
            ("sure", 0.7, None, "seen"),
            ("group", 0.45, "Cat", "seen"),
            ("unsure", 0.4, None, "seen"),
            ("problem", 1.0, None, "problem"),
        ):
            old.execute(ROW.replace("old", event_id).replace("cup", "tabby cat"))
            old.execute(
                "UPDATE events SET p = ?, group_name = ?, group_p = ?, kind = ? WHERE id = ?",
                (p, group, group and 0.9, kind, event_id),
            )
    with closing(open_to_write(tmp_path)) as new:
        found = {event.id: event for event in find(new, Query(), 10).events}

        assert {event_id: event.shown for event_id, event in found.items()} == {
            "sure": Shown("tabby cat", 0.7, "label"),
            "group": Shown("Cat", 0.9, "group"),
            "unsure": Shown(None, 0.4, "none"),
            "problem": Shown(None, 1.0, "none"),
        }
        assert [event.id for event in find(new, Query(label="cat"), 10).events] == ["group"]
        assert len(find(new, Query(label="TABBY cat"), 10).events) == 4
        assert by_label_and_quarter(new, Query(label="cat")) == [(0, "Cat", 1)]
        assert by_label_and_quarter(new, Query()) == [(0, "Cat", 1), (0, "tabby cat", 3)]
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
