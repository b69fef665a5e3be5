"""Events that look the same show one picture, which stays as long as one of them does."""

from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests.eventually import eventually
from tests.frames import picture
from tests.histories import START_MS, change, is_sound
from vitcam.history.budget import WriteBudget
from vitcam.history.database.connections import open_to_write
from vitcam.history.deduplication import is_alike, thumbnail_of
from vitcam.history.export import labelled_pictures, write_dataset
from vitcam.history.record import stored_record
from vitcam.history.retention import RetentionRules
from vitcam.history.store import EventStore
from vitcam.history.stored import Query, StoredEvent
from vitcam.pictures.encode import encode_jpeg
from vitcam.replay.stored_picture import stored_picture

MINUTE_MS, HOUR_MS = 60_000, 3_600_000


def scene(thing: int = 40, light: int = 0) -> bytes:
    """A grey wall with a thing on it, `thing` px from the left, and a little noise that differs each time."""
    image = picture(180, 320, 100 + light).astype(np.int16)
    image[60:140, thing : thing + 60] += 80
    noise = np.random.default_rng(thing + light).normal(0, 2, image.shape)
    return encode_jpeg(np.clip(image + noise, 0, 255).astype(np.uint8), 80)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EventStore]:
    made = EventStore(tmp_path, RetentionRules(), WriteBudget(50.0))
    made.start()
    yield made
    made.stop(10)


def see(store: EventStore, event_id: str, jpeg: bytes, at_ms: int = 0, **fields: Any) -> StoredEvent:
    """Store an event that is over, and wait for it."""
    start_ms = START_MS + at_ms
    store.put(change(event_id, "end", jpeg=jpeg, start_ms=start_ms, end_ms=start_ms + 1000, **fields))
    store._queue.flush()
    return found(store, event_id)


def found(store: EventStore, event_id: str) -> StoredEvent:
    event = eventually(partial(store.get, event_id))
    assert event is not None
    return event


def files(store: EventStore) -> list[Path]:
    return [*store.folder.rglob("frames/*/*.jpg")]


def test_two_pictures_of_a_scene_are_alike_until_something_in_it_moves_or_the_light_changes() -> None:
    first, again, moved, dark = map(thumbnail_of, (scene(40), scene(41), scene(120), scene(40, light=-20)))
    assert first is not None
    assert again is not None
    assert moved is not None
    assert dark is not None

    assert is_alike(first, again)
    assert not is_alike(first, moved, generous=2.0)
    assert not is_alike(first, dark)
    assert thumbnail_of(b"no picture") is None


def test_an_event_that_looks_like_one_before_shows_its_picture_and_says_so(store: EventStore) -> None:
    first = see(store, "a", scene())
    second = see(store, "b", scene(41), MINUTE_MS)

    assert (first.frame_of, second.frame_of) == (None, "a")
    assert store.picture(second) == store.picture(first) == scene()
    assert stored_record(second)["frame"] == "/api/events/b/frame.jpg"
    assert stored_record(second)["frame_of"] == "a"
    assert second.summary.top == first.summary.top
    assert len(files(store)) == 1


@pytest.mark.parametrize(
    ("jpeg", "fields"),
    [
        (scene(120), {}),
        (scene(), {"label": "cat"}),
        (scene(), {"zone": "door"}),
        (scene(), {"kind": "unknown"}),
        (scene(), {"at_ms": HOUR_MS}),
    ],
    ids=["another picture", "another label", "another zone", "another kind", "an hour later"],
)
def test_an_event_that_differs_has_a_picture_of_its_own(store: EventStore, jpeg: bytes, fields: dict[str, Any]) -> None:
    see(store, "a", scene())
    second = see(store, "b", jpeg, **{"at_ms": MINUTE_MS, **fields})

    assert second.frame_of is None
    assert store.picture(second) == jpeg


def test_an_event_that_lasts_lends_no_picture_since_it_may_get_a_better_one(store: EventStore) -> None:
    store.put(change("a", "new", jpeg=scene()))
    store._queue.flush()
    found(store, "a")

    assert see(store, "b", scene(), MINUTE_MS).frame_of is None


def test_without_a_limit_every_event_has_its_own_picture(tmp_path: Path) -> None:
    store = EventStore(tmp_path)
    store.start()
    see(store, "a", scene())
    second = see(store, "b", scene(), MINUTE_MS)
    store.stop(10)

    assert second.frame_of is None
    assert len(files(store)) == 2


def test_while_the_budget_is_short_pictures_of_the_whole_day_are_shown_again(tmp_path: Path) -> None:
    budget = WriteBudget(50.0)
    store = EventStore(tmp_path, budget=budget)
    store.start()
    see(store, "a", scene())
    budget.picture(30_000_000)
    alike = see(store, "b", scene(), 5 * HOUR_MS)
    other = see(store, "c", scene(120), 6 * HOUR_MS)
    store.stop(10)

    assert alike.frame_of == "a"
    assert (other.frame, other.frame_of) == (None, None), "nothing may be written any more"


def test_the_picture_of_a_deleted_event_goes_to_the_oldest_that_shows_it(store: EventStore) -> None:
    for number, event_id in enumerate("abc"):
        see(store, event_id, scene(), number * MINUTE_MS)
    store.delete("a")
    second, third = found(store, "b"), found(store, "c")

    assert (second.frame_of, third.frame_of) == (None, "b")
    assert store.picture(second) == store.picture(third) == scene()
    assert second.summary.top
    store.delete("b")
    store.delete("c")
    assert files(store) == []
    assert eventually(lambda: store.state().events == 0)
    assert store.state().mb < 0.1


def test_all_events_of_a_label_are_deleted_with_the_picture_that_they_share(store: EventStore) -> None:
    for number, event_id in enumerate("abc"):
        see(store, event_id, scene(), number * MINUTE_MS)
    other = see(store, "d", scene(120), label="cat")

    assert store.delete_some(Query(label="cup")) == 3
    assert files(store) == [store.folder / str(other.frame)]


def test_an_event_whose_lender_was_deleted_gets_a_picture_of_its_own(store: EventStore) -> None:
    see(store, "a", scene())
    store.delete("a")
    second = see(store, "b", scene(), MINUTE_MS)

    assert second.frame_of is None
    assert store.picture(second) == scene()


def test_retention_takes_the_oldest_and_leaves_their_picture_with_those_that_stay(tmp_path: Path) -> None:
    store = EventStore(tmp_path, RetentionRules(), WriteBudget(50.0))
    store.start()
    for number in range(4):
        see(store, str(number), scene(), number * MINUTE_MS)
    store.set_favourite("3", True)
    store.stop(10)
    store = EventStore(tmp_path, RetentionRules(keep_days=1))
    store.start()
    assert eventually(lambda: store.get("0") is None)
    last = found(store, "3")
    store.stop(10)

    assert (last.frame_of, store.picture(last)) == (None, scene())
    assert is_sound(tmp_path)


def test_a_start_keeps_a_picture_that_was_passed_on_and_removes_what_no_event_names(store: EventStore) -> None:
    see(store, "a", scene())
    see(store, "b", scene(), MINUTE_MS)
    store.delete("a")
    store.stop(10)
    (kept,) = files(store)
    kept.with_name("lost-0000.jpg").write_bytes(scene())
    again = EventStore(store.folder, RetentionRules())
    again.start()
    found(again, "b")

    assert eventually(lambda: files(store) == [kept])
    again.stop(10)


def test_a_better_picture_that_looks_like_another_events_takes_the_place_of_an_own_one(store: EventStore) -> None:
    see(store, "a", scene())
    store.put(change("b", "new", jpeg=scene(120), start_ms=START_MS + MINUTE_MS))
    store._queue.flush()
    own = found(store, "b")
    store.put(change("b", "end", jpeg=scene(), start_ms=START_MS + MINUTE_MS, end_ms=START_MS + 2 * MINUTE_MS))
    store._queue.flush()
    after = eventually(lambda: event if (event := store.get("b")) and event.frame_of else None)

    assert own.frame_of is None
    assert after is not None
    assert store.picture(after) == scene()
    assert eventually(lambda: len(files(store)) == 1)


def test_a_replay_knows_that_a_picture_is_shared_and_has_the_guesses_of_that_picture(store: EventStore) -> None:
    first = see(store, "a", scene())
    see(store, "b", scene(41), MINUTE_MS)
    replayed, record = stored_picture(store, "b")

    assert (replayed.frame_of, record["frame_of"]) == ("a", "a")
    assert replayed.top == first.summary.top
    assert replayed.jpeg == scene()


def test_a_picture_that_several_events_share_is_exported_once_for_training(store: EventStore, tmp_path: Path) -> None:
    for number, event_id in enumerate("abc"):
        see(store, event_id, scene(), number * MINUTE_MS)
    store.correct("b", "mug")

    assert write_dataset(labelled_pictures(store, Query()), tmp_path / "out") == 2
    assert sorted(path.parent.name for path in (tmp_path / "out").rglob("*.jpg")) == ["cup", "mug"]


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


def test_noise_of_a_camera_in_the_dark_is_alike_and_a_small_thing_is_not() -> None:
    rng = np.random.default_rng(0)
    dark = np.clip(rng.normal(20, 12, (720, 1280, 3)), 0, 255).astype(np.uint8)
    again = np.clip(rng.normal(20, 12, (720, 1280, 3)), 0, 255).astype(np.uint8)
    cat = cv2.rectangle(again.copy(), (600, 400), (700, 480), (90, 90, 90), -1)
    one, two, three = (thumbnail_of(encode_jpeg(image, 80)) for image in (dark, again, cat))
    assert one is not None
    assert two is not None
    assert three is not None

    assert is_alike(one, two)
    assert not is_alike(one, three)
