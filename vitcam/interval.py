"""How sure a share is that was counted on few photos."""

import math

Z95 = 1.959963984540054  # standard deviations about the mean that hold 95 % of a normal distribution


def wilson(right: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a share, `right` of `n`. Fits few photos and shares near 0 or 1, unlike the usual ± 1.96 σ.

    source  Wilson 1927; Brown, Cai & DasGupta 2001, "Interval estimation for a binomial proportion"
    """
    share, squared = right / n, Z95**2
    middle = (share + squared / (2 * n)) / (1 + squared / n)
    half = Z95 * math.sqrt(share * (1 - share) / n + squared / (4 * n * n)) / (1 + squared / n)
    return max(0.0, middle - half), min(1.0, middle + half)
