"""Whether the wall clock is believed: a machine without a battery for its clock may start in any year.

Pure. What is believed may delete events by their age and correct their times; what is not believed may do neither.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

SAME_MS = 1000
"""Two starts of the machine that differ by no more are one: the clock was not set in between."""
EARLIEST_MS = 1_735_689_600_000
"""2025-01-01: no vitcam is older."""
_DAY_MS = 86_400_000
_AHEAD_MS = 7 * _DAY_MS  # a machine is off for some days, and a clock without a server may still be right then
_BEHIND_MS = 60_000
_SMALL_MS = 600_000  # a time server corrects a clock that ran alone for a while by less
_HOUR_MS, _WEEK_MS = 3_600_000, 7 * _DAY_MS


class Trust(IntEnum):
    """How much a clock is believed."""

    NONE = 0
    PLAUSIBLE = 1
    """No time server says so, but it says what may be right: a moment soon after the newest event."""
    SYNCHRONISED = 2


class KnownClock(NamedTuple):
    """The wall clock for a while: events that were dated by it have its number."""

    n: int
    booted_ms: int
    """When the machine was started, by this clock. An event's time less this is the time since the start."""
    trust: Trust
    first: int
    """No event with a smaller number was dated by it."""

    def says(self, booted_ms: int) -> bool:
        """Whether a wall clock is this one."""
        return abs(self.booted_ms - booted_ms) <= SAME_MS


@dataclass(frozen=True, slots=True)
class Reading:
    """What the machine's clocks say at one moment."""

    booted_ms: int
    up_ms: int
    synchronised: bool
    steady_ms: int
    """For how long the wall clock has run like this before the eyes of this process."""

    @property
    def now_ms(self) -> int:
        return self.booted_ms + self.up_ms

    @property
    def is_steady(self) -> bool:
        """Whether it has run like this for long enough to be believed, whatever came before."""
        return self.steady_ms >= (_HOUR_MS if self.synchronised else _WEEK_MS)


def judge(
    reading: Reading, known: Iterable[KnownClock], newest_ms: int | None, trusted_ms: int | None
) -> tuple[Trust, str]:
    """How much a reading is believed, and, where it is not, why.

    known       the clocks of this boot
    newest_ms   of the newest event before this run that a believed clock has dated; None: there is none
    trusted_ms  what the clock said when it was believed last; at first `newest_ms`
    """
    good = Trust.SYNCHRONISED if reading.synchronised else Trust.PLAUSIBLE
    if reading.is_steady:
        return good, ""
    now_ms = reading.now_ms
    if now_ms < max(EARLIEST_MS, (newest_ms or 0) - _BEHIND_MS):
        return Trust.NONE, "which is before the newest event" if newest_ms else "which is before vitcam was made"
    if trusted_ms is not None and now_ms > trusted_ms + _AHEAD_MS:
        return Trust.NONE, f"which is {(now_ms - trusted_ms) / _DAY_MS:,.0f} days after the newest event"
    alike = (each.trust for each in known if abs(each.booted_ms - reading.booted_ms) <= _SMALL_MS)
    if same := max(alike, default=Trust.NONE):
        return max(same, good), ""
    if any(each.trust is Trust.SYNCHRONISED for each in known):
        return Trust.NONE, "but a time server has said another time since the machine was started"
    return good, ""
