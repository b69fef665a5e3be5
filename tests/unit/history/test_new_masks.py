"""Masks were drawn: what the history holds in memory, and what it stored of events that last, goes."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tests.eventually import eventually
from tests.frames import frame, prediction
from tests.histories import START_MS, SUMMARY, change
from tests.refusals import naming
from vitcam.errors import VitcamError
from vitcam.frames import Event
from vitcam.history.recorder import Recorder
from vitcam.history.retention import RetentionRules
from vitcam.history.store import EventStore
from vitcam.history.stored import EventChange
from vitcam.history.write_queue import WriteQueue
from vitcam.pictures.encode import encode_jpeg
from vitcam.run.kinds import KeepsCopies

JPEG = encode_jpeg(frame().preview, 80)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EventStore]:
    made = EventStore(tmp_path, RetentionRules())
    made.start()
    yield made
    made.stop(10)


def test_pictures_that_wait_are_forgotten_and_their_events_are_kept() -> None:
    queue = WriteQueue()
    queue.put(change("a", "new", jpeg=JPEG))
    queue.drop_pixels()
    (waiting,) = queue.take(0).changes

    assert waiting.jpeg is None
    assert waiting.event.id == "a"
    assert waiting.event.summary.size == (0, 0)


def test_an_event_whose_picture_is_forgotten_is_still_dated_by_the_clock_that_is_right_later() -> None:
    queue = WriteQueue()
    queue.put(change("a", "new", jpeg=JPEG, booted_ms=START_MS))
    queue.drop_pixels()
    (waiting,) = queue.take(0).changes

    assert waiting.booted_ms == START_MS


def test_a_batch_that_could_not_be_written_comes_back_without_its_pictures() -> None:
    queue = WriteQueue()
    queue.put(change("a", "new", jpeg=JPEG))
    batch = queue.take(0)
    queue.drop_pixels()
    queue.give_back(batch)
    later = queue.take(0)
    queue.give_back(later)  # nothing was drawn meanwhile
    queue.put(change("b", "new", jpeg=JPEG))
    again = queue.take(0)
    queue.give_back(again)

    assert [each.jpeg for each in later.changes] == [None]
    assert [each.jpeg for each in queue.take(0).changes] == [None, JPEG]


def test_the_picture_of_a_box_goes_with_that_of_its_frame(store: EventStore) -> None:
    boxed = replace(change("lasts", "new", jpeg=JPEG, summary=replace(SUMMARY, detail=(128, 72))), detail=JPEG)
    store.put(boxed)
    store._queue.flush()
    lasts = eventually(partial(store.get, "lasts"))
    before = len([*store.folder.rglob("frames/*/*.jpg")])
    store.drop_pixels()
    after = store.get("lasts")

    assert boxed.without_picture().detail is None
    assert lasts is not None
    assert after is not None
    assert (before, store.detail(after), after.summary.detail) == (2, None, None)
    assert [*store.folder.rglob("frames/*/*.jpg")] == []


def test_an_event_that_lasts_loses_its_stored_picture_and_one_that_is_over_keeps_it(store: EventStore) -> None:
    store.put(change("over", "end", jpeg=JPEG))
    store.put(change("lasts", "new", label="cat", jpeg=JPEG))
    store._queue.flush()
    lasts = eventually(partial(store.get, "lasts"))
    before = len([*store.folder.rglob("frames/*/*.jpg")])
    store.drop_pixels()
    over, after = store.get("over"), store.get("lasts")

    assert lasts is not None
    assert lasts.frame is not None
    assert before == 2
    assert over is not None
    assert after is not None
    assert store.picture(over) == JPEG
    assert after.frame is None
    assert len([*store.folder.rglob("frames/*/*.jpg")]) == 1


@pytest.mark.parametrize("by", [EventStore.drop_pixels, lambda store: store.delete("lasts")], ids=["masks", "deleted"])
def test_a_picture_goes_also_where_the_disk_answers_too_late(
    store: EventStore, monkeypatch: pytest.MonkeyPatch, by: Callable[[EventStore], object]
) -> None:
    store.put(change("lasts", "new", label="cat", jpeg=JPEG))
    store._queue.flush()
    assert eventually(partial(store.get, "lasts"))
    assert [*store.folder.rglob("frames/*/*.jpg")]
    began, may_go_on = threading.Event(), threading.Event()

    def wait(_: object) -> None:
        began.set()
        may_go_on.wait(60)

    store._submit(wait, awaited=False)
    assert began.wait(10)
    monkeypatch.setattr("vitcam.history.store._ANSWER_S", 0.2)
    with pytest.raises(VitcamError, match=naming("too slow")):
        by(store)
    may_go_on.set()

    assert eventually(lambda: not [*store.folder.rglob("frames/*/*.jpg")])


class SlowCopies(KeepsCopies):
    """Copies as a slow disk does."""

    def __init__(self) -> None:
        self.began, self.may_end, self.kept = threading.Event(), threading.Event(), list[bytes | None]()

    def correct(self, event_id: str, label: str | None, before: str | None, picture: bytes | None) -> None:
        self.began.set()
        self.may_end.wait(60)
        self.kept.append(picture)

    def forget(self, event_id: str, label: str) -> None: ...


def test_masks_wait_for_the_copy_of_a_picture_that_is_being_corrected(store: EventStore) -> None:
    copies = SlowCopies()
    store._copies = [copies]
    store.put(change("lasts", "new", label="cat", jpeg=JPEG))
    store._queue.flush()
    assert eventually(partial(store.get, "lasts"))
    corrected = threading.Thread(target=store.correct, args=("lasts", "dog"))
    corrected.start()
    assert copies.began.wait(60)
    threading.Timer(0.3, copies.may_end.set).start()
    store.drop_pixels()
    kept = len(copies.kept)
    corrected.join(10)

    assert kept == 1


def test_an_event_that_lasts_gets_the_next_picture_at_once() -> None:
    given: list[EventChange] = []
    recorder = Recorder(given.append)
    seen = frame()
    begun = Event("a", "new", "cup", 0.9, seen.captured_ns, None, "test")
    recorder.saw(seen, prediction("cup", at_ns=seen.captured_ns), (begun,))
    recorder.drop_pixels()
    later = frame()
    recorder.saw(later, prediction("cup", at_ns=later.captured_ns), ())

    assert [each.phase for each in given] == ["new", "update"]
    assert all(each.jpeg for each in given)
