"""What a way out promises."""

from typing import Protocol

from vitcam.frames import Event, Prediction, Unreadable


class Sink(Protocol):
    """Called from one thread, in order."""

    def prediction(self, prediction: Prediction, changed: bool) -> None:
        """One frame was classified; `changed`: the smoothed top label is another than before."""
        ...

    def event(self, event: Event) -> None:
        """Something began, lasts, or ended."""
        ...

    def unreadable(self, bad: Unreadable) -> None:
        """A file was skipped."""
        ...

    def close(self, frames: int, errors: int, dropped: int, seconds: float) -> None:
        """Nothing more will come; the figures count the whole run."""
        ...
