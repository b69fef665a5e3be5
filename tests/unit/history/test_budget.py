"""The budget of writes: what is left out when too much happens, and that events are not."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.eventually import eventually
from tests.frames import SECOND, frame, picture, prediction
from tests.histories import change
from vitcam.frames import Event
from vitcam.history.budget import PictureSize, WriteBudget
from vitcam.history.recorder import Recorder
from vitcam.history.retention import RetentionRules
from vitcam.history.store import EventStore
from vitcam.history.stored import EventChange, Query
from vitcam.pictures.decode import decode_image
from vitcam.pictures.encode import encode_jpeg

JPEG = encode_jpeg(picture(), 80)


def test_pictures_get_smaller_and_are_then_left_out() -> None:
    budget = WriteBudget(1.0)
    found = [budget.picture_size()]
    for _ in range(16):
        budget.picture(20_000)
        found.append(budget.picture_size())

    assert found[0] is PictureSize.FULL
    assert found == sorted(found, reverse=True)
    assert set(found) == {PictureSize.FULL, PictureSize.SMALL, PictureSize.NONE}


def test_a_budget_of_zero_is_no_limit() -> None:
    budget = WriteBudget(0)
    budget.picture(10**12)

    assert (budget.picture_size(), budget.wait_s()) == (PictureSize.FULL, 0)


@pytest.mark.parametrize(("budget", "size"), [(PictureSize.FULL, (640, 360)), (PictureSize.SMALL, (320, 180))])
def test_a_smaller_picture_keeps_its_crop_in_place(budget: PictureSize, size: tuple[int, int]) -> None:
    changes: list[EventChange] = []
    recorder = Recorder(changes.append, lambda: budget)
    seen = replace(prediction(at_ns=SECOND), size=(640, 360))
    recorder.saw(frame(image=picture(360, 640)), seen, (Event("a", "new", "cup", 0.9, 0, None, "test"),))
    jpeg, summary = changes[0].jpeg, changes[0].event.summary

    assert jpeg is not None
    assert decode_image(jpeg).shape[1::-1] == summary.size == size
    assert summary.crop.x == 28 * size[0] // 640


def test_a_few_commits_come_soon_and_more_of_them_wait_unless_somebody_looks() -> None:
    budget = WriteBudget(50.0)
    waits, watched = [], []
    for _ in range(13):
        waits.append(budget.wait_s())
        watched.append(budget.wait_s(watched=True))
        budget.commit(1)

    assert max(waits[:10]) == 5
    assert 80 < waits[10] < 90 < waits[11] < waits[12] <= 180
    assert max(watched) < 0.1


def test_without_budget_an_event_has_its_guesses_and_no_picture(tmp_path: Path) -> None:
    budget = WriteBudget(0.001)
    budget.picture(10**6)
    store = EventStore(tmp_path, budget=budget)
    store.put(change("a", "end", jpeg=JPEG))
    store.start()
    store.stop(10)
    event = store.get("a")

    assert event is not None
    assert (event.frame, event.summary.size) == (None, (0, 0))
    assert [guess.label for guess in event.summary.top] == ["cup", "bowl"]
    assert list(tmp_path.rglob("*.jpg")) == []


def test_events_wait_longer_for_each_other_the_less_may_be_written() -> None:
    budget = WriteBudget(1.0)
    waits, watched = [budget.wait_s()], [budget.wait_s(watched=True)]
    for _ in range(10):
        budget.picture(20_000)
        waits.append(budget.wait_s())
        watched.append(budget.wait_s(watched=True))

    assert waits[0] == 5, "nobody waits"
    assert watched[0] < 0.001
    assert waits == sorted(waits)
    assert watched == sorted(watched)
    assert waits[-1] == pytest.approx(180, abs=0.1)
    assert 30 < watched[-1] < 120


@pytest.mark.parametrize(("budget", "most"), [(PictureSize.FULL, 64), (PictureSize.NONE, 12)])
def test_without_budget_a_long_event_has_a_coarser_curve(budget: PictureSize, most: int) -> None:
    changes: list[EventChange] = []
    recorder = Recorder(changes.append, lambda: budget)
    begun = Event("a", "new", "cup", 0.9, 0, None, "test")
    for i in range(600):
        recorder.saw(frame(), prediction(at_ns=i * SECOND // 10), (begun,) if i == 0 else ())
    recorder.close((replace(begun, phase="end", end_ns=60 * SECOND),))
    curve = changes[-1].event.curve

    assert most / 2 < len(curve) <= most
    assert curve[0][0] == 0
    assert curve[-1][0] > 50_000


def test_events_that_wait_for_others_are_still_written_at_the_end(tmp_path: Path) -> None:
    budget = WriteBudget(0.001)
    budget.picture(10**6)
    store = EventStore(tmp_path, RetentionRules(), budget)
    store.start()
    for number in range(5):
        store.put(change(str(number), "new"))
    store.set_favourite("none", True)  # what a person asks for is done at once, with all that waits

    assert eventually(lambda: len(store.find(Query()).events) == 5)
    store.put(change("last", "new"))
    store.stop(10)
    assert store.get("last")
