"""The limits that heat sets, as the classifying thread sees them."""


class HeatLimits:
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
