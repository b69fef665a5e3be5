"""A camera that was moved sees another view: what was followed in the one before is followed no more."""

from vitcam.follow.follower import Follower
from vitcam.frames import Event, Prediction, Unreadable
from vitcam.problems.judge import Trouble
from vitcam.sinks.sink import Summary


class MovedCamera:
    """A `vitcam.sinks.sink.Sink` that lets a follower begin again when the camera was moved, and when it is back."""

    def __init__(self, follower: Follower) -> None:
        self._follower = follower

    def serving(self, url: str) -> None:
        """As `Sink` has it."""

    def prediction(self, prediction: Prediction, changed: bool) -> None:
        """As `Sink` has it."""

    def event(self, event: Event) -> None:
        """As `Sink` has it."""
        if event.kind == "problem" and event.label == Trouble.MOVED and event.phase != "update":
            self._follower.begin_anew()

    def unreadable(self, bad: Unreadable) -> None:
        """As `Sink` has it."""

    def close(self, summary: Summary | None) -> None:
        """As `Sink` has it."""
