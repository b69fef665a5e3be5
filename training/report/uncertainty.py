"""How sure one may be of a figure that was measured on n photos: 95 % intervals where no formula fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..evaluate import Floats

DRAWS = 1000


@dataclass(frozen=True)
class Interval:
    """A figure and the ends of its 95 % interval."""

    value: float
    low: float
    high: float


def bootstrap(figure: Callable[[NDArray[np.int64]], float], n: int, low: float, high: float) -> Interval:
    """The basic bootstrap, which also takes out what resampling adds to a figure such as a calibration error.

    figure     of the photos at these places, (n,) with repetitions
    low, high  the ends of what the figure can be
    source     Davison & Hinkley 1997, "Bootstrap Methods and their Application", section 5.2
    """
    value = figure(np.arange(n))
    rng = np.random.default_rng(0)
    found = [figure(rng.integers(0, n, n)) for _ in range(DRAWS)]
    small, large = np.quantile(found, (0.025, 0.975))
    return Interval(value, float(np.clip(2 * value - large, low, high)), float(np.clip(2 * value - small, low, high)))


def bootstrap_mean(values: Floats, low: float, high: float) -> Interval:
    """The same of a mean over photos, (n,)."""
    wide = values.astype(np.float64)
    return bootstrap(lambda places: float(wide[places].mean()), len(wide), low, high)
