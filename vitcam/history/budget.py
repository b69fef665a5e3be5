"""How much may be written to the disk: an SD card wears out by writing.

Two token buckets. One holds bytes. The less there is in it, the longer events wait for others, to be written together.
A picture shows more and more events that look the same, then new pictures are small, then they are left out. So what a
day writes stays near the budget, however much happens. The other one holds commits: each writes every index page that
it touches, whatever the number of events. A few come at once, and more of them wait, unless somebody looks.
"""

import time
from enum import IntEnum
from typing import NamedTuple

_DAY_S = 86_400.0
_BURST = 0.2  # of a day's budget: a busy hour after quiet ones has whole pictures; the rest comes over the day
_SHORT_BELOW, _SMALL_BELOW, _NONE_BELOW = 0.8, 0.3, -0.5  # of the bucket
_PAGE = 4096
_COMMIT, _EVENT = 13_000, 1_500  # bytes, as /proc counts them (tests/bench/commits.py)
_USUAL_COMMIT = 35_000  # with a dozen events
_COMMITS, _COMMITS_SHARE = 10, 0.7  # at once; what all of them may have of a day's budget
_TOGETHER_S = 180.0
_SETTLE_S = 5.0  # nobody waits: many events are over by then, and are written once, with their best picture
_WATCHED = 1 / 6  # as long, while somebody waits for the events


class PictureSize(IntEnum):
    """What there is budget for."""

    NONE = 0
    """No picture, unless another event has one that looks the same."""
    SMALL = 1
    FULL = 2


class TokenBucket(NamedTuple):
    """The level at one moment; replaced as a whole."""

    most: float
    per_s: float
    level: float
    """Below 0 where more was taken than there was, down to `-most`."""
    at_s: float

    def now(self) -> "TokenBucket":
        """What it holds now."""
        now_s = time.monotonic()
        level = min(self.most, self.level + (now_s - self.at_s) * self.per_s)
        return self._replace(level=level, at_s=now_s)

    def less(self, amount: float) -> "TokenBucket":
        """What is left after that was taken."""
        now = self.now()
        return now._replace(level=max(now.level - amount, -self.most))


class WriteBudget:
    """One thread spends, any thread reads.

    mb_per_day  10⁶ bytes; 0: no limit
    """

    def __init__(self, mb_per_day: float) -> None:
        a_day, now_s = mb_per_day * 1e6, time.monotonic()
        self._bytes = TokenBucket(a_day * _BURST, a_day * (1 - _BURST) / _DAY_S, a_day * _BURST, now_s)
        self._commits = TokenBucket(_COMMITS, a_day * _COMMITS_SHARE / _USUAL_COMMIT / _DAY_S, _COMMITS, now_s)

    def picture_size(self) -> PictureSize:
        """What there is budget for now."""
        left = self._left()
        if left <= _NONE_BELOW:
            return PictureSize.NONE
        return PictureSize.SMALL if left < _SMALL_BELOW else PictureSize.FULL

    def wait_s(self, watched: bool = False) -> float:
        """How long changes wait for others, to be written together: longer, the less there is; 0 without a limit.

        watched  whether somebody waits for them
        """
        if not self.limited:
            return 0.0
        wait_s = _TOGETHER_S * (1.0 - self._left()) ** 2
        if watched:
            return min(_TOGETHER_S, wait_s * _WATCHED)
        next_s = (1.0 - self._commits.now().level) / self._commits.per_s
        return min(_TOGETHER_S, max(_SETTLE_S, wait_s, next_s))

    @property
    def limited(self) -> bool:
        """Whether there is any limit."""
        return self._bytes.most > 0

    @property
    def short(self) -> bool:
        """Whether there is less than one would like."""
        return self._left() < _SHORT_BELOW

    def picture(self, size: int) -> None:
        """Spend what the file of a picture costs, and the folder that names it."""
        self._bytes = self._bytes.less((size // _PAGE + 2) * _PAGE)

    def commit(self, events: int) -> None:
        """Spend what a transaction costs."""
        self._bytes, self._commits = self._bytes.less(_COMMIT + events * _EVENT), self._commits.less(1)

    def _left(self) -> float:
        """1: all; 0: nothing; down to -1."""
        return self._bytes.now().level / self._bytes.most if self.limited else 1.0
