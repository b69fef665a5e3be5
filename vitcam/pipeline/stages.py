"""The stages that a frame passes, each in a thread of its own: reading the source, and asking the model."""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from vitcam.errors import MasksUnknown, SourceError, SourceLost
from vitcam.frames import Frame, Place, Prediction
from vitcam.look.resting import Resting
from vitcam.meters import LatencyMeter, RateMeter
from vitcam.pipeline.beats import Beats, CaptureBeat, ClassifyBeat
from vitcam.pipeline.following import Following
from vitcam.pipeline.frozen import FrozenWatch
from vitcam.pipeline.headlines import Headlines
from vitcam.pipeline.latest_frame import LatestFrame
from vitcam.pipeline.looks import Looks, PlaceLook
from vitcam.pipeline.options import PipelineOptions
from vitcam.pipeline.retries import Retries
from vitcam.run.kinds import Specifies
from vitcam.slot import Handover, Slot
from vitcam.sources.masks import masked
from vitcam.sources.source import Source

log = logging.getLogger(__name__)

_NOTICE_S = 0.25  # how soon a stage that waits for its rate sees another rate
_TELL_S = 0.45  # between frames that are passed on while nothing moves, or in a pause
_VIEW = Place()
_TIMES = ("capture", "preprocess", "infer", "total")  # as in `Timings`


@dataclass(frozen=True, slots=True)
class Unseen:
    """A frame of a pause, which nobody classifies."""

    captured_ns: int
    stood_ns: Mapping[Place, int]
    """Capture times of the last frames before it in which nothing had moved at a place since its last look."""


class CaptureStage:
    """Runs in one thread, which also calls `skip`.

    frames     where each frame goes
    latest     where it also goes while the model is busy with an older one
    following  gets each frame of a live source first
    frozen     gets each frame, and says when the source should be opened again
    resting    is ended where the source is opened again
    """

    def __init__(
        self,
        options: PipelineOptions,
        beats: Beats,
        frames: Handover[Frame],
        latest: LatestFrame,
        following: Following,
        frozen: FrozenWatch,
        resting: Resting,
        stopping: threading.Event,
    ) -> None:
        self._resting = resting
        self._following = following
        self._areas = options.areas
        self._patient = options.patient
        self._lasting = options.lasting
        self._frozen = frozen
        self._beats = beats
        self._frames = frames
        self._latest = latest
        self._stopping = stopping
        self.retries = Retries("the capture stage", stopping, options.failed)
        self._expected_seq = 0
        self.captured = RateMeter()
        self.rested = RateMeter()
        """Frames that were not needed, since nothing moves."""
        self.losses = 0
        """How often the source could not be opened, or was lost."""

    def run(self, open_source: Callable[[], Source]) -> None:
        """Read until the source is over. Any error of a live source ends an attempt only, and it is opened again.

        open_source  called for each attempt
        raises       SourceError, SourceLost for a source that is not there at the start; any error of files
        """
        while not self._stopping.is_set():
            self._beat(self._beats.capture.trouble)
            before = self.captured.count
            try:
                if not self._read(open_source):
                    break
                log.info("the camera is opened again, since its picture does not change")
                continue
            except (SourceError, SourceLost) as error:
                if self.captured.count == 0 and not self._patient and not isinstance(error, MasksUnknown):
                    raise
                self.losses += 1
                trouble = error.sentence
            except Exception as error:  # what no source expects must not end the run, nor the thread in silence
                if not (self._beats.capture.live or self._lasting):
                    raise
                trouble = self.retries.failed(error)
            if self.captured.count > before:
                self.retries.worked()
            self._beat(trouble)
            self.retries.wait()
        self._frames.close()

    def skip(self) -> None:
        """Count a frame that was not needed."""
        self.captured.tick()
        self._expected_seq += 1
        self._beat(self._beats.capture.trouble, lost=1)

    def rest(self) -> None:
        """Count a frame in which nothing moves."""
        self.captured.tick()
        self.rested.tick()
        self._expected_seq += 1
        self._beat(self._beats.capture.trouble)

    def _read(self, open_source: Callable[[], Source]) -> bool:
        """Open the source and pass on what it gives until it is over or lost; True if it should be opened again."""
        opened = open_source()
        self._resting.wake()
        self._beats.capture = replace(self._beats.capture, live=opened.live)
        with opened as source:
            self._expected_seq = 0
            self._beats.capture = CaptureBeat(
                time.monotonic_ns(), source, self._beats.capture.trouble, self._beats.capture.lost, source.live
            )
            for frame in source:
                if not self._deliver(frame, source.live):
                    return False
                if self._frozen.take(frame):
                    return True
        return False

    def _deliver(self, frame: Frame, live: bool) -> bool:
        """Pass a frame on; False once the pipeline is stopping."""
        self._beat("", lost=max(0, frame.seq - self._expected_seq))
        self.captured.tick()
        self._expected_seq = frame.seq + 1
        if live:
            areas = self._areas.areas
            frame = masked(frame, areas.masks)
            self._following.take(frame, areas)
        model_is_free = self._beats.classify.waits
        if not self._frames.put(frame, live, lambda: self._beat("")):  # waiting for a slow reader is progress, too
            return False
        if live and not model_is_free:  # else it is shown with its own prediction in a moment
            self._latest.captured(frame)
        return True

    def _beat(self, trouble: str, lost: int = 0) -> None:
        """Replace the beat. Log once why there is no picture, and once that there is one again."""
        before = self._beats.capture
        if trouble != before.trouble:
            if trouble:
                log.warning("%s", trouble)
            else:
                log.info("the picture is back")
        self._beats.capture = CaptureBeat(time.monotonic_ns(), before.source, trouble, before.lost + lost, before.live)


class ClassifyStage:
    """Runs in one thread.

    classify     the model
    frames       what is classified
    latest       where each prediction goes with its frame, for viewers
    predicted    where each prediction goes, for followers
    predictions  where each prediction goes with its frame, for the sinks; and while nothing moves now and then a frame
                 without its own: True; and now and then what is unseen in a pause
    following    gets each frame of files, before it is classified
    resting      is told whether the view rests
    """

    def __init__(
        self,
        options: PipelineOptions,
        classify: Callable[[Frame], Prediction],
        beats: Beats,
        frames: Handover[Frame],
        latest: LatestFrame,
        predicted: Slot[Prediction],
        predictions: Handover[tuple[Frame, Prediction, bool] | Unseen],
        following: Following,
        resting: Resting,
        stopping: threading.Event,
    ) -> None:
        self._resting = resting
        self.options = options
        """Any thread may replace it; each frame goes by one of them."""
        self._classify = classify
        self._beats = beats
        self._frames = frames
        self._latest = latest
        self._predicted = predicted
        self._predictions = predictions
        self._stopping = stopping
        self.classified, self.skipped = RateMeter(), RateMeter()
        self.latencies = {stage: LatencyMeter() for stage in _TIMES}
        self.specifying: tuple[Specifies, ...] = ()
        """Asked about each prediction in turn, until one has an answer. Set before it runs."""
        self.by_zone: dict[str, RateMeter] = {}
        """Replaced as a whole, with the zones."""
        self._looks = Looks(options.follower, resting)
        self._headlines = Headlines(options.events)
        self._newest: Prediction | None = None
        self._stood_ns: dict[Place, int] = {}
        """Capture time of the last frame in which nothing had moved at a place since its last look."""
        self._told_ns = 0
        """Capture time of the last frame that was passed on without a prediction of its own, or was unseen."""
        self._following = following
        self.retries = Retries("the classify stage", stopping, options.failed)

    def run(self) -> None:
        """Classify until no more frames come. A frame that fails is left out, but of files: its error is raised."""
        self._beats.classify = ClassifyBeat(waits=True)
        for frame in self._frames:
            self._attempt(frame)
        self._predictions.close()

    def _attempt(self, frame: Frame) -> None:
        self._beat_begin()
        try:
            self._take(frame)
        except Exception as error:  # the next frame may be better, and the daemon must not end with this one
            if not (self._beats.capture.live or self.options.lasting):
                raise
            self.retries.failed(error)
            self._resting.wake()
            self.options.follower.begin_anew()  # it may be what has failed, and would fail with the next one, too
            self._beats.classify = replace(self._beats.classify, since_ns=None)
            self.retries.wait()
            self._beats.classify = replace(self._beats.classify, waits=True)
        else:
            self.retries.worked()

    def _take(self, captured: Frame) -> None:
        """Look at a frame: of a live source only until a newer one waits."""
        options, areas, live = self.options, self.options.areas.areas, self._beats.capture.live
        frame = masked(captured, areas.masks)
        if options.paused and live:
            self._resting.wake()
            self._leave_out(frame)
            return
        if not live:  # here, so that the same film gives the same answers
            self._following.take(frame, areas)
        self._meter_zones(areas.names)
        for place in self._looks.begin(frame, areas, options.input, options.gate, options.pending(), live):
            self._latest.confirm(place, frame)
            if place.track is None:
                self._stood_ns[place] = frame.captured_ns
        if self._looks.is_done:
            self._skip(frame)
        while (look := self._looks.next(options.pending(), frame.captured_ns)) is not None:
            self._beat_begin()
            self._predict(frame, look)
            if (live and self._frames.waiting) or self._stopping.is_set():
                return

    def _beat_begin(self) -> None:
        before = self._beats.classify
        self._beats.classify = ClassifyBeat(time.monotonic_ns(), False, before.confirmed_ns, before.due_s)

    def _meter_zones(self, names: tuple[str, ...]) -> None:
        if self.by_zone.keys() != set(names):
            self.by_zone = {name: self.by_zone.get(name) or RateMeter() for name in names}
            self._headlines.keep(names or (None,))

    def _predict(self, frame: Frame, look: PlaceLook) -> None:
        place = look.place
        prediction = self._counted(look.frame, self._classify(look.frame))
        if place != _VIEW:
            prediction = replace(prediction, zone=place.zone, track=place.track)
        if look.of_rest:
            self.options.follower.record_background(prediction)
            self._wait_for_rate()
            return
        if place.track is not None:
            prediction = self.options.follower.record_look(prediction)
        elif place.zone is not None:
            self.by_zone[place.zone].tick()
        if stood_ns := self._stood_ns.pop(place, 0):
            prediction = replace(prediction, stood_ns=stood_ns)
        answers = (each.specify(look.frame, prediction) for each in self.specifying)
        if (second := next(filter(None, answers), None)) is not None:
            prediction = replace(prediction, second=second)
        prediction = self._headlines.add_to(prediction)
        if self._looks.places == (_VIEW,):
            self._latest.classified(frame, prediction)
        else:
            self._latest.classified_place(frame, prediction, self._looks.places)
        self._pass_on(look.frame, prediction)

    def _counted(self, frame: Frame, prediction: Prediction) -> Prediction:
        self._beats.classify = ClassifyBeat(None, True, frame.captured_ns, self._beats.classify.due_s)
        self.classified.tick()
        ms = prediction.ms
        for stage, meter in self.latencies.items():
            meter.add(getattr(ms, stage))
        return prediction

    def _pass_on(self, frame: Frame, prediction: Prediction) -> None:
        self._predicted.put(prediction)
        self._newest = prediction
        self._predictions.put((frame, prediction, False), self._beats.capture.live)
        self._wait_for_rate()

    def _leave_out(self, frame: Frame) -> None:
        """Count a frame of a pause: after a moment, no prediction is shown with it, and what lasts ends."""
        self.skipped.tick()
        before = self._beats.classify
        self._beats.classify = ClassifyBeat(None, True, before.confirmed_ns, before.due_s)
        self._latest.captured(frame)
        if self._may_tell(frame):
            self._predictions.put(Unseen(frame.captured_ns, dict(self._stood_ns)), live=True)

    def _skip(self, frame: Frame) -> None:
        """Count a frame that is not worth it: the newest prediction holds for it, too."""
        self.skipped.tick()
        self._beats.classify = ClassifyBeat(None, True, frame.captured_ns, self._beats.classify.due_s)
        self._latest.captured(frame)
        newest = self._newest
        if newest is not None and self._resting.since_ns is not None and self._may_tell(frame):
            self._predictions.put((frame, newest, True), live=True)

    def _may_tell(self, frame: Frame) -> bool:
        """Whether a frame may be passed on without a prediction of its own."""
        if (frame.captured_ns - self._told_ns) / 1e9 < _TELL_S or self._predictions.waiting:
            return False
        self._told_ns = frame.captured_ns
        return True

    def _wait_for_rate(self) -> None:
        """Wait until the next frame may be classified, or the rate changes; the newest frame is kept for it."""
        options = self.options
        max_fps = options.limits.lower(options.max_fps)
        if max_fps <= 0:
            return
        before = self._beats.classify
        due_s = max(before.due_s + 1 / max_fps, time.monotonic())
        self._beats.classify = ClassifyBeat(None, False, before.confirmed_ns, due_s)
        while (rest_s := due_s - time.monotonic()) > 0 and self.options is options:
            if self._stopping.wait(min(rest_s, _NOTICE_S)):
                break
        due_s = min(due_s, time.monotonic())  # another rate does not wait for what this one had planned
        self._beats.classify = ClassifyBeat(None, True, before.confirmed_ns, due_s)
