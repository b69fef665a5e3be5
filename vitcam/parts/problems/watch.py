"""Looks at the camera's picture twice a second, and makes an event of each problem."""

import logging
from collections.abc import Callable
from dataclasses import replace

from vitcam.frames import Event, Frame, Prediction
from vitcam.parts.problems.judge import SENTENCES, Judge, Lasts, Trouble
from vitcam.parts.problems.look import look_at
from vitcam.pipeline.frozen import FrozenWatch
from vitcam.run.kinds import Sees

log = logging.getLogger(__name__)

_EVERY_NS = 500_000_000


class ProblemWatch(Sees):
    """Looks at frames as they come; a look takes 0.6 ms.

    new_id  gives the id of an event
    tell    gets each problem when it begins and when it ends, with the frame at which it did; None: the run ended
    frozen  says whether the camera is; None: nobody watches that
    """

    def __init__(
        self,
        new_id: Callable[[], str],
        tell: Callable[[Event, Frame | None], None],
        frozen: FrozenWatch | None = None,
    ) -> None:
        self._new_id = new_id
        self._tell = tell
        self._frozen = frozen
        self._judge = Judge()
        self._next_ns = 0
        self._last_ns = 0
        self._event: Event | None = None
        self.problem: str | None = None
        """What is wrong now, as one sentence; None: nothing. Any thread may read it."""

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

    def drop_pixels(self) -> None:
        """Masks were drawn: learn again what the camera usually sees."""
        self._judge = Judge()

    def close(self, events: tuple[Event, ...]) -> None:
        """The problem that lasts ends with the run."""
        if self._event is not None:
            self._end(None)

    def _is_frozen(self) -> Lasts | None:
        since_ns = None if self._frozen is None else self._frozen.since_ns
        return None if since_ns is None else Lasts(Trouble.FROZEN, since_ns)

    def _begin(self, lasting: Lasts, frame: Frame) -> None:
        self.problem = SENTENCES[lasting.trouble]
        log.warning("%s", self.problem)
        self._event = Event(
            self._new_id(), "new", lasting.trouble.value, 1.0, lasting.start_ns, None, frame.source, kind="problem"
        )
        self._tell(self._event, frame)

    def _end(self, frame: Frame | None) -> None:
        event, self._event, self.problem = self._event, None, None
        if event is not None:
            log.info("the problem is over: %s", event.label)
            self._tell(replace(event, phase="end", end_ns=self._last_ns), frame)
