"""Rates and latencies of the last moments, in bounded memory."""

import time
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from vitcam.state import Percentiles

_WINDOW_S = 2.0
BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Upper ends of the ranges that durations are counted in."""
_BUCKETS_MS = tuple(1000 * end for end in BUCKETS_S)


@dataclass(frozen=True, slots=True)
class StageTimes:
    """All durations of a stage since the start."""

    counts: tuple[int, ...]
    """In each range of `BUCKETS_S`, and of those that were longer."""
    total_s: float


class RateMeter:
    """Counts ticks; its rate is over the last two seconds and falls to 0 once they stay away."""

    def __init__(self) -> None:
        self._ticks: deque[float] = deque(maxlen=1024)
        self.count = 0

    def tick(self) -> None:
        """Count one more, now."""
        self._ticks.append(time.monotonic())
        self.count += 1

    def per_second(self) -> float:
        """Ticks/s, so that a stall gives 0 and not the last value."""
        now = time.monotonic()
        ticks = list(self._ticks)
        recent = ticks[bisect_right(ticks, now - _WINDOW_S) :]
        if len(recent) < 2:
            recent = ticks[-2:]  # slower than one a window
        if len(recent) < 2:
            return 0.0
        interval = (recent[-1] - recent[0]) / (len(recent) - 1)
        if now - recent[-1] > max(1.0, 2 * interval):
            return 0.0
        return 1 / max(interval, 1e-6)


class LatencyMeter:
    """The last few hundred durations of one stage, in ms, and how many of each length there were in all."""

    def __init__(self) -> None:
        self._ms: deque[float] = deque(maxlen=300)
        self._counts = [0] * (len(_BUCKETS_MS) + 1)
        self._total_ms = 0.0

    def add(self, ms: float) -> None:
        """One more duration. Called in one thread."""
        self._ms.append(ms)
        self._counts[bisect_left(_BUCKETS_MS, ms)] += 1
        self._total_ms += ms

    def times(self) -> StageTimes:
        """Any thread may ask."""
        return StageTimes(tuple(self._counts), self._total_ms / 1000)

    def percentiles(self) -> Percentiles | None:
        """None before the first."""
        if not self._ms:
            return None
        ms = sorted(self._ms)
        return Percentiles(*(round(_percentile(ms, share), 3) for share in (0.5, 0.9, 0.99)))


def _percentile(ms: Sequence[float], share: float) -> float:
    """As `numpy.percentile`, which takes 40 times as long for so few; ms in ascending order."""
    place = share * (len(ms) - 1)
    below = int(place)
    return ms[below] + (place - below) * (ms[min(below + 1, len(ms) - 1)] - ms[below])
