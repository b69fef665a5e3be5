"""How much may be written to the disk: an SD card wears out by writing.

A token bucket. The less there is in it, the longer events wait for others, to be written together. A picture shows more
and more events that look the same, then new pictures are small, then they are left out. So what a day writes stays near
the budget, however much happens.
"""

import time
from enum import IntEnum
from typing import NamedTuple

_DAY_S = 86_400.0
_BURST = 0.2  # of a day's budget: a busy hour after quiet ones has whole pictures; the rest comes over the day
_SMALL_BELOW, _NONE_BELOW = 0.3, -0.5  # of the bucket
_SHORT_BELOW = 0.5
_PAGE = 4096
_COMMIT, _EVENT = 9000, 2500  # bytes, as /proc counts them for 300 events
_TOGETHER_S = 180.0  # each commit writes every index page that it touches, whatever the number of events
_WATCHED = 1 / 6  # as long, while somebody waits for the events
_UNWATCHED_S = 30.0  # nobody waits: most events are over by then, and are written once, with their best picture


class Detail(IntEnum):
    """What there is budget for."""

    NONE = 0
    """No picture, unless another event has one that looks the same."""
    SMALL = 1
    FULL = 2


class Bucket(NamedTuple):
    """The level at one moment; replaced as a whole."""

    level: float
    """In bytes; below 0 where more was written than the budget has."""
    at_s: float


class WriteBudget:
    """One thread spends, any thread reads.

    mb_per_day  10⁶ bytes; 0: no limit
    """

    def __init__(self, mb_per_day: float) -> None:
        self._per_s = mb_per_day * 1e6 * (1 - _BURST) / _DAY_S
        self._most = mb_per_day * 1e6 * _BURST
        self._bucket = Bucket(self._most, time.monotonic())

    def detail(self) -> Detail:
        """What there is budget for now."""
        left = self._left()
        return Detail.NONE if left <= _NONE_BELOW else Detail.SMALL if left < _SMALL_BELOW else Detail.FULL

    def wait_s(self, watched: bool = False) -> float:
        """How long changes wait for others, to be written together: longer, the less there is; 0 without a limit.

        watched  whether somebody waits for them
        """
        if not self.limited:
            return 0.0
        used = 1.0 - self._left()
        wait_s = _TOGETHER_S * used * used
        return min(_TOGETHER_S, wait_s * _WATCHED if watched else max(_UNWATCHED_S, wait_s))

    @property
    def limited(self) -> bool:
        """Whether there is any limit."""
        return self._per_s > 0

    @property
    def short(self) -> bool:
        """Whether there is less than one would like."""
        return self._left() < _SHORT_BELOW

    def picture(self, size: int) -> None:
        """Spend what the file of a picture costs, and the folder that names it."""
        self._spend((size // _PAGE + 2) * _PAGE)

    def commit(self, events: int) -> None:
        """Spend what a transaction costs."""
        self._spend(_COMMIT + events * _EVENT)

    def _left(self) -> float:
        """1: all; 0: nothing; down to -1."""
        return self._now().level / self._most if self.limited else 1.0

    def _spend(self, size: int) -> None:
        now = self._now()
        self._bucket = Bucket(max(now.level - size, -self._most), now.at_s)

    def _now(self) -> Bucket:
        before, now_s = self._bucket, time.monotonic()
        return Bucket(min(self._most, before.level + (now_s - before.at_s) * self._per_s), now_s)
