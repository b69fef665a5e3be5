"""Finds times in which something is to be seen that the model does not know. Blank pictures are not among them."""

from collections.abc import Callable
from dataclasses import dataclass

from vitcam.frames import Event, Prediction
from vitcam.history.stored import UNKNOWN

_BEGINS_NS = 5_000_000_000
_ENDS_NS = 10_000_000_000  # a guess that counts as known for a moment does not cut it in two


@dataclass(slots=True)
class UnknownWatch:
    """Of one zone. Fed with every prediction, in order."""

    new_id: Callable[[], str]
    _since_ns: int | None = None
    _last_ns: int = 0
    _event: Event | None = None

    def step(self, prediction: Prediction, seen: bool) -> Event | None:
        """A new event, or the end of the one that lasted; mostly None.

        seen  whether an event of a label lasts now
        """
        now = prediction.captured_ns
        if not prediction.known and not prediction.blank and not seen:
            self._since_ns = now if self._since_ns is None else self._since_ns
            self._last_ns = now
        elif self._since_ns is not None and (seen or now - self._last_ns > _ENDS_NS):
            self._since_ns = None
            return self.finish(self._last_ns)
        if self._event is None and self._since_ns is not None and self._last_ns - self._since_ns >= _BEGINS_NS:
            p = how_unknown(prediction)
            zone = prediction.zone
            self._event = Event(self.new_id(), "new", UNKNOWN, p, self._since_ns, None, prediction.source, zone=zone)
            return self._event
        return None

    def finish(self, now_ns: int) -> Event | None:
        """The end of the event that lasts; None if there is none."""
        lasting, self._event = self._event, None
        if lasting is None:
            return None
        return Event(lasting.id, "end", UNKNOWN, lasting.p, lasting.start_ns, now_ns, lasting.camera, zone=lasting.zone)

    @property
    def last_ns(self) -> int:
        """When it was last unknown."""
        return self._last_ns


def how_unknown(prediction: Prediction) -> float:
    """How certain it is that the picture shows nothing of the model's labels, 0 to 1."""
    familiar = prediction.top[0].p if prediction.familiarity is None else prediction.familiarity
    return 0.0 if prediction.blank else 1.0 - familiar
