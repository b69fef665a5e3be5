"""What the figures say of each row: means, spreads, and a sentence that is made from them and from nothing else."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vitcam_training.ablation.result import Result
from vitcam_training.ablation.rows import BASE, Effect, Row

STUDENT = {2: 4.303, 3: 2.776, 4: 2.447, 5: 2.306, 6: 2.228, 7: 2.179, 8: 2.145, 9: 2.120, 10: 2.101}
"""Seeds -> Student's t for 2 (n - 1) degrees of freedom, two-sided, 95 %."""


@dataclass(frozen=True)
class AblationFinding:
    """One row over its seeds. Accuracies and differences are in percent and points."""

    row: Row
    parameters: int
    accuracies: tuple[float, ...]
    """One for each seed, on the test photos."""
    trained: float
    """Mean accuracy of the last epoch on what it trained on."""
    shuffled: float
    """Mean accuracy on shuffled patches."""

    @property
    def mean(self) -> float:
        return statistics.fmean(self.accuracies)

    @property
    def spread(self) -> float:
        """Standard deviation over the seeds (n - 1)."""
        return statistics.stdev(self.accuracies)


def findings(rows: Iterable[Row], results: Sequence[Result], seeds: int) -> list[AblationFinding]:
    """A finding for every row that has all its seeds."""
    runs_of = [(row, [result for result in results if result.row == row.name]) for row in rows]
    return [_finding(row, runs) for row, runs in runs_of if len(runs) == seeds]


def _finding(row: Row, runs: Sequence[Result]) -> AblationFinding:
    return AblationFinding(
        row,
        runs[0].parameters,
        tuple(100 * run.accuracy for run in sorted(runs, key=lambda run: run.seed)),
        100 * statistics.fmean(run.train_accuracy for run in runs),
        100 * statistics.fmean(run.shuffled_accuracy for run in runs),
    )


def margin(finding: AblationFinding, base: AblationFinding) -> float:
    """How far two means must lie apart, in points, to be called different: half of the 95 % interval of Student's t."""
    seeds = len(finding.accuracies)
    return STUDENT[seeds] * math.sqrt((finding.spread**2 + base.spread**2) / seeds)


def effect(finding: AblationFinding, base: AblationFinding) -> Effect:
    """Where the row lies, as far as its seeds can tell."""
    difference = finding.mean - base.mean
    if abs(difference) <= margin(finding, base):
        return "alike"
    return "above" if difference > 0 else "below"


VERDICTS: dict[tuple[Effect, Effect], str] = {
    ("below", "below"): "as expected",
    ("above", "above"): "as expected",
    ("alike", "alike"): "as expected",
    ("below", "alike"): "the expected loss did not show",
    ("above", "alike"): "the expected gain did not show",
    ("alike", "below"): "worse, against the expectation",
    ("alike", "above"): "better, against the expectation",
    ("below", "above"): "the opposite of what was expected",
    ("above", "below"): "the opposite of what was expected",
}
"""(expected, found) -> what to say of the two."""


def sentence(finding: AblationFinding, base: AblationFinding) -> str:
    """What was found, from the figures alone."""
    if finding.row is BASE:
        return f"{base.mean:.2f} ± {base.spread:.2f} %."
    found, difference = effect(finding, base), finding.mean - base.mean
    width, verdict = margin(finding, base), VERDICTS[finding.row.expected, found]
    if found == "alike":
        said = f"no difference that {len(base.accuracies)} seeds could show ({difference:+.2f} ± {width:.2f} points)"
    else:
        said = f"{abs(difference):.2f} ± {width:.2f} points {found} the base"
    return f"{said}: {verdict}."


def shuffling(finding: AblationFinding) -> str:
    """What shuffled patches did to it."""
    lost = finding.mean - finding.shuffled
    if abs(lost) < 0.005:
        return "Shuffled patches change nothing."
    return f"Shuffled patches leave {finding.shuffled:.2f} %."
