"""A camera that was moved sees another view: what was followed in the one before is followed no more."""

from vitcam.follow.follower import Follower
from vitcam.frames import Event, Prediction
from vitcam.parts.problems.judge import Trouble
from vitcam.run.kinds import Hears


class MovedCamera(Hears):
    """Lets a follower begin again when the camera was moved, and when it is back."""

    def __init__(self, follower: Follower) -> None:
        self._follower = follower

    def heard(self, prediction: Prediction | None, events: tuple[Event, ...]) -> None:
        for event in events:
            if event.kind == "problem" and event.label == Trouble.MOVED and event.phase != "update":
                self._follower.begin_anew()
