"""An error that nobody expected ends one attempt of a stage, and not the daemon."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.eventually import eventually
from tests.pipelines import PATIENCE_S, Numbered, answer, started
from vitcam.errors import ModelError, VitcamError
from vitcam.frames import Frame, Prediction
from vitcam.pipeline.options import PipelineOptions
from vitcam.pipeline.pipeline import Pipeline
from vitcam.pipeline.retries import Retries
from vitcam.sources.source import Source

ERRORS = [OverflowError("infinity"), MemoryError(), AssertionError("no"), KeyError("zone"), RecursionError()]


@pytest.mark.fault(
    "an unexpected error in reading a camera",
    injected="any exception from its source",
    observed="the source is opened again; the state says why meanwhile",
)
@pytest.mark.parametrize("error", ERRORS, ids=repr)
def test_a_camera_whose_source_fails_unexpectedly_is_opened_again(error: Exception) -> None:
    sources = [Numbered(0, live=True, then=error), Numbered(1000, live=True, every_s=0.01)]
    pipeline = started(lambda: sources.pop(0))
    said = eventually(lambda: repr(error) in pipeline.state().reason)
    back = eventually(lambda: pipeline.state().status == "ok", PATIENCE_S)
    over = pipeline.over.is_set()
    pipeline.stop(1)

    assert said
    assert back
    assert pipeline.faults()["capture_stage"] == 1
    assert not over
    assert pipeline.failure is None


def test_a_camera_that_cannot_even_be_made_is_tried_again() -> None:
    tries: list[int] = []

    def opener() -> Source:
        tries.append(1)
        if len(tries) < 3:
            raise OverflowError("infinity")
        return Numbered(1000, live=True, every_s=0.01)

    pipeline = started(opener)
    back = eventually(lambda: pipeline.state().status == "ok", PATIENCE_S)
    pipeline.stop(1)

    assert back
    assert len(tries) == 3


@pytest.mark.fault(
    "an unexpected error in classifying a frame",
    injected="any exception from the model",
    observed="the next frame is classified; the state says why meanwhile",
)
@pytest.mark.parametrize("error", [*ERRORS, ModelError("no numbers")], ids=repr)
def test_a_camera_frame_that_cannot_be_classified_is_left_out_and_said(error: Exception) -> None:
    works = threading.Event()

    def sometimes(frame: Frame) -> Prediction:
        if not works.is_set():
            raise error
        return answer(frame)

    pipeline = started(lambda: Numbered(100_000, live=True, every_s=0.01), sometimes)
    said = eventually(lambda: repr(error) in pipeline.state().reason)
    hearts = pipeline.heartbeats()
    shown = eventually(lambda: pipeline.latest.peek() is not None)  # viewers see the camera meanwhile
    works.set()
    back = eventually(lambda: pipeline.state().status == "ok", PATIENCE_S)
    pipeline.stop(1)

    assert said
    assert hearts.ended == ()
    assert hearts.classifying_since_ns is None
    assert shown
    assert back


@pytest.mark.fault(
    "an unexpected error in an output or in what keeps events",
    injected="any exception while a prediction is published",
    observed="the next prediction is published; the state says why meanwhile",
)
@pytest.mark.parametrize("error", ERRORS, ids=repr)
def test_a_prediction_that_cannot_be_published_is_left_out_and_said(error: Exception) -> None:
    works = threading.Event()
    published: list[int] = []

    def sometimes(_: Frame, prediction: Prediction) -> None:
        if not works.is_set():
            raise error
        published.append(prediction.seq)

    pipeline = started(lambda: Numbered(100_000, live=True, every_s=0.01), publish=sometimes)
    said = eventually(lambda: repr(error) in pipeline.state().reason)
    degraded = pipeline.state().status
    works.set()
    back = eventually(lambda: bool(published) and pipeline.state().status == "ok", PATIENCE_S)
    pipeline.stop(1)

    assert said
    assert degraded == "degraded"
    assert back


def test_an_output_that_cannot_be_written_still_ends_the_run_with_its_sentence() -> None:
    def full(*_: object) -> None:
        raise VitcamError("the output cannot be written: No space left on device")

    pipeline = started(lambda: Numbered(100_000, live=True, every_s=0.01), publish=full)

    assert pipeline.over.wait(PATIENCE_S)
    assert str(pipeline.failure) == "the output cannot be written: No space left on device"
    pipeline.stop(1)


def _nothing(*_: object) -> None: ...


def _fail(*_: object) -> Prediction:
    raise ZeroDivisionError("oh")


@pytest.mark.parametrize("parts", [{"classify": _fail}, {"publish": _fail}], ids=["classify", "publish"])
def test_files_that_somebody_may_watch_go_on_and_others_end_with_the_error(
    parts: dict[str, Callable[..., Any]],
) -> None:
    classify, publish = parts.get("classify", answer), parts.get("publish", _nothing)
    watched = Pipeline(PipelineOptions("test", "model", lasting=True), classify, publish)
    watched.start(lambda: Numbered(2))
    ended = watched.over.wait(PATIENCE_S)
    watched.stop(1)
    alone = started(lambda: Numbered(2), classify, publish)
    alone.over.wait(PATIENCE_S)
    alone.stop(1)

    assert ended
    assert watched.failure is None
    assert "ZeroDivisionError('oh')" in str(alone.failure)


def test_the_same_error_is_logged_with_its_stack_once(caplog: pytest.LogCaptureFixture) -> None:
    retries = Retries("the classify stage", threading.Event())
    for _ in range(100):
        retries.failed(KeyError("a"))
    retries.failed(KeyError("b"))
    retries.worked()

    assert len([record for record in caplog.records if record.exc_info]) == 2
    assert retries.trouble == ""
