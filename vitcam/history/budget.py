"""How much may be written to the disk: an SD card wears out by writing.

A token bucket. While it is full enough, pictures have the size of the preview. Then they are small, then they are left
out, and events are written together. So what a day writes stays near the budget, however much happens.
"""

import time
from enum import IntEnum
from typing import NamedTuple

_DAY_S = 86_400.0
_BURST = 0.2  # of a day's budget: a busy hour after quiet ones has whole pictures; the rest comes over the day
_SMALL_BELOW = 0.3  # of the bucket
_PAGE = 4096
_COMMIT, _EVENT = 9000, 2500  # bytes, as /proc counts them for 300 events
_TOGETHER_S = 180.0  # each commit writes every index page that it touches, whatever the number of events


class Detail(IntEnum):
    """What there is budget for."""

    NONE = 0
    """No picture."""
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
        if not self._per_s:
            return Detail.FULL
        level = self._now().level
        return Detail.NONE if level <= 0 else Detail.SMALL if level < _SMALL_BELOW * self._most else Detail.FULL

    def wait_s(self) -> float:
        """How long changes are collected before they are written together."""
        return _TOGETHER_S if self.detail() is Detail.NONE else 0.0

    def picture(self, size: int) -> None:
        """Spend what the file of a picture costs, and the folder that names it."""
        self._spend((size // _PAGE + 2) * _PAGE)

    def commit(self, events: int) -> None:
        """Spend what a transaction costs."""
        self._spend(_COMMIT + events * _EVENT)

    def _spend(self, size: int) -> None:
        now = self._now()
        self._bucket = Bucket(max(now.level - size, -self._most), now.at_s)

    def _now(self) -> Bucket:
        before, now_s = self._bucket, time.monotonic()
        return Bucket(min(self._most, before.level + (now_s - before.at_s) * self._per_s), now_s)
