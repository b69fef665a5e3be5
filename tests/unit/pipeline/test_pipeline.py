import threading
import time
from collections.abc import Iterator

import pytest

from tests.eventually import eventually
from tests.frames import frame
from tests.pipelines import PATIENCE_S, Numbered, answer, started, taking
from vitcam.errors import ModelError, SourceError, SourceLost
from vitcam.frames import Frame, Prediction
from vitcam.pipeline.limits import PaceLimits
from vitcam.pipeline.options import PipelineOptions
from vitcam.pipeline.pipeline import Pipeline
from vitcam.sources.source import Source


def test_every_frame_of_a_file_is_classified_and_published_in_order() -> None:
    published: list[int] = []
    pipeline = started(lambda: Numbered(200), publish=lambda _, p: published.append(p.seq))

    assert pipeline.over.wait(PATIENCE_S)
    assert published == list(range(200))
    assert pipeline.dropped == 0
    assert pipeline.stop(1)


@pytest.mark.fault(
    "the source is faster than inference",
    injected="a slow model",
    observed="the newest frame is taken; what was left out is counted as dropped",
)
def test_a_live_source_is_never_waited_for_and_what_is_lost_is_counted() -> None:
    seen: list[int] = []
    pipeline = started(lambda: Numbered(300, live=True, every_s=0.001), taking(0.02), lambda _, p: seen.append(p.seq))

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


@pytest.mark.fault(
    "inference hangs",
    injected="a model that never answers",
    observed="the heartbeat is old; the end waits for nothing",
)
def test_a_hung_inference_shows_in_the_heartbeats_and_stop_does_not_wait_for_it() -> None:
    forever = threading.Event()

    def hang(frame: Frame) -> Prediction:
        forever.wait(PATIENCE_S)
        return answer(frame)

    pipeline = started(lambda: Numbered(10, live=True, every_s=0.01), hang)
    hung = eventually(lambda: pipeline.heartbeats().classifying_since_ns is not None)
    before = time.monotonic()
    ended = pipeline.stop(0.2)
    forever.set()

    assert hung
    assert not ended
    assert time.monotonic() - before < 2


def test_a_failing_model_ends_the_run_with_one_sentence() -> None:
    def broken(frame: Frame) -> Prediction:
        raise ModelError("probabilities that are not numbers")

    pipeline = started(lambda: Numbered(10), broken)

    assert pipeline.over.wait(PATIENCE_S)
    assert str(pipeline.failure) == "probabilities that are not numbers"
    pipeline.stop(1)


def test_a_bug_in_a_stage_ends_the_run_with_one_sentence_and_its_stack_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(frame: Frame) -> Prediction:
        raise ZeroDivisionError("oh")

    pipeline = started(lambda: Numbered(10), broken)
    over = pipeline.over.wait(PATIENCE_S)
    pipeline.stop(1)
    (record,) = [record for record in caplog.records if record.exc_info is not None]

    assert over
    assert str(pipeline.failure) == "the classify stage failed unexpectedly: ZeroDivisionError('oh')"
    assert record.levelname == "ERROR"
    assert record.getMessage() == "the classify stage failed unexpectedly"
    assert "in broken" in caplog.text


def test_a_rate_limit_classifies_that_many_frames_and_takes_the_newest() -> None:
    pipeline = started(lambda: Numbered(100_000, live=True, every_s=0.005), max_fps=10)
    began = time.monotonic()
    enough = eventually(lambda: pipeline.state().frames.classified >= 15)
    took_s = time.monotonic() - began
    pipeline.stop(1)

    assert enough
    assert 1.0 < took_s < 2.8


def test_another_rate_limit_counts_at_once_and_not_after_the_wait_of_the_old_one() -> None:
    pipeline = started(lambda: Numbered(100_000, live=True, every_s=0.005), max_fps=0.01)
    eventually(lambda: pipeline.state().frames.classified == 2)  # from then on it waits for 100 s
    pipeline.change(max_fps=1000, gate=None)
    faster = eventually(lambda: pipeline.state().frames.classified > 10, PATIENCE_S)
    pipeline.change(max_fps=0, gate=None)
    before = pipeline.state().frames.classified
    unlimited = eventually(lambda: pipeline.state().frames.classified > before + 10, PATIENCE_S)
    pipeline.stop(1)

    assert faster
    assert unlimited


def test_a_run_that_is_not_as_it_was_configured_is_degraded_once_it_works() -> None:
    pipeline = Pipeline(PipelineOptions("test", "model"), answer, lambda *_: None)
    trouble = "the model is another one"
    before = pipeline.state(trouble)
    pipeline.start(lambda: Numbered(3))
    pipeline.over.wait(PATIENCE_S)

    assert (before.status, before.reasons) == ("starting", ("waiting for the first picture", trouble))
    after = pipeline.state("", trouble, "the disk is full")
    assert (after.status, after.reason) == ("degraded", f"{trouble}; the disk is full")


def test_a_limit_of_heat_holds_from_the_next_frame_on_and_ends_as_quickly() -> None:
    limits = PaceLimits()
    pipeline = Pipeline(PipelineOptions("test", "model", limits=limits), answer, lambda *_: None)
    pipeline.start(lambda: Numbered(100_000, live=True, every_s=0.005))
    free = eventually(lambda: pipeline.progress().classified > 50)
    limits.max_fps = 2.0
    slow = eventually(lambda: 0 < pipeline.state().fps.classified < 4)
    limits.max_fps = 0.0
    fast = eventually(lambda: pipeline.state().fps.classified > 20)
    pipeline.stop(1)

    assert free
    assert slow
    assert fast


def test_a_frame_that_the_gate_refuses_is_skipped_and_not_counted_as_dropped() -> None:
    seen: list[int] = []
    pipeline = started(
        lambda: Numbered(40, live=True, every_s=0.02),
        publish=lambda _, p: seen.append(p.seq),
        gate=lambda frame: frame.seq % 4 == 0,
    )

    assert pipeline.over.wait(PATIENCE_S)
    counts = pipeline.state().frames
    assert counts.skipped > 0
    assert all(seq % 4 == 0 for seq in seen)
    assert counts.classified + counts.skipped + counts.dropped == 40
    pipeline.stop(1)


def test_in_a_pause_no_frame_of_a_camera_is_classified_and_viewers_see_no_old_answer() -> None:
    pipeline = started(lambda: Numbered(100_000, live=True, every_s=0.005))
    assert eventually(lambda: pipeline.state().frames.classified > 5)

    pipeline.pause(True)
    assert eventually(lambda: pipeline.state().paused and pipeline.latest.peek().prediction is None)  # type: ignore[union-attr]
    before = pipeline.state()
    assert eventually(lambda: pipeline.state().frames.skipped > before.frames.skipped + 20)
    assert pipeline.state().frames.classified == before.frames.classified
    assert (before.status, "pause" in before.reason) == ("degraded", True)

    pipeline.pause(False)
    assert eventually(lambda: pipeline.state().frames.classified > before.frames.classified + 5)
    assert pipeline.state().status == "ok"
    pipeline.stop(1)


def test_a_film_that_is_played_as_fast_as_possible_is_not_paused_and_nobody_is_told_that_it_is() -> None:
    pipeline = started(lambda: Numbered(100_000, live=False, every_s=0.005))
    assert eventually(lambda: pipeline.state().frames.classified > 5)

    assert not pipeline.pause(True)

    before = pipeline.state()
    assert eventually(lambda: pipeline.state().frames.classified > before.frames.classified + 5)
    assert (before.paused, before.status) == (False, "ok")
    pipeline.stop(1)


def test_frames_that_the_source_itself_lost_are_counted_as_dropped() -> None:
    class Gappy(Numbered):
        def __iter__(self) -> Iterator[Frame]:
            for seq in (0, 1, 5, 6):
                yield frame(seq)

    pipeline = started(lambda: Gappy(0))

    assert pipeline.over.wait(PATIENCE_S)
    assert pipeline.state().frames.dropped == 3
    pipeline.stop(1)


@pytest.mark.fault(
    "an output is slow", injected="a publisher that does not return", observed="predictions come as before"
)
def test_a_publisher_that_is_slow_delays_no_live_prediction() -> None:
    over = threading.Event()

    def publish(*_: object) -> None:
        over.wait(PATIENCE_S)

    pipeline = started(lambda: Numbered(100_000, live=True, every_s=0.002), publish=publish)
    go_on = eventually(lambda: pipeline.state().frames.classified > 50)
    over.set()
    pipeline.stop(1)

    assert go_on
