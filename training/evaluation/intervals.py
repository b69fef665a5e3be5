"""Bootstrap: 95 % intervals of figures that were measured on photos, where no formula fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

DRAWS = 10_000
DRAWS_OF_FIGURES = 1000  # each is computed again
ENDS = (0.025, 0.975)


@dataclass(frozen=True)
class Interval:
    """A figure and where it lies with a confidence of 95 %."""

    value: float
    low: float
    high: float

    @property
    def above_zero(self) -> bool:
        return self.low > 0

    @property
    def below_zero(self) -> bool:
        return self.high < 0


def bootstrap_means(values: NDArray[np.floating[Any]], seed: int, draws: int = DRAWS) -> list[Interval]:
    """Percentile intervals of the mean of each column, all from the same draws.

    values  (n, M): a row for each photo; a column is a figure or a difference of two on the same photo
    source  Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapter 13
    """
    count = len(values)
    rng = np.random.default_rng(seed)
    means = np.empty((draws, values.shape[1]))
    for start in range(0, draws, 1000):  # a draw of n photos is how often each of them was drawn
        times = rng.multinomial(count, np.full(count, 1 / count), min(1000, draws - start))
        means[start : start + len(times)] = times @ values / count
    low, high = np.quantile(means, ENDS, axis=0)
    return [Interval(*map(float, column)) for column in zip(values.mean(0), low, high, strict=True)]


def bootstrap_figure(figure: Callable[[NDArray[np.int64]], float], n: int, low: float, high: float) -> Interval:
    """The basic bootstrap, for other figures than means: it also takes out what resampling adds to a calibration error.

    figure     of the photos at these places, (n,) with repetitions
    low, high  the ends of what the figure can be
    source     Davison & Hinkley 1997, "Bootstrap Methods and their Application", section 5.2
    """
    value = figure(np.arange(n))
    rng = np.random.default_rng(0)
    small, large = np.quantile([figure(rng.integers(0, n, n)) for _ in range(DRAWS_OF_FIGURES)], ENDS)
    return Interval(value, float(np.clip(2 * value - large, low, high)), float(np.clip(2 * value - small, low, high)))


def bootstrap_pair(figure: Callable[[NDArray[np.int64]], float], n: int, m: int) -> Interval:
    """The percentile bootstrap of a figure of two kinds of photos, each drawn again from its own kind.

    figure  of the photos at these places, (n + m,): n of the first kind, then m of the second
    """
    rng = np.random.default_rng(0)
    drawn = [
        figure(np.concatenate([rng.integers(0, n, n), n + rng.integers(0, m, m)])) for _ in range(DRAWS_OF_FIGURES)
    ]
    low, high = np.quantile(drawn, ENDS)
    return Interval(figure(np.arange(n + m)), float(low), float(high))
