"""Pipelines for tests: a source of numbered frames, a classifier that echoes the number, and patience."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import TracebackType
from typing import Self

from tests.frames import frame, prediction
from vitcam.frames import Frame, Prediction
from vitcam.pipeline.options import PipelineOptions
from vitcam.pipeline.pipeline import Pipeline
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
            time.sleep(self._every_s)  # the pace of a camera
            if self._stopped:
                return
            yield frame(seq)
        if self._then is not None:
            raise self._then


def answer(frame: Frame) -> Prediction:
    """A prediction of that very frame."""
    return replace(prediction(), seq=frame.seq, captured_ns=frame.captured_ns)


def taking(seconds: float, classify: Callable[[Frame], Prediction] = answer) -> Callable[[Frame], Prediction]:
    """A classifier that takes so long."""

    def slow(frame: Frame) -> Prediction:
        time.sleep(seconds)  # a slow model is what these tests are about
        return classify(frame)

    return slow


def started(
    opener: Callable[[], Source],
    classify: Callable[[Frame], Prediction] = answer,
    publish: Callable[[Frame, Prediction], None] = lambda *_: None,
    patient: bool = False,
    max_fps: float = 0.0,
    gate: Callable[[Frame], bool] | None = None,
) -> Pipeline:
    """A pipeline that runs."""
    pipeline = waiting(classify, publish, patient, max_fps, gate)
    pipeline.start(opener)
    return pipeline


def waiting(
    classify: Callable[[Frame], Prediction] = answer,
    publish: Callable[[Frame, Prediction], None] = lambda *_: None,
    patient: bool = False,
    max_fps: float = 0.0,
    gate: Callable[[Frame], bool] | None = None,
) -> Pipeline:
    """A pipeline that was not started yet."""
    return Pipeline(PipelineOptions("test", "model", patient, max_fps, gate), classify, publish)
