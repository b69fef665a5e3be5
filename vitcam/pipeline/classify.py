"""The second stage: asks the model about each frame that is worth it."""

import threading
import time
from collections.abc import Callable

from vitcam.frames import Frame, Prediction
from vitcam.meters import LatencyMeter, RateMeter
from vitcam.pipeline.beats import Beats, ClassifyBeat
from vitcam.pipeline.handover import Handover
from vitcam.pipeline.latest import LatestFrame
from vitcam.pipeline.options import PipelineOptions
from vitcam.slot import Slot

STAGES = ("capture", "preprocess", "infer", "total")
"""The times of a prediction, as in `Timings`."""


class ClassifyStage:
    """Runs in one thread.

    classify     the model
    frames       what is classified
    latest       where each prediction goes with its frame, for viewers
    predicted    where each prediction goes, for followers
    predictions  where each prediction goes, for the sinks
    """

    def __init__(
        self,
        options: PipelineOptions,
        classify: Callable[[Frame], Prediction],
        beats: Beats,
        frames: Handover[Frame],
        latest: LatestFrame,
        predicted: Slot[Prediction],
        predictions: Handover[Prediction],
        stopping: threading.Event,
    ) -> None:
        self._options = options
        self._classify = classify
        self._beats = beats
        self._frames = frames
        self._latest = latest
        self._predicted = predicted
        self._predictions = predictions
        self._stopping = stopping
        self.classified, self.skipped = RateMeter(), RateMeter()
        self.latencies = {stage: LatencyMeter() for stage in STAGES}

    def run(self) -> None:
        """Classify until no more frames come."""
        self._beat(waits=True)
        for frame in self._frames:
            self._beat(since_ns=time.monotonic_ns())
            if self._is_worth_it(frame):
                self._predict(frame)
            else:
                self._skip(frame)
            self._beat(waits=True)
        self._predictions.close()

    def _is_worth_it(self, frame: Frame) -> bool:
        gate = self._options.gate
        return gate is None or not self._beats.capture.live or gate(frame)

    def _predict(self, frame: Frame) -> None:
        prediction = self._classify(frame)
        self._beats.classify = ClassifyBeat(confirmed_ns=frame.captured_ns, due_s=self._beats.classify.due_s)
        self.classified.tick()
        for stage, meter in self.latencies.items():
            meter.add(getattr(prediction.ms, stage))
        self._latest.classified(frame, prediction)
        self._predicted.put(prediction)
        self._predictions.put(prediction, self._beats.capture.live)
        self._wait_for_rate()

    def _skip(self, frame: Frame) -> None:
        """Count a frame that is not worth it: the newest prediction holds for it, too."""
        self.skipped.tick()
        self._beats.classify = ClassifyBeat(confirmed_ns=frame.captured_ns, due_s=self._beats.classify.due_s)
        self._latest.captured(frame)

    def _wait_for_rate(self) -> None:
        """Wait until the next frame may be classified; meanwhile the newest one is kept for it."""
        if self._options.max_fps <= 0:
            return
        before = self._beats.classify
        due_s = max(before.due_s + 1 / self._options.max_fps, time.monotonic())
        self._beats.classify = ClassifyBeat(confirmed_ns=before.confirmed_ns, due_s=due_s)
        self._stopping.wait(due_s - time.monotonic())

    def _beat(self, since_ns: int | None = None, waits: bool = False) -> None:
        before = self._beats.classify
        self._beats.classify = ClassifyBeat(since_ns, waits, before.confirmed_ns, before.due_s)
