import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import TracebackType
from typing import Self

import pytest

import vitcam.pipeline
from tests.frames import frame, prediction
from vitcam.errors import ModelError, SourceError, SourceLost
from vitcam.frames import Frame, Prediction
from vitcam.pipeline import Job, Pipeline
from vitcam.sources.source import Source

PATIENCE_S = 20


class Numbered:
    """A source that gives `count` numbered frames, then ends or fails."""

    def __init__(self, count: int, live: bool = False, every_s: float = 0.0, then: Exception | None = None) -> None:
        self.live = live
        self._count = count
        self._every_s = every_s
        self._then = then
        self._stopped = False
        self.closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closed = True

    def stop(self) -> None:
        self._stopped = True

    def __iter__(self) -> Iterator[Frame]:
        for seq in range(self._count):
            time.sleep(self._every_s)
            if self._stopped:
                return
            yield frame(seq)
        if self._then is not None:
            raise self._then


def answer(shown: Frame) -> Prediction:
    return replace(prediction(), seq=shown.seq, captured_ns=shown.captured_ns)


def started(
    opener: Callable[[], Source],
    classify: Callable[[Frame], Prediction] = answer,
    publish: Callable[[Prediction], None] = lambda _: None,
    patient: bool = False,
    max_fps: float = 0.0,
) -> Pipeline:
    pipeline = Pipeline(Job(opener, "test", "model", patient, max_fps), classify, publish)
    pipeline.start()
    return pipeline


def eventually(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.01)
    return False


def test_every_frame_of_a_file_is_classified_and_published_in_order() -> None:
    published: list[int] = []
    pipeline = started(lambda: Numbered(200), publish=lambda p: published.append(p.seq))

    assert pipeline.over.wait(PATIENCE_S)
    assert published == list(range(200))
    assert pipeline.dropped == 0
    assert pipeline.stop(1)


def test_a_live_source_is_never_waited_for_and_what_is_lost_is_counted() -> None:
    def slow(shown: Frame) -> Prediction:
        time.sleep(0.02)
        return answer(shown)

    seen: list[int] = []
    pipeline = started(lambda: Numbered(300, live=True, every_s=0.001), slow, lambda p: seen.append(p.seq))

    assert pipeline.over.wait(PATIENCE_S)
    assert seen == sorted(seen)
    assert seen[-1] == 299
    assert pipeline.state().frames.classified + pipeline.dropped == 300
    assert pipeline.dropped > 0
    pipeline.stop(1)


def test_a_source_that_is_not_there_ends_the_run_with_its_reason() -> None:
    def absent() -> Source:
        raise SourceError("no camera")

    pipeline = started(absent)

    assert pipeline.over.wait(PATIENCE_S)
    assert isinstance(pipeline.failure, SourceError)
    assert pipeline.state().reason == "no camera"


def test_a_patient_run_waits_for_the_camera_and_says_why_meanwhile() -> None:
    there = threading.Event()

    def opener() -> Source:
        if not there.is_set():
            raise SourceError("no camera yet")
        return Numbered(1000, live=True, every_s=0.01)

    pipeline = started(opener, patient=True)
    waiting = eventually(lambda: pipeline.state().status == "no_signal")
    reason = pipeline.state().reason
    there.set()

    assert waiting
    assert reason == "no camera yet"
    assert eventually(lambda: pipeline.state().status == "ok")
    pipeline.stop(1)


def test_a_lost_camera_is_opened_again_and_the_run_goes_on() -> None:
    sources = [Numbered(3, live=True, then=SourceLost("the cable was pulled")), Numbered(500, live=True, every_s=0.01)]
    opened: list[Numbered] = []

    def opener() -> Source:
        opened.append(sources[len(opened)])
        return opened[-1]

    pipeline = started(opener)

    assert eventually(lambda: pipeline.state().frames.captured > 3)
    assert opened[0].closed
    assert pipeline.state().status == "ok"
    pipeline.stop(1)


def test_a_hung_inference_shows_in_the_hearts_and_stop_does_not_wait_for_it() -> None:
    forever = threading.Event()

    def hang(shown: Frame) -> Prediction:
        forever.wait(PATIENCE_S)
        return answer(shown)

    pipeline = started(lambda: Numbered(10, live=True, every_s=0.01), hang)
    hung = eventually(lambda: pipeline.hearts().classifying_since_ns is not None)
    before = time.monotonic()
    ended = pipeline.stop(0.2)
    forever.set()

    assert hung
    assert not ended
    assert time.monotonic() - before < 2


def test_a_failing_model_ends_the_run_with_one_sentence() -> None:
    def broken(shown: Frame) -> Prediction:
        raise ModelError("probabilities that are no numbers")

    pipeline = started(lambda: Numbered(10), broken)

    assert pipeline.over.wait(PATIENCE_S)
    assert str(pipeline.failure) == "probabilities that are no numbers"
    pipeline.stop(1)


def test_a_bug_in_a_stage_is_reported_and_never_dies_in_silence() -> None:
    def broken(shown: Frame) -> Prediction:
        raise ZeroDivisionError("oh")

    pipeline = started(lambda: Numbered(10), broken)

    assert pipeline.over.wait(PATIENCE_S)
    assert "failed unexpectedly" in str(pipeline.failure)
    pipeline.stop(1)


def test_a_rate_limit_classifies_that_many_frames_and_takes_the_newest() -> None:
    pipeline = started(lambda: Numbered(100_000, live=True, every_s=0.005), max_fps=10)
    time.sleep(1.5)
    classified = pipeline.state().frames.classified
    pipeline.stop(1)

    assert 8 <= classified <= 18


def test_a_frame_that_the_gate_refuses_is_skipped_and_not_counted_as_dropped() -> None:
    seen: list[int] = []
    job = Job(lambda: Numbered(40, live=True, every_s=0.02), "test", "model", gate=lambda shown: shown.seq % 4 == 0)
    pipeline = Pipeline(job, answer, lambda p: seen.append(p.seq))
    pipeline.start()

    assert pipeline.over.wait(PATIENCE_S)
    counts = pipeline.state().frames
    assert counts.skipped > 0
    assert all(seq % 4 == 0 for seq in seen)
    assert counts.classified + counts.skipped + counts.dropped == 40
    pipeline.stop(1)


def test_the_gate_is_never_asked_about_the_pictures_of_a_file() -> None:
    seen: list[int] = []
    job = Job(lambda: Numbered(20), "test", "model", gate=lambda shown: False)
    pipeline = Pipeline(job, answer, lambda p: seen.append(p.seq))
    pipeline.start()

    assert pipeline.over.wait(PATIENCE_S)
    assert seen == list(range(20))
    assert pipeline.state().frames.skipped == 0
    pipeline.stop(1)


def test_the_preview_goes_on_at_the_cameras_rate_when_little_is_classified() -> None:
    pipeline = started(lambda: Numbered(100_000, live=True, every_s=0.01), max_fps=1)
    assert eventually(lambda: pipeline.shown.peek() is not None)
    versions, began = pipeline.shown.version, time.monotonic()
    time.sleep(1.5)
    shown, newest = pipeline.shown.peek(), pipeline.predicted.peek()
    rate = (pipeline.shown.version - versions) / (time.monotonic() - began)
    classified = pipeline.state().frames.classified
    pipeline.stop(1)

    assert rate > 30
    assert classified <= 4
    assert shown is not None
    assert newest is not None
    assert shown.prediction is newest
    assert shown.frame.seq > newest.seq


def test_a_model_that_keeps_up_has_each_frame_shown_with_its_own_prediction() -> None:
    pairs: list[tuple[int, int]] = []
    pipeline = Pipeline(
        Job(lambda: Numbered(50, live=True, every_s=0.02), "test", "model"), answer, lambda prediction: None
    )

    def look() -> None:
        shown = pipeline.shown.peek()
        if shown is not None and shown.prediction is not None:
            pairs.append((shown.frame.seq, shown.prediction.seq))

    pipeline.shown.subscribe(look)
    pipeline.start()

    assert pipeline.over.wait(PATIENCE_S)
    pipeline.stop(1)
    own = sum(frame == predicted for frame, predicted in pairs)
    assert own >= 0.9 * len(pairs) > 30


def test_pictures_and_predictions_shown_never_go_back_in_time() -> None:
    def slow(shown: Frame) -> Prediction:
        time.sleep(0.015)
        return answer(shown)

    seen: list[tuple[int, int]] = []
    job = Job(lambda: Numbered(200, live=True, every_s=0.004), "test", "model")
    pipeline = Pipeline(job, slow, lambda prediction: None)

    def look() -> None:
        if (shown := pipeline.shown.peek()) is not None:
            seen.append((shown.frame.seq, -1 if shown.prediction is None else shown.prediction.seq))

    looking = threading.Event()

    def keep_looking() -> None:
        while not looking.wait(0.001):
            look()

    watcher = threading.Thread(target=keep_looking)
    watcher.start()
    pipeline.start()
    assert pipeline.over.wait(PATIENCE_S)
    looking.set()
    watcher.join()
    pipeline.stop(1)

    assert [frame for frame, _ in seen] == sorted(frame for frame, _ in seen)
    assert [predicted for _, predicted in seen] == sorted(predicted for _, predicted in seen)
    assert any(frame > predicted for frame, predicted in seen)


def test_while_the_gate_rests_the_last_prediction_stays_in_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vitcam.pipeline, "_VALID_S", 0.1)
    job = Job(lambda: Numbered(100_000, live=True, every_s=0.01), "test", "model", gate=lambda shown: shown.seq == 0)
    pipeline = Pipeline(job, answer, lambda prediction: None)
    pipeline.start()
    rests = eventually(lambda: pipeline.state().frames.skipped > 60)
    shown = pipeline.shown.peek()
    pipeline.stop(1)

    assert rests
    assert shown is not None
    assert shown.frame.seq > 50
    assert shown.prediction is not None
    assert shown.prediction.seq == 0


def test_a_model_that_hangs_leaves_the_picture_moving_and_takes_its_overlay_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(vitcam.pipeline, "_VALID_S", 0.1)
    forever = threading.Event()

    def hang(shown: Frame) -> Prediction:
        if shown.seq > 0:
            forever.wait(PATIENCE_S)
        return answer(shown)

    pipeline = started(lambda: Numbered(100_000, live=True, every_s=0.01), hang)
    bare = eventually(lambda: (shown := pipeline.shown.peek()) is not None and shown.prediction is None)
    version = pipeline.shown.version
    moves = eventually(lambda: pipeline.shown.version > version + 5)
    forever.set()
    pipeline.stop(1)

    assert bare
    assert moves


def test_pictures_of_files_are_shown_with_their_own_prediction_only() -> None:
    pairs: list[tuple[int, int]] = []
    pipeline = Pipeline(Job(lambda: Numbered(30), "test", "model"), answer, lambda prediction: None)

    def look() -> None:
        shown = pipeline.shown.peek()
        if shown is not None and shown.prediction is not None:
            pairs.append((shown.frame.seq, shown.prediction.seq))

    pipeline.shown.subscribe(look)
    pipeline.start()

    assert pipeline.over.wait(PATIENCE_S)
    pipeline.stop(1)
    assert set(pairs) == {(seq, seq) for seq in range(30)}


def test_frames_that_the_source_itself_lost_are_counted_as_dropped() -> None:
    class Gappy(Numbered):
        def __iter__(self) -> Iterator[Frame]:
            for seq in (0, 1, 5, 6):
                yield frame(seq)

    pipeline = started(lambda: Gappy(0))

    assert pipeline.over.wait(PATIENCE_S)
    assert pipeline.state().frames.dropped == 3
    pipeline.stop(1)


def test_a_publisher_that_is_slow_delays_no_live_prediction() -> None:
    pipeline = started(lambda: Numbered(10_000, live=True, every_s=0.002), publish=lambda _: time.sleep(0.5))
    time.sleep(1)
    classified = pipeline.state().frames.classified
    pipeline.stop(1)

    assert classified > 50


class Picky(Numbered):
    """A live source that asks before it makes a frame."""

    wanted: Callable[[], bool]

    def __iter__(self) -> Iterator[Frame]:
        return (shown for shown in super().__iter__() if self.wanted())


def picky(max_fps: float, gate: Callable[[Frame], bool] | None = None) -> Pipeline:
    source = Picky(1000, live=True, every_s=0.01)
    pipeline = Pipeline(Job(lambda: source, "test", "model", max_fps=max_fps, gate=gate), answer, lambda _: None)
    source.wanted = pipeline.wants_frame
    pipeline.start()
    return pipeline


def test_no_work_is_put_into_pictures_that_neither_model_nor_viewer_will_see() -> None:
    pipeline = picky(max_fps=2)
    time.sleep(2)
    frames, made = pipeline.state().frames, pipeline.shown.version
    pipeline.stop(1)

    assert frames.classified in (4, 5)
    assert frames.captured > 80
    assert frames.captured - frames.classified - 2 <= frames.dropped <= frames.captured - frames.classified
    assert made < 0.3 * frames.captured


def test_a_viewer_is_shown_pictures_that_the_model_does_not_want() -> None:
    pipeline = picky(max_fps=0.1)
    eventually(lambda: pipeline.state().frames.classified == 1)
    time.sleep(0.2)
    before, told = pipeline.shown.version, threading.Event()
    unsubscribe = pipeline.shown.subscribe(told.set)
    shown = told.wait(PATIENCE_S)
    after = pipeline.shown.version
    unsubscribe()
    pipeline.stop(1)

    assert shown
    assert after > before


def test_a_motion_gate_is_shown_every_picture() -> None:
    asked: list[int] = []

    def gate(shown: Frame) -> bool:
        asked.append(shown.seq)
        return False

    pipeline = picky(max_fps=1, gate=gate)
    time.sleep(1)
    frames = pipeline.state().frames
    pipeline.stop(1)

    assert len(asked) >= frames.captured - frames.dropped - 1
    assert len(asked) > 40
