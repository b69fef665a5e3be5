"""Limits of a pipeline that others set while it runs, and what they need to know for it."""

from dataclasses import dataclass


class PaceLimits:
    """Written by one thread, read by others without a lock: each attribute is a plain number."""

    def __init__(self) -> None:
        self.max_fps = 0.0
        """Classify at most this many frames/s; 0: no limit."""
        self.threads = 0
        """Threads that run the model; 0: all that were asked for."""

    def lower(self, max_fps: float) -> float:
        """The narrower of this limit and another one, in frames/s; 0 means none, in both."""
        own = self.max_fps
        return min(own, max_fps) if own and max_fps else own or max_fps


@dataclass(frozen=True, slots=True)
class Progress:
    """What the pipeline did so far."""

    classified: int
    """Frames since the start."""
    infer_ms: float
    """For which the newest inference kept all threads busy; 0 before the first."""
