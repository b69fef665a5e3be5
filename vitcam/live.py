"""A camera beside the program that uses it: threads read and classify, and its newest answer can be asked."""

import logging
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

from vitcam.daemon.publisher import Publisher
from vitcam.daemon.source import SourceOpener
from vitcam.daemon.watchdog import may_feed
from vitcam.errors import SourceError, SourceLost, UsageError, VitcamError
from vitcam.events import Rules
from vitcam.frames import Frame, Prediction
from vitcam.model.classifier import Classifier
from vitcam.pipeline.options import PipelineOptions
from vitcam.pipeline.pipeline import Pipeline
from vitcam.redaction import redacted
from vitcam.sinks.sink import Sink, Summary
from vitcam.slot import Slot
from vitcam.sources.source import Source, SourceOptions
from vitcam.text import readable

log = logging.getLogger(__name__)

_TICK_S = 0.1  # how soon one who waits sees that the camera is gone
_END_WITHIN_S = 2.0
_DEFAULTS = SourceOptions()
_RULES = Rules()


@dataclass(frozen=True, slots=True, eq=False)
class LiveAnswer:
    """A picture of the camera, and what the model says of this very picture."""

    frame: Frame
    """It may hold the camera's own memory: copy `frame.preview` to keep more than a few."""
    prediction: Prediction

    @property
    def age_s(self) -> float:
        """How long ago the picture was taken, in s."""
        return (time.monotonic_ns() - self.frame.captured_ns) / 1e9


class LiveCamera:
    """A context manager: inside its `with` three threads capture, classify and publish, as those of `vitcam run` do.

    The newest picture wins: one that comes while the model is busy is left out. A camera that was lost is opened again
    by itself. Errors are raised where somebody asks: by `newest`, and by iterating. It may be entered again.

    source      a URI as `open_source` takes it; empty: the first camera; or a source of your own
    classifier  what answers; its own copy is used, so yours stays free; None: the default model
    options     requested of the source, where it is a URI
    max_fps     classify at most this many pictures/s; 0: no limit
    sinks       get every prediction, and the events that `rules` make of them, in a thread of their own
    raises      ModelError if the default model cannot be used
    """

    def __init__(
        self,
        source: str | Source = "",
        classifier: Classifier | None = None,
        *,
        options: SourceOptions = _DEFAULTS,
        max_fps: float = 0.0,
        sinks: Iterable[Sink] = (),
        rules: Rules = _RULES,
    ) -> None:
        given = classifier or Classifier()
        self._classifier = given.clone(given.runtime.threads) if classifier else given
        self._source = source
        self._name = (readable(redacted(source)) or "the camera") if isinstance(source, str) else type(source).__name__
        self._options = options
        self._max_fps = max_fps
        self._sinks = tuple(sinks)
        self._rules = rules
        self._running: tuple[Pipeline, Publisher] | None = None
        self._answers: Slot[LiveAnswer] = Slot()
        self._given = 0

    def __enter__(self) -> Self:
        """Start. Raises UsageError, and its kind SourceError, for a URI that names nothing."""
        if self._running is not None:
            raise UsageError(f"{self._name} is open; make another LiveCamera to open it twice")
        publisher = Publisher(self._rules, lambda: pipeline.over.set())
        publisher.connect(*self._sinks)
        self._answers, self._given = Slot(), 0
        answers = self._answers

        def publish(frame: Frame, prediction: Prediction) -> None:
            answers.put(LiveAnswer(frame, prediction))
            publisher.prediction(frame, prediction)

        options = PipelineOptions(
            source=self._name, model=self._classifier.card.name, max_fps=self._max_fps, input=self._classifier.input
        )
        pipeline = Pipeline(options, self._classifier, publish)
        if isinstance(source := self._source, str):
            wanted = replace(
                self._options,
                input=self._classifier.input,
                wanted=pipeline.wants_frame,
                on_unreadable=publisher.unreadable,
            )
            opener = SourceOpener(source, wanted)
            opener.prepare(patient=False)
            pipeline.start(opener)
        else:
            pipeline.start(lambda: source)
        self._running = pipeline, publisher
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the threads and the sinks. Raises VitcamError if a sink cannot write what is left."""
        if self._running is None:
            return
        (pipeline, publisher), self._running = self._running, None
        self._answers = Slot()
        state = pipeline.state()
        if not pipeline.stop(_END_WITHIN_S):
            log.error("%s did not end within %g s; its threads are left behind", self._name, _END_WITHIN_S)
            return
        counts = Summary(state.frames.classified, publisher.errors, state.frames.dropped, state.uptime_s)
        publisher.close(None if error or pipeline.failure else counts)

    @property
    def over(self) -> bool:
        """Whether nothing more will come: a film has ended, the camera could not be opened, or the `with` was left."""
        return self._running is None or self._running[0].over.is_set()

    def newest(self, timeout_s: float = 30.0) -> LiveAnswer:
        """The newest answer, at once where there is one; of a film that has ended, its last.

        timeout_s  how long to wait for the first one
        raises     SourceError if the camera could not be opened, or gave nothing in time; SourceLost while it is away:
                   it is opened again by itself, so you may ask again; VitcamError for what else has failed; UsageError
                   outside of the `with`
        """
        until_s = time.monotonic() + timeout_s
        while True:
            is_over = self.over
            self._raise_trouble()
            if (answer := self._answers.peek()) is not None:
                return answer
            if is_over:
                raise SourceError(f"{self._name} ended before its first picture")
            if (left_s := until_s - time.monotonic()) <= 0:
                raise SourceError(f"{self._name} gave no picture within {timeout_s:g} s; wait longer, or look at it")
            self._answers.get(0, min(left_s, _TICK_S))

    def __iter__(self) -> Iterator[LiveAnswer]:
        """Each new answer once, until the source is over; what nobody took in time is left out. Raises as `newest`."""
        while True:
            is_over = self.over
            found = self._answers.get(self._given, 0.0 if is_over else _TICK_S)
            if found is not None:
                self._given, answer = found
                yield answer
                continue
            self._raise_trouble()
            if is_over:
                return

    def _raise_trouble(self) -> None:
        if self._running is None:
            raise UsageError("a LiveCamera is asked inside its `with`")
        pipeline, _ = self._running
        if (failure := pipeline.failure) is not None:
            raise type(failure)(str(failure)) from failure  # a fresh one: it may be asked for again and again
        if trouble := pipeline.trouble:
            self._answers.clear()  # what it showed before it was lost does not hold any more
            raise SourceLost(trouble)
        if pipeline.over.is_set():
            return
        verdict = may_feed(time.monotonic_ns(), pipeline.heartbeats())
        if trouble := pipeline.stage_trouble or verdict.reason:
            raise VitcamError(trouble)
