"""What the pipeline shows to viewers while it classifies, and what it leaves undone while nobody looks."""

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from tests.eventually import eventually
from tests.frames import frame
from tests.pipelines import PATIENCE_S, Numbered, answer, started, taking, waiting
from vitcam.frames import Frame, Prediction
from vitcam.look.active_areas import ActiveAreas
from vitcam.pipeline import latest_frame
from vitcam.pipeline.beats import Beats
from vitcam.pipeline.latest_frame import ClassifiedFrame
from vitcam.pipeline.limits import PaceLimits
from vitcam.pipeline.pipeline import Pipeline
from vitcam.slot import Slot
from vitcam.sources.source import Source


def pairs_shown(open_source: Callable[[], Source]) -> list[tuple[int, int]]:
    """Run a source to its end; the numbers of each picture that was shown and of the prediction it was shown with."""
    pairs: list[tuple[int, int]] = []
    pipeline = waiting()

    def look() -> None:
        latest = pipeline.latest.peek()
        if latest is not None and latest.prediction is not None:
            pairs.append((latest.frame.seq, latest.prediction.seq))

    pipeline.latest.subscribe(look)
    pipeline.start(open_source)
    assert pipeline.over.wait(PATIENCE_S)
    pipeline.stop(1)
    return pairs


def test_the_preview_goes_on_at_the_cameras_rate_when_little_is_classified() -> None:
    pipeline = started(lambda: Numbered(100_000, live=True, every_s=0.01), max_fps=1)
    assert eventually(lambda: pipeline.latest.peek() is not None)
    versions, began = pipeline.latest.version, time.monotonic()
    enough = eventually(lambda: pipeline.latest.version > versions + 60)
    latest, newest = pipeline.latest.peek(), pipeline.predicted.peek()
    rate = (pipeline.latest.version - versions) / (time.monotonic() - began)
    classified = pipeline.state().frames.classified
    pipeline.stop(1)

    assert enough
    assert rate > 5, "the model looks once a second"
    assert classified <= 4
    assert latest is not None
    assert newest is not None
    assert latest.prediction is newest
    assert latest.frame.seq > newest.seq


def test_a_model_that_keeps_up_has_each_frame_shown_with_its_own_prediction() -> None:
    pairs = pairs_shown(lambda: Numbered(50, live=True, every_s=0.02))

    own = sum(frame == predicted for frame, predicted in pairs)
    assert own >= 0.9 * len(pairs) > 30


def test_pictures_and_predictions_shown_never_go_back_in_time() -> None:
    seen: list[tuple[int, int]] = []
    pipeline = waiting(taking(0.015))

    def look() -> None:
        if (latest := pipeline.latest.peek()) is not None:
            seen.append((latest.frame.seq, -1 if latest.prediction is None else latest.prediction.seq))

    looking = threading.Event()

    def keep_looking() -> None:
        while not looking.wait(0.001):
            look()

    watcher = threading.Thread(target=keep_looking)
    watcher.start()
    pipeline.start(lambda: Numbered(200, live=True, every_s=0.004))
    assert pipeline.over.wait(PATIENCE_S)
    looking.set()
    watcher.join()
    pipeline.stop(1)

    assert [frame for frame, _ in seen] == sorted(frame for frame, _ in seen)
    assert [predicted for _, predicted in seen] == sorted(predicted for _, predicted in seen)
    assert any(frame > predicted for frame, predicted in seen)


def test_while_the_gate_rests_the_last_prediction_stays_in_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(latest_frame, "VALID_S", 0.1)
    pipeline = started(lambda: Numbered(100_000, live=True, every_s=0.01), gate=lambda frame: frame.seq == 0)
    rests = eventually(lambda: pipeline.state().frames.skipped > 60)
    latest = pipeline.latest.peek()
    pipeline.stop(1)

    assert rests
    assert latest is not None
    assert latest.frame.seq > 50
    assert latest.prediction is not None
    assert latest.prediction.seq == 0


@pytest.mark.fault(
    "inference hangs while people watch",
    injected="a model that never answers",
    observed="the picture moves; the old overlay disappears",
)
def test_a_model_that_hangs_leaves_the_picture_moving_and_takes_its_overlay_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(latest_frame, "VALID_S", 0.1)
    forever = threading.Event()

    def hang(frame: Frame) -> Prediction:
        if frame.seq > 0:
            forever.wait(PATIENCE_S)
        return answer(frame)

    pipeline = started(lambda: Numbered(100_000, live=True, every_s=0.01), hang)
    bare = eventually(lambda: (latest := pipeline.latest.peek()) is not None and latest.prediction is None)
    version = pipeline.latest.version
    moves = eventually(lambda: pipeline.latest.version > version + 5)
    forever.set()
    pipeline.stop(1)

    assert bare
    assert moves


def test_pictures_of_files_are_shown_with_their_own_prediction_only() -> None:
    pairs = pairs_shown(lambda: Numbered(30))

    assert set(pairs) == {(seq, seq) for seq in range(30)}


class Picky(Numbered):
    """A live source that asks before it makes a frame."""

    wanted: Callable[[], bool]

    def __iter__(self) -> Iterator[Frame]:
        return (frame for frame in super().__iter__() if self.wanted())


def picky(max_fps: float, gate: Callable[[Frame], bool] | None = None) -> Pipeline:
    source = Picky(1000, live=True, every_s=0.01)
    pipeline = waiting(max_fps=max_fps, gate=gate)
    source.wanted = pipeline.wants_frame
    pipeline.start(lambda: source)
    return pipeline


def test_no_work_is_put_into_pictures_that_neither_model_nor_viewer_will_see() -> None:
    began = time.monotonic()
    pipeline = picky(max_fps=2)
    enough = eventually(lambda: pipeline.state().frames.captured > 80)
    frames, made, took_s = pipeline.state().frames, pipeline.latest.version, time.monotonic() - began
    pipeline.stop(1)

    assert enough
    assert 1 <= frames.classified <= 2 * took_s + 2
    assert frames.captured - frames.classified - 2 <= frames.dropped <= frames.captured - frames.classified
    assert made < 0.3 * frames.captured


def test_a_viewer_is_shown_pictures_that_the_model_does_not_want() -> None:
    pipeline = picky(max_fps=0.1)
    eventually(lambda: pipeline.state().frames.classified >= 1)
    unseen = pipeline.state().frames.captured + 10
    eventually(lambda: pipeline.state().frames.captured > unseen)
    before, told = pipeline.latest.version, threading.Event()
    unsubscribe = pipeline.latest.subscribe(told.set)
    notified = told.wait(PATIENCE_S)
    after = pipeline.latest.version
    unsubscribe()
    pipeline.stop(1)

    assert notified
    assert after > before


def test_a_motion_gate_is_shown_every_picture() -> None:
    asked: list[int] = []

    def gate(frame: Frame) -> bool:
        asked.append(frame.seq)
        return False

    pipeline = picky(max_fps=1, gate=gate)
    enough = eventually(lambda: len(asked) > 40)
    frames = pipeline.state().frames
    pipeline.stop(1)

    assert len(asked) >= frames.captured - frames.dropped - 1
    assert enough


def test_a_frame_that_was_skipped_late_does_not_replace_a_newer_one() -> None:
    slot: Slot[ClassifiedFrame] = Slot()
    latest = latest_frame.LatestFrame(slot, 0.0, PaceLimits(), Beats(), ActiveAreas())
    older, newer = frame(1), frame(2)  # captured in this order
    latest.captured(newer)
    latest.captured(older)
    shown = slot.peek()

    assert shown is not None
    assert shown.frame is newer
