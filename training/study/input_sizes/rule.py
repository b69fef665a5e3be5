"""A quick look at a smaller input, and the full look where the quick one is not sure. NumPy only.

A quick look without a name is always followed by a full one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Prediction
from vitcam.teach.interval import wilson
from vitcam_training.evaluation.intervals import Interval

SAME = 0.995
"""The share of the displayed answers that shall be those of the full look."""
LEVELS = (0.9, 0.95, 0.98, 0.99, SAME)
ENTROPY, MARGIN, P = "entropy", "margin", "probability"
SURE: Mapping[str, str] = {
    P: "probability of the displayed name",
    MARGIN: "margin between the two best labels",
    ENTROPY: "entropy of all labels",
}
NEVER = np.inf
"""A threshold that no quick look reaches."""

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Pairs:
    """The quick and the full look at each of n pictures."""

    quick: tuple[str | None, ...]
    """What the quick look alone would display; None: no name."""
    full: tuple[str | None, ...]
    sure: Mapping[str, Floats]
    """(n,) how sure the quick look is, by each score; minus infinity where it displays no name."""

    @property
    def same(self) -> Flags:
        """(n,) whether both display the same."""
        return np.array([a == b for a, b in zip(self.quick, self.full, strict=True)], bool)

    @property
    def named(self) -> Flags:
        """(n,) whether the full look displays a name."""
        return np.array([name is not None for name in self.full], bool)


def pairs(quick: Sequence[Prediction], rows: Floats, full: Sequence[Prediction]) -> Pairs:
    """Of the same pictures in the same order.

    rows  (n, C) all probabilities of the quick looks
    """
    best = np.sort(rows, axis=1)[:, -2:]
    sure = {
        P: np.array([one.shown.p for one in quick]),
        MARGIN: best[:, 1] - best[:, 0],
        ENTROPY: (rows * np.log(np.maximum(rows, 1e-12))).sum(1),  # negative, so that more is surer
    }
    names = tuple(one.shown.label for one in quick)
    unnamed = np.array([name is None for name in names], bool)
    return Pairs(
        names,
        tuple(one.shown.label for one in full),
        {score: np.where(unnamed, -np.inf, values) for score, values in sure.items()},
    )


@dataclass(frozen=True)
class QuickRule:
    """A quick look that is at least so sure is displayed; any other is followed by a full look."""

    score: str
    least: float


@dataclass(frozen=True)
class RuleOutcome:
    """What a rule did on n pictures."""

    n: int
    looked_full: int
    """How many got the full look."""
    displayed: int
    """Of how many a name was displayed, by the rule or by the full look alone."""
    same: int
    """How many of these display the same."""

    @property
    def full_share(self) -> Interval:
        """The share with a full look."""
        return Interval(self.looked_full / self.n, *wilson(self.looked_full, self.n))

    @property
    def same_share(self) -> Interval:
        """The share of displayed answers that are the same."""
        return Interval(self.same / self.displayed, *wilson(self.same, self.displayed))

    def time(self, ratio: Interval) -> Interval:
        """In full looks: every picture gets the quick look, which takes `ratio` of one. The interval holds both."""
        share = self.full_share
        return Interval(ratio.value + share.value, ratio.low + share.low, ratio.high + share.high)


def outcome(found: Pairs, rule: QuickRule) -> RuleOutcome:
    """What a rule does on these pictures."""
    quick = found.sure[rule.score] >= rule.least
    displayed = found.named | quick
    same = found.same | ~quick
    return RuleOutcome(len(quick), int((~quick).sum()), int(displayed.sum()), int((same & displayed).sum()))


def fit(found: Pairs, score: str, level: float = SAME) -> QuickRule:
    """The rule by a score with the fewest full looks of which at least this share is the same on these pictures."""
    for least in sorted({float(each) for each in found.sure[score] if np.isfinite(each)}):
        if outcome(found, QuickRule(score, least)).same_share.value >= level:
            return QuickRule(score, least)
    return QuickRule(score, NEVER)


def best_rule(found: Pairs, level: float = SAME) -> QuickRule:
    """Of the rules by every score, that with the fewest full looks on these pictures."""
    return min((fit(found, score, level) for score in SURE), key=lambda rule: outcome(found, rule).looked_full)


def oracle(found: Pairs) -> RuleOutcome:
    """As if somebody told which quick looks display the same: no rule for single pictures takes less time."""
    different = int((~found.same).sum())
    named = int(found.named.sum())
    return RuleOutcome(len(found.quick), different, named, named)
