"""Looks at the camera's picture twice a second, and makes an event of each problem."""

import logging
from dataclasses import replace

from vitcam.daemon.publisher import Publisher, event_id
from vitcam.daemon.run import Run
from vitcam.frames import Event, Frame, Prediction
from vitcam.look.follower import Follower
from vitcam.parts.problems.judge import SENTENCES, Judge, Lasts, Trouble
from vitcam.parts.problems.measure import look_at
from vitcam.parts.problems.settings import ProblemSettings
from vitcam.parts.problems.stored import StoredProblems
from vitcam.pipeline.frozen import FrozenWatch
from vitcam.run.kinds import JudgesView, Sees
from vitcam.sources import is_camera

log = logging.getLogger(__name__)

_EVERY_NS = 500_000_000


class ProblemWatch(Sees, JudgesView):
    """Looks at frames as they come; a look takes 0.6 ms.

    events    gets each problem when it begins and when it ends
    follower  begins again where the camera was moved, and where it is back
    frozen    says whether the camera is
    stored    keeps problems; None: nothing is kept
    """

    def __init__(
        self, events: Publisher, follower: Follower, frozen: FrozenWatch, stored: StoredProblems | None = None
    ) -> None:
        self._events = events
        self._follower = follower
        self._frozen = frozen
        self._stored = stored
        self._judge = Judge()
        self._next_ns = 0
        self._last_ns = 0
        self._event: Event | None = None
        self._problem: str | None = None

    @property
    def problem(self) -> str | None:
        return self._problem

    def saw(self, frame: Frame, prediction: Prediction, events: tuple[Event, ...]) -> None:
        """Look at the frame, if it is time."""
        if frame.captured_ns < self._next_ns:
            return
        self._last_ns = frame.captured_ns
        self._next_ns = frame.captured_ns + _EVERY_NS
        lasting = self._is_frozen() or self._judge.take(look_at(frame, prediction))
        if self._event is not None and (lasting is None or lasting.trouble != self._event.label):
            self._end(frame)
        if self._event is None and lasting is not None:
            self._begin(lasting, frame)

    def rested(self, frame: Frame, prediction: Prediction) -> None:
        """Look at the frame, too: a camera is covered or freezes also while it rests."""
        self.saw(frame, prediction, ())

    def drop_pixels(self) -> None:
        """Masks were drawn: learn again what the camera usually sees."""
        self._judge = Judge()

    def close(self, events: tuple[Event, ...]) -> None:
        """The problem that lasts ends with the run."""
        if self._event is not None:
            self._end(None)

    def _is_frozen(self) -> Lasts | None:
        since_ns = self._frozen.since_ns
        return None if since_ns is None else Lasts(Trouble.FROZEN, since_ns)

    def _begin(self, lasting: Lasts, frame: Frame) -> None:
        self._problem = SENTENCES[lasting.trouble]
        log.warning("%s", self._problem)
        self._event = Event(
            event_id(), "new", lasting.trouble.value, 1.0, lasting.start_ns, None, frame.source, kind="problem"
        )
        self._tell(self._event, frame)

    def _end(self, frame: Frame | None) -> None:
        event, self._event, self._problem = self._event, None, None
        if event is not None:
            log.info("the problem is over: %s", event.label)
            self._tell(replace(event, phase="end", end_ns=self._last_ns), frame)

    def _tell(self, event: Event, frame: Frame | None) -> None:
        if self._stored is not None:
            self._stored.put(event, frame)
        if event.label == Trouble.MOVED:  # what was followed is in another view
            self._follower.begin_anew()
        self._events.report(event)


def make(run: Run) -> list[object]:
    """The watch, where the settings ask for it. A frozen camera is opened again also where they do not."""
    settings, frozen = run.settings[ProblemSettings], run.pipeline.frozen
    if settings.frozen_s and is_camera(run.settings.camera.source):
        frozen.watch(settings.frozen_s)
    if not settings.enabled or not run.is_live:
        return []
    stored = None if run.history is None else StoredProblems(run.history)
    return [ProblemWatch(run.events, run.pipeline.follower, frozen, stored)]
