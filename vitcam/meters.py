"""Rates and latencies of the last moments, in bounded memory."""

import time
from bisect import bisect_left
from collections import deque
from dataclasses import dataclass

import numpy as np

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
        recent = [t for t in ticks if t > now - _WINDOW_S]
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
        p50, p90, p99 = np.percentile(list(self._ms), (50, 90, 99))
        return Percentiles(round(float(p50), 3), round(float(p90), 3), round(float(p99), 3))
