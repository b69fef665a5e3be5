"""How sure a mean over photos is: the bootstrap, with the same draws for every difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

DRAWS = 10_000
COVERED = 0.95


@dataclass(frozen=True)
class Interval:
    """A mean over photos and where it lies with a confidence of 95 %."""

    mean: float
    low: float
    high: float

    @property
    def above_zero(self) -> bool:
        return self.low > 0

    @property
    def below_zero(self) -> bool:
        return self.high < 0


def bootstrap(values: NDArray[np.floating[Any]], seed: int, draws: int = DRAWS) -> list[Interval]:
    """Percentile intervals of the mean of each column.

    values  (n, M): a row for each photo; a column is a figure or a difference of two on the same photo
    source  Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapter 13
    """
    count = len(values)
    rng = np.random.default_rng(seed)
    means = np.empty((draws, values.shape[1]))
    for start in range(0, draws, 1000):  # a draw of n photos is how often each of them was drawn
        times = rng.multinomial(count, np.full(count, 1 / count), min(1000, draws - start))
        means[start : start + len(times)] = times @ values / count
    edge = 100 * (1 - COVERED) / 2
    low, high = np.percentile(means, (edge, 100 - edge), axis=0)
    return [Interval(*map(float, column)) for column in zip(values.mean(0), low, high, strict=True)]
