"""Plays frames at their own pace: waits until one is due, and can be stopped."""

import threading
import time

_TOO_LATE_S = 0.5
_TOO_EARLY_S = 60.0


class Pace:
    """Ties positions in a film to the clock. `stop` may be called from any thread."""

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._origin: float | None = None

    @property
    def stopped(self) -> bool:
        return self._stopped.is_set()

    def stop(self) -> None:
        """End every wait, now and later."""
        self._stopped.set()

    def restart(self) -> None:
        """The next position is due at once, and those after it follow."""
        self._origin = None

    def wait_for(self, position_s: float) -> None:
        """Wait until the frame at `position_s` of the film is due; not if it is late, or more than a minute early."""
        now = time.monotonic()
        if self._origin is None:
            self._origin = now - position_s
        early = self._origin + position_s - now
        if -_TOO_LATE_S <= early <= _TOO_EARLY_S:
            self._stopped.wait(max(0.0, early))
        else:  # the reader paused or is too slow, or the film's clock jumped: continue from here
            self._origin -= early
