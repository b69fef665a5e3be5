"""When each frame of a film is due, whatever its file says: times may be missing, jump, or be absurd."""

import math

ASSUMED_FPS = 25.0
"""Frames/s of a film that says nothing that can be true."""
_SLOWEST_FPS, _FASTEST_FPS = 1 / 60, 1000.0
_LONGEST_S = 60.0  # from one frame to the next; a camera that records changes alone may be silent for long


def is_possible(fps: float) -> bool:
    """Whether a film can have this rate, in frames/s."""
    return _SLOWEST_FPS <= fps <= _FASTEST_FPS


class FilmTimes:
    """Positions of the frames of one film in s: from 0, and never backwards.

    fps      of the film, for frames without a time
    believe  whether the file's own times are used
    """

    def __init__(self, fps: float, believe: bool) -> None:
        self._interval_s = 1 / fps
        self._believe = believe
        self._position_s = -self._interval_s
        self._before_s: float | None = None

    def next(self, time_s: float | None) -> float:
        """The position of the next frame, in s.

        time_s  the file's own time of it, from any origin; None: it has none
        """
        step_s = self._interval_s
        if self._believe and time_s is not None and math.isfinite(time_s):
            if self._before_s is not None and 0 < time_s - self._before_s <= _LONGEST_S:
                step_s = time_s - self._before_s
            self._before_s = time_s
        self._position_s = max(0.0, self._position_s + step_s)
        return self._position_s
