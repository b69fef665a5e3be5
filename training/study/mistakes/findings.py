"""What the figures say of each mistake: means, spreads, and how it shows in a log. All of it is made from the runs."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vitcam_training.study.ablation.findings import VERDICTS
from vitcam_training.study.ablation.rows import Effect
from vitcam_training.study.mistakes.digits import MistakeResult
from vitcam_training.study.mistakes.rows import Mistake
from vitcam_training.study.seeds import half_interval

CHANCE = math.log(10)
"""The loss of guessing among ten labels that are equally many."""
NEAR = 0.1
"""A loss that ends less than this below CHANCE has not fallen."""

STAYS = "The loss stays at ln 10 = 2.303"
TOO_HIGH = "The loss stays above 1, though most answers are right"
SHOWN: dict[tuple[Effect, Effect], str] = {
    ("alike", "alike"): "Nothing shows",
    ("below", "alike"): "The loss ends lower, the test is as good",
    ("above", "alike"): "The loss ends higher, the test is as good",
    ("alike", "below"): "The loss falls as ever, the test is worse",
    ("below", "below"): "The loss falls further, the test is worse",
    ("above", "below"): "The loss ends higher, and the test is worse",
    ("alike", "above"): "The loss falls as ever, the test is better",
    ("below", "above"): "The loss falls further, and the test is better",
    ("above", "above"): "The loss ends higher, the test is better",
}
"""(last loss of training, accuracy of the test), both seen from the right network -> what a person sees."""


@dataclass(frozen=True)
class MistakeFinding:
    """One row over its seeds. Accuracies are in percent."""

    row: Mistake
    accuracies: tuple[float, ...]
    """One for each seed, on the test photos."""
    curves: tuple[tuple[float, ...], ...]
    """For each seed the mean loss of every epoch of training."""
    trained: tuple[float, ...]
    """Accuracy of the last epoch on what it trained on."""
    thousands: tuple[tuple[float, ...], ...]
    """For each seed the accuracy on every thousand of the test photos."""
    whole_batches: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Of the test accuracies."""
        return statistics.fmean(self.accuracies)

    @property
    def spread(self) -> float:
        """Standard deviation over the seeds (n - 1)."""
        return statistics.stdev(self.accuracies)

    @property
    def last_losses(self) -> tuple[float, ...]:
        """Of the last epoch, one for each seed."""
        return tuple(curve[-1] for curve in self.curves)

    @property
    def curve(self) -> tuple[float, ...]:
        """Mean over the seeds."""
        return tuple(statistics.fmean(epoch) for epoch in zip(*self.curves, strict=True))


def mistake_findings(
    rows: Iterable[Mistake], results: Sequence[MistakeResult], seeds: int
) -> dict[str, MistakeFinding]:
    """Name -> finding, for every row that has all its seeds and whose right network has them, too."""
    runs = [(row, sorted((r for r in results if r.row == row.name), key=lambda r: r.seed)) for row in rows]
    found = {row.name: _finding(row, its) for row, its in runs if len(its) == seeds}
    return {name: finding for name, finding in found.items() if finding.row.against in found}


def _finding(row: Mistake, runs: Sequence[MistakeResult]) -> MistakeFinding:
    return MistakeFinding(
        row,
        tuple(100 * run.accuracy for run in runs),
        tuple(tuple(run.train_losses) for run in runs),
        tuple(100 * run.train_accuracies[-1] for run in runs),
        tuple(tuple(100 * share for share in run.thousands) for run in runs),
        tuple(100 * run.whole_batches for run in runs),
    )


def so_far(
    rows: Iterable[Mistake], results: Sequence[MistakeResult], found: dict[str, MistakeFinding], seeds: int
) -> dict[str, str]:
    """Name -> what is there of every row without a finding: a verdict needs all seeds, of its right network too."""
    return {
        row.name: _begun([run for run in results if run.row == row.name], seeds)
        for row in rows
        if row.name not in found
    }


def _begun(runs: Sequence[MistakeResult], seeds: int) -> str:
    if not runs:
        return "Not yet run."
    first, last = (statistics.fmean(run.train_losses[epoch] for run in runs) for epoch in (0, -1))
    accuracy = 100 * statistics.fmean(run.accuracy for run in runs)
    losses = f"a loss of {first:.3f} in the first epoch and {last:.3f} in the last"
    return f"So far {len(runs)} of {seeds} seeds, without a verdict yet: {losses}; test accuracy {accuracy:.2f} %."


def side(figures: Sequence[float], right: Sequence[float]) -> Effect:
    """Where the mean lies, seen from the right network, as far as the seeds can tell."""
    difference = statistics.fmean(figures) - statistics.fmean(right)
    if abs(difference) <= half_interval(figures, right):
        return "alike"
    return "above" if difference > 0 else "below"


def symptom(finding: MistakeFinding, right: MistakeFinding) -> str:
    """What a person sees in the log of such a training, without the figures."""
    last = finding.curve[-1]
    if last > CHANCE - NEAR:
        return STAYS
    if last > 1 and statistics.fmean(finding.trained) > 50:
        return TOO_HIGH
    return SHOWN[side(finding.last_losses, right.last_losses), side(finding.accuracies, right.accuracies)]


def cost(finding: MistakeFinding, right: MistakeFinding) -> str:
    """What it costs on the test photos, and whether that was to be expected."""
    difference, width = finding.mean - right.mean, half_interval(finding.accuracies, right.accuracies)
    found = side(finding.accuracies, right.accuracies)
    expected = "below" if finding.row.expected == "fails" else finding.row.expected
    verdict = VERDICTS[expected, found]
    if found == "alike":
        seeds = len(finding.accuracies)
        return f"within the spread of {seeds} seeds ({difference:+.2f} ± {width:.2f} points): {verdict}."
    return f"{abs(difference):.2f} ± {width:.2f} points {found} {right.row.title}: {verdict}."
