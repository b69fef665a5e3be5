"""The only place with threads: capture | classify | publish, and the doors between them.

Live sources are never waited for: the newest frame wins at each door and what it replaced is counted. Files are: every
frame passes every door. Nothing here blocks for ever, and a stage that does is seen in `hearts`.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from vitcam.errors import TOLD_ELSEWHERE, SourceError, SourceLost, VitcamError
from vitcam.frames import ClassifiedFrame, Frame, Prediction
from vitcam.meters import LatencyMeter, RateMeter
from vitcam.slot import Slot
from vitcam.sources.source import Source
from vitcam.state import Counts, Percentiles, Rates, State, Status

log = logging.getLogger(__name__)
T = TypeVar("T")

_TICK_S = 0.25  # how soon a waiting stage sees that it should stop
_BACK_OFF_S = (0.5, 1.0, 2.0)  # RTSP takes 2 s to open, too: its picture is back within 5 s of its server
_SLOW_NS = 5_000_000_000
_VALID_S = 2.0  # for so long a prediction is shown with pictures that came after its own


@dataclass(frozen=True, slots=True)
class StageHearts:
    """The stages' last signs of life, for the watchdog; monotonic ns."""

    capture_ns: int | None
    """The newest of: a frame came, an attempt to open the source began or failed, a door was full; None: over."""
    classifying_since_ns: int | None
    """When the inference that runs now began; None while none does."""
    publishing_since_ns: int | None
    """When the prediction that is published now was taken; None while none is."""
    ended: tuple[str, ...]
    """Stages that ended although the run is not over."""


@dataclass(frozen=True, slots=True)
class Job:
    """What a pipeline works on."""

    open_source: Callable[[], Source]
    source: str
    model: str
    patient: bool = False
    """Keep trying when the source cannot be opened at the start, instead of giving up."""
    max_fps: float = 0.0
    """Classify at most so many frames/s; 0: as many as come."""
    gate: Callable[[Frame], bool] | None = None
    """Asked before each frame of a live source, in the classifying thread; False: this frame is skipped."""


class Pipeline:
    """Runs frames from a source through a classifier; `publish` is called in order from one thread of its own."""

    def __init__(
        self, job: Job, classify: Callable[[Frame], Prediction], publish: Callable[[Prediction], None]
    ) -> None:
        self._job = job
        self._classify = classify
        self._publish = publish
        self._frames: Slot[Frame] = Slot()
        self._predictions: Slot[Prediction] = Slot()
        self.latest: Slot[ClassifiedFrame] = Slot()
        """The newest frame with the newest prediction, for whoever looks; of files, each frame with its own."""
        self.predicted: Slot[Prediction] = Slot()
        """The newest prediction, for whoever follows."""
        self.over = threading.Event()
        """Set when the source is over, and when a stage has failed."""
        self.failure: VitcamError | None = None
        self._stopping = threading.Event()
        self._live = True
        self._source: Source | None = None
        self._trouble = ""
        self._started = time.monotonic()
        self._captured, self._classified, self._skipped = RateMeter(), RateMeter(), RateMeter()
        self._lost = self._expected_seq = 0
        self._latencies = {stage: LatencyMeter() for stage in ("capture", "preprocess", "infer", "total")}
        self._idle = False
        self._due = 0.0
        self._arrived = 0.0
        self._confirmed_ns = 0
        self._capture_beat = time.monotonic_ns()
        self._classifying_since: int | None = None
        self._publishing_since: int | None = None
        self._threads = [
            threading.Thread(target=self._guard, args=(stage,), name=stage.__name__.strip("_"), daemon=True)
            for stage in (self._capture_stage, self._classify_stage, self._publish_stage)
        ]

    def start(self) -> None:
        """Start the three stages."""
        for thread in self._threads:
            thread.start()

    def stop(self, timeout_s: float) -> bool:
        """Ask every stage to end; False if one still hangs after `timeout_s`."""
        self._stopping.set()
        if (source := self._source) is not None:
            source.stop()
        for slot in (self._frames, self._predictions, self.latest, self.predicted):
            slot.close()
        deadline = time.monotonic() + timeout_s
        for thread in self._threads:
            if thread.ident is not None:
                thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def state(self) -> State:
        """How things are now; cheap enough to be asked every second by many."""
        status, reason = self._status()
        captured, classified = self._captured.per_second(), self._classified.per_second()
        dropped = max(0.0, captured - classified - self._skipped.per_second()) if self._live else 0.0
        percentiles: Iterable[tuple[str, Percentiles | None]] = (
            (stage, meter.percentiles()) for stage, meter in self._latencies.items()
        )
        return State(
            status=status,
            reason=reason,
            uptime_s=round(time.monotonic() - self._started, 3),
            source=self._job.source,
            model=self._job.model,
            fps=Rates(round(captured, 2), round(classified, 2), round(dropped, 2)),
            frames=Counts(self._captured.count, self._classified.count, self.dropped, self._skipped.count),
            ms={stage: values for stage, values in percentiles if values is not None},
        )

    def wants_frame(self) -> bool:
        """Asked by a live source of each picture that came, before any work is put into it.

        False while nobody waits to be shown one and the model will take a later one; it counts as dropped.
        """
        now = time.monotonic()
        next_s, self._arrived = now + 1.5 * (now - self._arrived), now
        if next_s > self._due or self._trouble or self._job.gate is not None or self.latest.awaited:
            return True
        self._capture_beat = time.monotonic_ns()
        self._captured.tick()
        self._lost += 1
        self._expected_seq += 1
        return False

    @property
    def dropped(self) -> int:
        """Frames that a live source gave and nobody looked at, and those it lost itself."""
        return self._frames.dropped + self._lost

    def hearts(self) -> StageHearts:
        """Whether every stage makes progress."""
        over = self._frames.closed
        dead = (thread.name for thread in self._threads if not thread.is_alive())
        return StageHearts(
            None if over else self._capture_beat,
            self._classifying_since,
            self._publishing_since,
            () if over else tuple(dead),
        )

    def _status(self) -> tuple[Status, str]:
        if self.failure is not None:
            return "no_signal", str(self.failure)
        if self._trouble:
            return "no_signal", self._trouble
        since = self._classifying_since
        if since is not None and time.monotonic_ns() - since > _SLOW_NS:
            return "degraded", "the model has not answered for more than 5 seconds"
        if self._classified.count == 0:
            return "starting", "waiting for the first picture"
        return "ok", ""

    def _guard(self, stage: Callable[[], None]) -> None:
        """A stage that fails ends the run with its reason; it must not die in silence."""
        try:
            stage()
        except VitcamError as error:
            self._fail(error)
        except Exception as error:  # the thread's outermost frame: nobody above could catch it
            failed = f"the {threading.current_thread().name.replace('_', ' ')} failed unexpectedly"
            log.exception(failed, extra=TOLD_ELSEWHERE)
            self._fail(VitcamError(f"{failed}: {error!r}"))

    def _fail(self, error: VitcamError) -> None:
        self.failure = self.failure or error
        self.over.set()

    def _capture_stage(self) -> None:
        attempts = 0
        while not self._stopping.is_set():
            self._capture_beat = time.monotonic_ns()
            before = self._captured.count
            try:
                self._deliver_all()
                break
            except (SourceError, SourceLost) as error:
                if self._captured.count == 0 and not self._job.patient:
                    raise
                attempts = 0 if self._captured.count > before else attempts + 1
                self._announce(str(error))
                self._stopping.wait(_BACK_OFF_S[min(attempts, len(_BACK_OFF_S) - 1)])
        self._frames.close()

    def _deliver_all(self) -> None:
        """Open the source and pass on what it gives until it is over or lost."""
        with self._job.open_source() as source:
            self._live, self._source = source.live, source
            self._expected_seq = 0
            for frame in source:
                self._capture_beat = time.monotonic_ns()
                self._announce("")
                self._captured.tick()
                self._lost += max(0, frame.seq - self._expected_seq)
                self._expected_seq = frame.seq + 1
                kept_waiting = self._live and not self._idle
                if not self._hand_over(self._frames, frame):
                    return
                if kept_waiting:  # else it is shown with its own prediction in a moment
                    self._show(frame)

    def _announce(self, trouble: str) -> None:
        """Remember why there is no picture, and say it once."""
        if trouble != self._trouble:
            if trouble:
                log.warning("%s", trouble)
            else:
                log.info("the picture is back")
            self._trouble = trouble

    def _hand_over(self, slot: Slot[T], value: T) -> bool:
        """Put into a door: live values replace, others wait; False once the pipeline is stopping."""
        if self._live:
            slot.put(value)
            return not self._stopping.is_set()
        while not self._stopping.is_set():
            if slot.put_when_taken(value, _TICK_S):
                return True
            self._capture_beat = time.monotonic_ns()  # waiting for a slow reader is progress, too
        return False

    def _read_all(self, slot: Slot[T]) -> Iterator[T]:
        """What comes through a door, until it is closed and read."""
        version = 0
        while not self._stopping.is_set():
            found = slot.get(version, _TICK_S)
            if found is not None:
                version, value = found
                yield value
            elif slot.closed:
                return

    def _show(self, frame: Frame, prediction: Prediction | None = None) -> None:
        """Show a frame, or what was found on it, and of the other whatever is newest."""

        def newest(before: ClassifiedFrame | None) -> ClassifiedFrame:
            if before is None or (prediction is not None and before.frame.captured_ns <= frame.captured_ns):
                return ClassifiedFrame(frame, prediction)
            if prediction is not None:
                return ClassifiedFrame(before.frame, prediction)
            age_s = (frame.captured_ns - self._confirmed_ns) / 1e9
            valid_s = max(_VALID_S, 2 / self._job.max_fps if self._job.max_fps > 0 else 0.0)
            return ClassifiedFrame(frame, before.prediction if age_s <= valid_s else None)

        self.latest.revise(newest)

    def _classify_stage(self) -> None:
        for frame in self._each_frame():
            if self._is_not_worth_it(frame):
                self._skipped.tick()
                self._confirmed_ns = frame.captured_ns  # what was said before holds for it, too
                self._show(frame)
                continue
            self._classifying_since = time.monotonic_ns()
            prediction = self._classify(frame)
            self._classifying_since = None
            self._classified.tick()
            for stage, meter in self._latencies.items():
                meter.add(getattr(prediction.ms, stage))
            self._confirmed_ns = frame.captured_ns
            self._show(frame, prediction)
            self.predicted.put(prediction)
            self._hand_over(self._predictions, prediction)
            if self._job.max_fps > 0:  # the door keeps the newest meanwhile
                self._due = max(self._due + 1 / self._job.max_fps, time.monotonic())
                self._stopping.wait(self._due - time.monotonic())
        self._predictions.close()

    def _each_frame(self) -> Iterator[Frame]:
        """The captured frames; meanwhile `_idle` says whether the next one will be classified at once."""
        self._idle = True
        for frame in self._read_all(self._frames):
            self._idle = False
            yield frame
            self._idle = True

    def _is_not_worth_it(self, frame: Frame) -> bool:
        return self._live and self._job.gate is not None and not self._job.gate(frame)

    def _publish_stage(self) -> None:
        for prediction in self._read_all(self._predictions):
            self._publishing_since = time.monotonic_ns()
            self._publish(prediction)
            self._publishing_since = None
        self.over.set()
