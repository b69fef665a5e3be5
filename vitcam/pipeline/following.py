"""What follows things in the frames, for the stages: a follower that fails does not end them."""

import threading
from collections.abc import Callable

from vitcam.frames import Frame
from vitcam.look.areas import Areas
from vitcam.look.follower import Follower
from vitcam.pipeline.retries import Retries


class Following:
    """Shows frames to what follows things in them. Where it fails nothing is followed, and it begins again.

    follower  gets each frame, from one thread at a time
    """

    def __init__(self, follower: Follower, stopping: threading.Event, failed: Callable[[str], None]) -> None:
        self._follower = follower
        self.retries = Retries("the follower", stopping, failed)

    def take(self, frame: Frame, areas: Areas) -> None:
        """Take a frame, with its masks drawn."""
        try:
            self._follower.take(frame, areas)
        except Exception as error:  # noqa: BLE001 - the model still sees the whole view
            self.retries.failed(error)
            self._follower.begin_anew()
        else:
            self.retries.worked()
