"""What the runs found, network by network and share by share. Accuracies are in percent."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from vitcam_training.study.inductive_bias.runs import SHARES, BiasResult, Contestant
from vitcam_training.study.seeds import STUDENT, half_interval

PHOTOS = 48_000
"""To train on, in all."""


@dataclass(frozen=True)
class FoundByRuns:
    """The results of the runs that there are."""

    results: tuple[BiasResult, ...]

    def runs(self, contestant: Contestant, share: float = 1.0) -> list[BiasResult]:
        """In the order of their seeds."""
        own = [run for run in self.results if run.network == contestant.name and run.share == share]
        return sorted(own, key=lambda run: run.seed)

    def shares(self, contestant: Contestant) -> list[float]:
        """Those that there is a run of."""
        return [share for share in SHARES if self.runs(contestant, share)]

    def photos(self, share: float) -> int:
        """That a network with this share was trained on."""
        return next((run.photos for run in self.results if run.share == share), round(PHOTOS * share))

    def accuracies(self, contestant: Contestant, share: float) -> list[float]:
        """One for each seed, on the test photos."""
        return [100 * run.accuracy for run in self.runs(contestant, share)]

    def mean(self, contestant: Contestant, share: float) -> float:
        """Over the seeds, of which there must be one."""
        return statistics.fmean(self.accuracies(contestant, share))

    def moved(self, contestant: Contestant, what: str) -> list[list[float]]:
        """`accuracy` or `agreement` over the shifts, one list for each seed, in shares of 1."""
        return [run.moved[what] for run in self.runs(contestant) if run.moved]


def spread_text(values: Sequence[float]) -> str:
    """Mean ± standard deviation of figures in percent; of one figure, that figure and `one seed`."""
    if len(values) == 1:
        return f"{values[0]:.2f} (one seed)"
    return f"{statistics.fmean(values):.2f} ± {statistics.stdev(values):.2f}"


def difference_text(one: Sequence[float], other: Sequence[float]) -> str:
    """The difference of two means with half of the 95 % interval of Student's t, where both have equally many seeds."""
    difference = statistics.fmean(one) - statistics.fmean(other)
    if len(one) != len(other) or len(one) not in STUDENT:
        return f"{difference:+.2f}"
    width = half_interval(one, other)
    return f"{difference:+.2f} ± {width:.2f}{'' if abs(difference) > width else ', within the spread'}"
