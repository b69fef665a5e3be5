"""Rates and latencies of the last moments, in bounded memory."""

import time
from collections import deque

import numpy as np

from vitcam.state import Percentiles

_WINDOW_S = 2.0


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
    """The last few hundred durations of one stage, in ms."""

    def __init__(self) -> None:
        self._ms: deque[float] = deque(maxlen=300)

    def add(self, ms: float) -> None:
        """One more duration."""
        self._ms.append(ms)

    def percentiles(self) -> Percentiles | None:
        """None before the first."""
        if not self._ms:
            return None
        p50, p90, p99 = np.percentile(list(self._ms), (50, 90, 99))
        return Percentiles(round(float(p50), 3), round(float(p90), 3), round(float(p99), 3))
