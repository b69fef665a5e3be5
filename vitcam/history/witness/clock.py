"""Wall time of moments that are known in monotonic time, on a machine whose clock may be set right later."""

import time

_TOLERANCE_NS = 250_000_000  # a clock that NTP drags along is not one that was set


class WallClock:
    """Keeps one distance between the two times, so that a moment has the same wall time whenever it is asked for.

    Used by one thread.
    """

    def __init__(self) -> None:
        self._offset_ns = _since_epoch() - time.monotonic_ns()
        self._booted_ns = _booted()

    def ms(self, monotonic_ns: int) -> int:
        """In ms since the epoch."""
        return (monotonic_ns + self._offset_ns) // 1_000_000

    def was_set_by(self) -> int:
        """By how many ms the clock was set since the last call; mostly 0.

        A machine that slept makes the distance larger, too. Its clock was not set, and what it saw before stays true.
        """
        offset_ns, booted_ns = _since_epoch() - time.monotonic_ns(), _booted()
        if abs(offset_ns - self._offset_ns) <= _TOLERANCE_NS:
            return 0
        step_ns, self._offset_ns, self._booted_ns = booted_ns - self._booted_ns, offset_ns, booted_ns
        return step_ns // 1_000_000 if abs(step_ns) > _TOLERANCE_NS else 0


def _since_epoch() -> int:
    return time.time_ns()


def _booted() -> int:
    """When the machine was started, by the wall clock as it is now."""
    return time.time_ns() - time.clock_gettime_ns(time.CLOCK_BOOTTIME)
