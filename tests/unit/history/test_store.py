"""The event store on a real disk."""

import threading
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from tests.eventually import eventually
from tests.frames import picture
from tests.histories import START_MS, change, is_sound
from vitcam.history.database.connections import open_to_write
from vitcam.history.store import EventStore
from vitcam.history.stored import Action, Query
from vitcam.pictures.encode import encode_jpeg

JPEG = encode_jpeg(picture(), 80)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EventStore]:
    made = EventStore(tmp_path)
    made.start()
    yield made
    made.stop(10)


def test_an_event_is_told_once_it_is_on_the_disk_with_its_picture(store: EventStore) -> None:
    told: list[tuple[str, str, bytes | None]] = []
    store.follow(lambda event, phase: told.append((event.id, phase, store.picture(event))))
    store.put(change("a", "new", jpeg=JPEG))

    assert eventually(lambda: told) == [("a", "new", JPEG)]
    assert [event.id for event in store.find(Query()).events] == ["a"]


def test_a_better_picture_takes_the_place_of_the_one_before(store: EventStore, tmp_path: Path) -> None:
    store.put(change("a", "new", jpeg=JPEG))
    first = eventually(lambda: store.get("a"))
    assert first is not None
    store.put(change("a", "end", jpeg=JPEG + b"better"))
    last = eventually(lambda: event if (event := store.get("a")) and event.end_ms else None)

    assert last is not None
    assert store.picture(last) == JPEG + b"better"
    assert eventually(lambda: len([*tmp_path.rglob("*.jpg")]) == 1)


def test_what_a_rule_did_is_kept_even_if_it_comes_before_its_event(store: EventStore) -> None:
    store.note_action("a", Action("door", "webhook", "waiting"))
    store.put(change("a", "new"))
    assert eventually(lambda: (event := store.get("a")) and event.actions)
    store.note_action("a", Action("door", "webhook", "ok", "200"))

    assert eventually(lambda: (event := store.get("a")) and [each.status for each in event.actions] == ["ok"])


def test_what_is_added_to_an_event_later_is_told_too(store: EventStore, tmp_path: Path) -> None:
    told: list[tuple[str, bool, int, bool, str | None]] = []
    store.follow(
        lambda event, phase: told.append(
            (phase, event.clip is not None, len(event.actions), event.favourite, event.corrected)
        )
    )
    (tmp_path / "clips").mkdir()
    (tmp_path / "clips" / "a.mp4").write_bytes(b"video")
    store.put(change("a", "end"))
    store.attach_clip("a", tmp_path / "clips" / "a.mp4")
    assert eventually(lambda: len(told) == 3)
    store.note_action("a", Action("door", "webhook", "ok"))
    assert eventually(lambda: len(told) == 4)
    store.set_favourite("a", True)
    store.correct("a", "mug")

    assert eventually(lambda: len(told) == 6)
    assert [phase for phase, *_ in told] == ["new", "end", "", "", "", ""]
    assert [each for _, *each in told[2:]] == [
        [True, 0, False, None],
        [True, 1, False, None],
        [True, 1, True, None],
        [True, 1, True, "mug"],
    ]


def test_begin_and_end_of_each_event_are_told_however_much_is_written_at_once(tmp_path: Path) -> None:
    store = EventStore(tmp_path)
    told: list[tuple[str, str, bool]] = []
    store.follow(lambda event, phase: told.append((event.id, phase, event.end_ms is None)))
    names = [f"e{number}" for number in range(30)]
    for name in names:
        store.put(change(name, "new"))
        store.put(change(name, "end"))
        for number in range(9):
            store.note_action(name, Action(f"rule {number}", "webhook", "ok"))
    store.start()
    assert eventually(lambda: sum(phase == "end" for _, phase, _ in told) == 30)
    store.stop(10)

    assert [told_of for told_of in told if told_of[1]] == [
        each for name in names for each in ((name, "new", True), (name, "end", False))
    ]


def test_who_missed_the_end_of_a_long_event_gets_it_however_many_came_since(store: EventStore) -> None:
    for number in range(60):
        store.put(change(f"e{number:02}", "new", start_ms=START_MS + number))
        if number:
            store.put(change(f"e{number:02}", "end", start_ms=START_MS + number, end_ms=START_MS + number))
        assert eventually(lambda number=number: store.get(f"e{number:02}"))  # type: ignore[misc]
    store.put(change("e00", "end", end_ms=START_MS + 1000))
    assert eventually(lambda: (event := store.get("e00")) and event.end_ms)

    missed = [event.id for event in store.after("e59")]
    assert missed[0] == "e00"
    assert missed[1:] == [f"e{number}" for number in range(44, 60)]


def test_what_waits_is_written_before_the_store_ends(tmp_path: Path) -> None:
    store = EventStore(tmp_path)
    for number in range(20):
        store.put(change(f"{number}", "new", jpeg=JPEG))
    store.start()
    store.stop(10)

    assert len(EventStore(tmp_path).find(Query()).events) == 20
    assert is_sound(tmp_path)


def test_deleting_makes_the_file_smaller(store: EventStore, tmp_path: Path) -> None:
    for number in range(400):
        store.put(change(f"{number:03}", "end", curve=tuple((ms, 0.5) for ms in range(60))))
        if number % 50 == 49:
            assert eventually(partial(store.get, f"{number:03}"))  # the queue has room for 64
    assert store.delete_some(Query(since_ms=1)) == 400

    assert (tmp_path / "events.db").stat().st_size < 100_000
    assert (tmp_path / "events.db-wal").stat().st_size == 0


def test_a_picture_that_is_waited_for_comes_with_its_event_and_not_later(store: EventStore) -> None:
    found: list[str | None] = []

    def waits() -> None:
        event = store.wait_for_picture("a", 60.0)
        found.append(event.frame if event else None)

    waiting = threading.Thread(target=waits)
    waiting.start()
    store.put(change("other", "new"))
    assert eventually(lambda: store.get("other"))
    store.put(change("a", "new", jpeg=JPEG))
    waiting.join(60)

    assert found[0] is not None
    assert found[0].startswith("frames/")


def test_while_nobody_looks_events_wait_for_others_until_somebody_asks_or_the_store_ends(tmp_path: Path) -> None:
    store = EventStore(tmp_path, together_s=60.0)
    store.start()
    store.put(change("a", "end"))
    assert not eventually(lambda: store.find(Query()).events, within_s=0.3)
    store.set_favourite("none", True)  # what a person asks for is done at once, with all that waits
    assert [event.id for event in store.find(Query()).events] == ["a"]
    store.put(change("b", "end"))
    store.viewer_asked()
    assert eventually(lambda: store.find(Query()).events[0].id == "b")
    store.stop(10)
    again = EventStore(tmp_path, together_s=60.0)
    again.start()
    again.put(change("c", "end"))
    again.stop(10)

    assert len(store.find(Query()).events) == 3


def test_an_update_in_which_nothing_changed_writes_no_index(tmp_path: Path) -> None:
    store = EventStore(tmp_path)
    store.start()
    for number in range(60):
        store.put(change(f"{number:03}", "new", start_ms=START_MS + number))
        assert eventually(partial(store.get, f"{number:03}"))
    store.stop(10)
    with closing(open_to_write(tmp_path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        store = EventStore(tmp_path)
        store.start()
        store.put(change("030", "new", start_ms=START_MS + 30))
        store.stop(10)
        pages = ((tmp_path / "events.db-wal").stat().st_size - 32) // (1024 + 24)

    assert pages <= 2
