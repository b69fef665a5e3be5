"""How far two means over seeds must lie apart to be called different, by Student's t."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from vitcam.errors import UsageError

STUDENT = {2: 4.303, 3: 2.776, 4: 2.447, 5: 2.306, 6: 2.228, 7: 2.179, 8: 2.145, 9: 2.120, 10: 2.101}
"""Seeds -> Student's t for 2 (n - 1) degrees of freedom, two-sided, 95 %."""


def check_seeds(seeds: int) -> None:
    """Raise UsageError for a number of seeds without a spread, or beyond the table."""
    if seeds not in STUDENT:
        raise UsageError(f"--seeds is {seeds}; {min(STUDENT)} to {max(STUDENT)} are allowed")


def half_interval(first: Sequence[float], second: Sequence[float]) -> float:
    """Half of the 95 % interval of Student's t for the difference of two means of as many seeds."""
    variances = statistics.variance(first) + statistics.variance(second)
    return STUDENT[len(first)] * math.sqrt(variances / len(first))
