"""Three threads, capture | classify | publish, and the slots between them.

Live sources are never waited for: the newest frame wins in each slot, and frames that were replaced are counted. Files
are waited for: every frame passes every slot. Every wait has a time-out. A stage that hangs is seen in `heartbeats`.
"""

import logging
import math
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from vitcam.errors import TOLD_ELSEWHERE, VitcamError
from vitcam.frames import Frame, Image, Prediction
from vitcam.look.follower import Followed, Follower
from vitcam.look.resting import Resting
from vitcam.meters import StageTimes
from vitcam.pictures.resize import InputSpec
from vitcam.pipeline.beats import Beats, PublishBeat
from vitcam.pipeline.following import Following
from vitcam.pipeline.frozen import FrozenWatch
from vitcam.pipeline.latest_frame import ClassifiedFrame, LatestFrame
from vitcam.pipeline.limits import PaceLimits, Progress
from vitcam.pipeline.options import PipelineOptions
from vitcam.pipeline.retries import Retries
from vitcam.pipeline.stages import CaptureStage, ClassifyStage, Unseen
from vitcam.run.kinds import HoldsPixels, Specifies
from vitcam.sentence import Sentence
from vitcam.slot import Handover, Slot
from vitcam.sources.source import Source
from vitcam.state import Counts, FollowedState, Heartbeats, PipelineState, Rates, Status, ZoneRate
from vitcam.wire import wall_time

log = logging.getLogger(__name__)

_SLOW_NS = 5_000_000_000
_WATCHED_S = 0.3
_IDLE = PublishBeat()
_WAITS = Sentence("waiting for the first picture", "camera.waits")


class Pipeline(HoldsPixels):
    """Runs frames from a source through a classifier.

    classify  called in one thread
    publish   called for each prediction in order, with its frame, in one thread of its own
    over      set when the source is over, and when a stage has failed
    """

    def __init__(
        self,
        options: PipelineOptions,
        classify: Callable[[Frame], Prediction],
        publish: Callable[[Frame, Prediction], None],
        over: threading.Event | None = None,
    ) -> None:
        self._options = options
        self._changing = threading.Lock()
        self._publish = publish
        self.over = over or threading.Event()
        self.failure: VitcamError | None = None
        self.latest: Slot[ClassifiedFrame] = Slot()
        """The newest frame with the newest prediction, for viewers; of files, each frame with its own."""
        self.predicted: Slot[Prediction] = Slot()
        """The newest prediction, for followers."""
        self._beats = Beats()
        self._stopping = threading.Event()
        self._frames: Handover[Frame] = Handover(self._stopping)
        self._predictions: Handover[tuple[Frame, Prediction, bool] | Unseen] = Handover(self._stopping)
        limits = options.limits
        self._latest = latest = LatestFrame(self.latest, options.max_fps, limits, self._beats, options.areas)
        self._following = following = Following(options.follower, self._stopping, options.failed)
        self.frozen = FrozenWatch(options.areas)
        """Whether the camera is frozen, where somebody has asked for that."""
        self.resting = Resting(options.areas)
        """Whether nothing moves in the view."""
        self._capture = CaptureStage(
            options, self._beats, self._frames, latest, following, self.frozen, self.resting, self._stopping
        )
        self._classify = ClassifyStage(
            options, classify, self._beats, self._frames, latest, self.predicted, self._predictions, following,
            self.resting, self._stopping,
        )  # fmt: skip
        self._publishing = Retries("the publish stage", self._stopping, options.failed)
        self._threads: tuple[threading.Thread, ...] = ()
        self._started_s = time.monotonic()
        self._asked_s = 0.0
        self._watched_s = -math.inf
        """When a viewer waited for a picture last."""
        self._loads = 1

    def attach(self, *objects: object) -> None:
        """Ask those among them that say more of what is displayed. Call it before it starts."""
        self._classify.specifying += tuple(each for each in objects if isinstance(each, Specifies))

    def start(self, open_source: Callable[[], Source]) -> None:
        """Start the three stages.

        open_source  called for each attempt to open the source
        """
        stages: dict[str, Callable[[], None]] = {
            "capture_stage": lambda: self._capture.run(open_source),
            "classify_stage": self._classify.run,
            "publish_stage": self._publish_all,
        }
        self._threads = tuple(
            threading.Thread(target=self._guard, args=(stage,), name=name, daemon=True)
            for name, stage in stages.items()
        )
        for thread in self._threads:
            thread.start()

    @property
    def has_tried(self) -> bool:
        """Whether the source was opened, or it is known why it is not there yet."""
        return self._beats.capture.source is not None or bool(self.trouble)

    @property
    def trouble(self) -> str:
        """Why there is no picture, as one sentence; empty while there is one."""
        return self._beats.capture.trouble

    @property
    def stage_trouble(self) -> str:
        """What fails in a stage and is tried again, as sentences; empty if nothing does."""
        stages = (self._classify.retries.trouble, self._following.retries.trouble, self._publishing.trouble)
        return "; ".join(filter(None, stages))

    @property
    def gate(self) -> Callable[[Frame], bool] | None:
        """The gate in force."""
        return self._options.gate

    @property
    def limits(self) -> PaceLimits:
        """Of its pace, which others may set."""
        return self._options.limits

    @property
    def follower(self) -> Follower:
        """What follows things in the frames. Any thread may ask it."""
        return self._options.follower

    def change(self, max_fps: float, gate: Callable[[Frame], bool] | None) -> None:
        """Take over another rate and another gate, from the next frame on. May be called in any thread."""
        with self._changing:
            self._options = self._classify.options = replace(self._options, max_fps=max_fps, gate=gate)
        self._latest.limit(max_fps)

    def pause(self, paused: bool) -> bool:
        """Classify no frame of a live source until the pause ends; False: it is none. Any thread may call this."""
        with self._changing:
            self._options = self._classify.options = replace(self._options, paused=paused)
        return self._beats.capture.live

    @property
    def _is_paused(self) -> bool:
        return self._options.paused and self._beats.capture.live

    def use_model(self, name: str, spec: InputSpec) -> None:
        """Another model answers from now on. May be called in any thread.

        name  for people
        spec  its input
        """
        with self._changing:
            self._options = self._classify.options = replace(self._options, model=name, input=spec)
            self._options.follower.spec = spec
            self._loads += 1

    def drop_pixels(self) -> None:
        """Masks were drawn: keep no frame without them. One that is on its way gets them in the next stage."""
        self._options.follower.begin_anew()
        self._latest.drop_pixels()
        self._frames.forget()
        self._predictions.forget()

    def stop(self, timeout_s: float) -> bool:
        """Ask every stage to end; False if one still hangs after `timeout_s`."""
        self._stopping.set()
        if (source := self._beats.capture.source) is not None:
            source.stop()
        for slot in (self._frames, self._predictions, self.latest, self.predicted):
            slot.close()
        deadline = time.monotonic() + timeout_s
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def state(self, *others: str) -> PipelineState:
        """How things are now; cheap enough to be called every second by many.

        others  what is wrong elsewhere in the run, as sentences, the most important first: its status is `degraded`
                then, and not `ok`
        """
        status, own = self._status()
        reasons = (*own, *dict.fromkeys(filter(None, others)))
        captured, classified = self._capture.captured, self._classify.classified
        skipped, rested = self._classify.skipped, self._capture.rested
        rates = [meter.per_second() for meter in (captured, classified, skipped, rested)]
        dropped = max(0.0, rates[0] - sum(rates[1:])) if self._beats.capture.live else 0.0
        percentiles = ((stage, meter.percentiles()) for stage, meter in self._classify.latencies.items())
        follower, rates_of = self._options.follower, self._classify.by_zone
        followed = {zone.name for zone in self._options.areas.areas.zones if follower.is_on_in(zone)}
        return PipelineState(
            status="degraded" if reasons and status == "ok" else status,
            reason="; ".join(reasons),
            reasons=reasons,
            uptime_s=round(time.monotonic() - self._started_s, 3),
            source=self._options.source,
            model=self._options.model,
            model_loads=self._loads,
            fps=Rates(round(rates[0], 2), round(rates[1], 2), round(dropped, 2)),
            frames=Counts(captured.count, classified.count, self.dropped, skipped.count + rested.count),
            ms={stage: values for stage, values in percentiles if values is not None},
            zones={name: ZoneRate(round(rate.per_second(), 2), name in followed) for name, rate in rates_of.items()},
            follows=follower.is_on_in(None),
            following=tuple(map(_following_state, follower.followed)),
            paused=self._is_paused,
            resting_since=None if (since_ns := self.resting.since_ns) is None else wall_time(since_ns),
        )

    def times(self) -> dict[str, StageTimes]:
        """All durations since the start, by stage."""
        return {stage: meter.times() for stage, meter in self._classify.latencies.items()}

    def faults(self) -> dict[str, int]:
        """How often each part failed since the start and began again; `source` is what was lost, or was not there."""
        return {
            "source": self._capture.losses,
            "capture_stage": self._capture.retries.faults,
            "classify_stage": self._classify.retries.faults,
            "publish_stage": self._publishing.faults,
            "follower": self._following.retries.faults,
        }

    def progress(self) -> Progress:
        """How much it has classified; much cheaper than `state`."""
        newest = self.predicted.peek()
        return Progress(self._classify.classified.count, newest.ms.infer if newest else 0.0)

    def wants_frame(self) -> bool:
        """Called by a live source for each picture that came, before any work is put into it.

        False while no viewer waits for a picture and the model will take a later one; the picture counts as dropped.
        """
        now_s = time.monotonic()
        next_s, self._asked_s = now_s + 1.5 * (now_s - self._asked_s), now_s
        due_s, trouble = self._beats.classify.due_s, self._beats.capture.trouble
        if trouble:
            return True
        if self.rests:
            wanted = self.resting.wants(time.monotonic_ns(), self._is_watched)
            if not wanted:
                self._capture.rest()
            return wanted
        if next_s > due_s or self._options.gate is not None or self.latest.awaited:
            return True
        if self._options.follower.is_on(self._options.areas.areas):  # it has to see what moves
            return True
        self._capture.skip()
        return False

    @property
    def rests(self) -> bool:
        """Whether nothing moves."""
        return self.resting.since_ns is not None

    @property
    def _is_watched(self) -> bool:
        """Whether a viewer waits for the next picture, or did a moment ago and is busy with that one."""
        now_s = time.monotonic()
        if self.latest.awaited:
            self._watched_s = now_s
        return now_s - self._watched_s < _WATCHED_S

    @property
    def compares(self) -> bool:
        """Whether a small picture is enough of what `wants_frame` was asked for last. In the source's thread."""
        return self.rests and self.resting.compares

    def moves(self, picture: Image, captured_ns: int) -> bool:
        """Whether something moves in a small picture, so that all its px are wanted. In the source's thread.

        picture  (h, w, 3) uint8, RGB, upright
        """
        moves = self.resting.moves(picture, captured_ns)
        if not moves:
            self._capture.rest()
        return moves

    @property
    def dropped(self) -> int:
        """Frames of a live source that were not classified, and those that it lost itself."""
        return self._frames.dropped + self._beats.capture.lost

    def heartbeats(self) -> Heartbeats:
        """Whether every stage makes progress."""
        over = self._frames.closed
        dead = (thread.name for thread in self._threads if not thread.is_alive())
        return Heartbeats(
            capture_ns=None if over else self._beats.capture.at_ns,
            classifying_since_ns=self._beats.classify.since_ns,
            publishing_since_ns=self._beats.publish.since_ns,
            ended=() if over else tuple(dead),
        )

    def _status(self) -> tuple[Status, tuple[str, ...]]:
        """Of the pipeline alone, and its reasons."""
        if self.failure is not None:
            return "no_signal", (self.failure.sentence,)
        if self.trouble:
            return "no_signal", (self.trouble,)
        since_ns, slow = self._beats.classify.since_ns, ""
        if since_ns is not None and time.monotonic_ns() - since_ns > _SLOW_NS:
            slow = Sentence("the model has not answered for more than 5 seconds", "model.slow")
        elif self._classify.classified.count == 0:
            return "starting", (self._classify.retries.trouble or _WAITS,)
        pause = "nothing is classified, since somebody asked for a pause" if self._is_paused else ""
        reasons = tuple(filter(None, (pause, slow, self.stage_trouble)))
        return ("degraded" if reasons else "ok"), reasons

    def _publish_all(self) -> None:
        """Raises VitcamError when the output cannot be written; any error of files."""
        for told in self._predictions:
            self._beats.publish = PublishBeat(time.monotonic_ns())
            try:
                self._publish_one(told)
            except VitcamError:
                raise
            except Exception as error:  # the next prediction may be better
                if not (self._beats.capture.live or self._options.lasting):
                    raise
                self._publishing.failed(error)
                self._beats.publish = _IDLE
                self._publishing.wait()
            else:
                self._publishing.worked()
            self._beats.publish = _IDLE
        self.over.set()

    def _publish_one(self, told: tuple[Frame, Prediction, bool] | Unseen) -> None:
        if isinstance(told, Unseen):
            self._options.unseen(told.captured_ns, told.stood_ns)
            return
        frame, prediction, rests = told
        if rests:
            self._options.rested(frame, prediction)
        else:
            self._publish(frame, prediction)
            self._options.worked(frame.captured_ns)

    def _guard(self, stage: Callable[[], None]) -> None:
        """A stage that fails ends the run with its reason; it must not die in silence."""
        try:
            stage()
        except VitcamError as error:
            self._fail(error)
        except Exception as error:  # the outermost function of the thread: no caller could catch it
            failed = f"the {threading.current_thread().name.replace('_', ' ')} failed unexpectedly"
            log.exception(failed, extra=TOLD_ELSEWHERE)
            self._fail(VitcamError(f"{failed}: {error!r}"))

    def _fail(self, error: VitcamError) -> None:
        self.failure = self.failure or error
        self.over.set()


def _following_state(followed: Followed) -> FollowedState:
    age_s = max(0.0, (time.monotonic_ns() - followed.since_ns) / 1e9)
    return FollowedState(followed.place.track or 0, followed.place.zone, str(followed.box), round(age_s, 1))
