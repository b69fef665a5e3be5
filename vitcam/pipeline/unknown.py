"""Finds times in which something is to be seen that the model does not know. Blank pictures are not among them.

Pure, as `vitcam.events`: the same predictions give the same events.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from vitcam.events import EventState, Rules
from vitcam.frames import UNKNOWN, Event, Prediction

_BEGINS_NS = 5_000_000_000
_ENDS_NS = 10_000_000_000  # a guess that counts as known for a moment does not cut it in two


@dataclass(slots=True)
class UnknownWatch:
    """Of one zone. Fed with every prediction, in order."""

    _since_ns: int | None = None
    _last_ns: int = 0
    _event: Event | None = None

    def step(
        self, rules: Rules, state: EventState, prediction: Prediction, new_id: Callable[[], str]
    ) -> tuple[Event, ...]:
        """A new event, or the end of the one that lasted; mostly nothing.

        rules   of the zone: where they name labels, `unknown` must be among them
        state   of the zone's other events, after this prediction: while one lasts, what is seen is not unknown
        new_id  called once for each event that begins
        """
        now = prediction.captured_ns
        other = state.current is not None or bool(rules.labels and UNKNOWN not in rules.labels)
        if not prediction.known and not prediction.blank and not other:
            self._since_ns = now if self._since_ns is None else self._since_ns
            self._last_ns = now
        elif self._since_ns is not None and (other or now - self._last_ns > _ENDS_NS):
            self._since_ns = None
            return self.finish()
        if self._event is None and self._since_ns is not None and self._last_ns - self._since_ns >= _BEGINS_NS:
            self._event = Event(
                new_id(), "new", UNKNOWN, prediction.strangeness, self._since_ns, None, prediction.source,
                zone=prediction.zone, kind="unknown",
            )  # fmt: skip
            return (self._event,)
        return ()

    def finish(self) -> tuple[Event, ...]:
        """The end of the event that lasts, when something unknown was seen last; nothing if there is none."""
        lasting, self._event = self._event, None
        return () if lasting is None else (replace(lasting, phase="end", end_ns=self._last_ns),)
