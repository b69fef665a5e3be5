"""A machine whose clocks a test sets."""

from vitcam.history.clock import MachineClock

SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000  # ms
TRUE_MS = 1_795_000_000_000
"""2026-11-18: when simulated days begin."""


class SimulatedClock(MachineClock):
    """Time passes only where the test says so. The wall clock is wrong by `wrong_ms`."""

    def __init__(self) -> None:
        self.boot = "boot-1"
        self.wrong_ms = 0
        self.synchronised = False
        self.true_ms = TRUE_MS
        self._up_since_ms = TRUE_MS - MINUTE

    def wait(self, ms: int) -> None:
        """Let time pass."""
        self.true_ms += ms

    def restart(self, off_ms: int, wrong_ms: int) -> None:
        """The machine is off for a while, and starts with a clock that is wrong."""
        self.true_ms += off_ms
        self._up_since_ms = self.true_ms
        self.true_ms += 20 * SECOND
        self.boot = f"boot-{self.true_ms}"
        self.wrong_ms, self.synchronised = wrong_ms, False

    def set_to(self, wrong_ms: int, synchronised: bool) -> None:
        """Somebody sets the clock; a time server does if it is synchronised then."""
        self.wrong_ms, self.synchronised = wrong_ms, synchronised

    def up_ms(self) -> int:
        return self.true_ms - self._up_since_ms

    def booted_ms(self) -> int:
        return self._up_since_ms + self.wrong_ms

    def is_synchronised(self) -> bool:
        return self.synchronised
