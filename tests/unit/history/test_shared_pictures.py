"""Events of earlier versions that show the picture of another one: it stays as long as one of them does."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from tests.eventually import eventually
from tests.frames import picture
from tests.histories import START_MS, is_sound
from vitcam.history.database.connections import FILE
from vitcam.history.database.schema import MIGRATIONS, migrate
from vitcam.history.export import labelled_pictures, write_dataset
from vitcam.history.picture_files import detail_of
from vitcam.history.record import stored_record
from vitcam.history.retention import RetentionRules
from vitcam.history.store import EventStore
from vitcam.history.stored import Query, StoredEvent
from vitcam.pictures.encode import encode_jpeg

FIRST, NEWEST = 4, len(MIGRATIONS)
"""Versions of the tables in which events share pictures; 0.1.0 has made version 5, 6969bc83 version 8."""
JPEG, DETAIL = encode_jpeg(picture(72, 128), 80), encode_jpeg(picture(30, 30), 80)
FRAME = "frames/2026-01-01/a-0000.jpg"
SIGHT = '{"top": [["cup", 0.9]], "size": [128, 72], "crop": [28, 0, 72, 72], "grid": null, "familiarity": null}'
ROW = """INSERT INTO events (id, kind, label, camera, start_ms, end_ms, seen_ms, p, peak, curve, sight, frame,
    frame_bytes, shared, shares) VALUES (?, 'seen', ?, 'test', ?, ?, ?, 0.9, 0.9, x'', ?, ?, ?, ?, ?)"""


def written_before(folder: Path, version: int = NEWEST) -> None:
    """A state folder in which the events a, b and c show the picture that was taken of a; d has one of its own."""
    with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as connection:
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        migrate(connection, MIGRATIONS[:version])
        for number, (event_id, label, frame, shared) in enumerate(
            (("a", "cup", FRAME, None), ("b", "cup", None, 1), ("c", "cup", None, 1), ("d", "cat", own("d"), None))
        ):
            at_ms = START_MS + 60_000 * number
            size = len(JPEG + DETAIL) if frame else 0
            values = (SIGHT if frame else "", frame, size, shared, int(event_id == "a"))
            connection.execute(ROW, (event_id, label, at_ms, at_ms + 1000, at_ms + 1000, *values))
            if frame:
                for name, content in ((frame, JPEG), (detail_of(frame), DETAIL)):
                    (folder / name).parent.mkdir(parents=True, exist_ok=True)
                    (folder / name).write_bytes(content)


def own(event_id: str) -> str:
    return FRAME.replace("a-", f"{event_id}-")


@pytest.fixture(params=range(FIRST, NEWEST + 1))
def store(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[EventStore]:
    written_before(tmp_path, request.param)
    made = EventStore(tmp_path, RetentionRules(keep_days=0))
    made.start()
    assert eventually(lambda: made.state().events == 4)
    yield made
    made.stop(10)
    assert is_sound(tmp_path)


def found(store: EventStore, event_id: str) -> StoredEvent:
    event = eventually(partial(store.get, event_id))
    assert event is not None
    return event


def files(store: EventStore) -> set[str]:
    return {str(path.relative_to(store.folder)) for path in store.folder.rglob("frames/*/*.jpg")}


def test_an_event_shows_the_picture_of_another_one_with_its_guesses_and_says_so(store: EventStore) -> None:
    first, second = found(store, "a"), found(store, "b")

    assert (first.frame_of, second.frame_of) == (None, "a")
    assert store.picture(second) == store.picture(first) == JPEG
    assert stored_record(second)["frame"] == "/api/events/b/frame.jpg"
    assert stored_record(second)["frame_of"] == "a"
    assert second.summary.top == first.summary.top


def test_a_picture_goes_to_the_oldest_event_that_shows_it_and_with_the_last_one(store: EventStore) -> None:
    kept_mb = store.state().mb
    store.delete("a")
    second, third = found(store, "b"), found(store, "c")

    assert (second.frame_of, third.frame_of) == (None, "b")
    assert store.picture(second) == store.picture(third) == JPEG
    assert second.summary.top
    assert store.state().mb == pytest.approx(kept_mb, abs=0.01), "the same files are there"
    store.delete("b")
    assert store.picture(found(store, "c")) == JPEG
    store.delete("c")
    assert files(store) == {own("d"), detail_of(own("d"))}


def test_all_events_of_a_label_are_deleted_with_the_picture_that_they_share(store: EventStore) -> None:
    assert store.delete_some(Query(label="cup")) == 3
    assert files(store) == {own("d"), detail_of(own("d"))}


def test_where_room_is_short_the_oldest_go_and_leave_their_picture_with_those_that_stay(tmp_path: Path) -> None:
    written_before(tmp_path)
    store = EventStore(tmp_path)
    store.start()
    store.set_favourite("c", True)
    store.stop(10)
    store = EventStore(tmp_path, RetentionRules(keep_days=0, max_mb=0.0001))
    store.start()
    assert eventually(lambda: store.get("a") is None and store.get("b") is None and store.get("d") is None)
    last = found(store, "c")
    store.stop(10)

    assert (last.frame_of, store.picture(last)) == (None, JPEG)
    assert files(store) == {FRAME, detail_of(FRAME)}


def test_a_start_keeps_a_picture_that_was_passed_on_and_removes_what_no_event_names(store: EventStore) -> None:
    store.delete("a")
    store.stop(10)
    (store.folder / own("lost")).write_bytes(JPEG)
    again = EventStore(store.folder, RetentionRules(keep_days=0))
    again.start()
    found(again, "b")

    assert eventually(lambda: own("lost") not in files(store))
    assert files(store) == {FRAME, detail_of(FRAME), own("d"), detail_of(own("d"))}
    again.stop(10)


def test_a_picture_that_several_events_share_is_exported_once_for_training(store: EventStore, tmp_path: Path) -> None:
    store.correct("b", "mug")

    assert write_dataset(labelled_pictures(store, Query()), tmp_path / "out") == 3
    assert sorted(path.parent.name for path in (tmp_path / "out").rglob("*.jpg")) == ["cat", "cup", "mug"]


def test_a_picture_that_cannot_be_read_costs_no_other_one_in_an_export(
    store: EventStore, caplog: pytest.LogCaptureFixture
) -> None:
    path = store.folder / own("d")
    path.unlink()
    path.mkdir()  # as a damaged card may show it
    left = {event_id for _, event_id, _ in labelled_pictures(store, Query())}

    assert left
    assert "d" not in left
    assert "cannot be read" in caplog.text
