"""The interface of a sink."""

from dataclasses import dataclass
from typing import Protocol

from vitcam.frames import Event, Frame, Prediction, Unreadable


@dataclass(frozen=True, slots=True)
class Summary:
    """The counts of a whole run."""

    frames: int
    """Classified."""
    errors: int
    """Files that were skipped."""
    dropped: int
    """Frames that were not classified."""
    seconds: float


class Sink(Protocol):
    """Called from one thread, in order."""

    def serving(self, url: str) -> None:
        """The page can be watched there. Called once at most, from another thread."""
        ...

    def prediction(self, prediction: Prediction, changed: bool) -> None:
        """One frame was classified; `changed`: another label or group is there than before."""
        ...

    def event(self, event: Event) -> None:
        """Something began, lasts, or ended."""
        ...

    def unreadable(self, bad: Unreadable) -> None:
        """A file was skipped."""
        ...

    def close(self, summary: Summary | None) -> None:
        """Nothing more will come; None where the run failed and there is nothing to sum up."""
        ...


class FrameSink(Protocol):
    """Gets the pictures, too. Called from the publishing thread, in order; while it works, newer frames wait."""

    def saw(self, frame: Frame, prediction: Prediction, events: tuple[Event, ...]) -> None:
        """One frame was classified. A frame that is kept holds the camera's memory: copy or encode it.

        events  what began, lasts or ended with it; mostly nothing
        """
        ...

    def drop_pixels(self) -> None:
        """Masks were drawn: keep no picture that was taken before. Called in another thread, never beside `saw`."""
        ...

    def close(self, events: tuple[Event, ...]) -> None:
        """Nothing more will come. `events` have ended by that."""
        ...
