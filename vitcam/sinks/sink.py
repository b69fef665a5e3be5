"""The interface of a sink."""

from dataclasses import dataclass
from typing import Protocol

from vitcam.frames import Event, Prediction, Unreadable


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
