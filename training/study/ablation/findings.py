"""What the figures say of each row: means, spreads, and a sentence that is made from them and from nothing else."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vitcam_training.study.ablation.rows import BASE, Effect, Row
from vitcam_training.study.ablation.sweep import Result
from vitcam_training.study.seeds import half_interval


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
    return half_interval(finding.accuracies, base.accuracies)


def effect(finding: AblationFinding, base: AblationFinding) -> Effect:
    """Where the row lies, as far as its seeds can tell."""
    difference = finding.mean - base.mean
    if abs(difference) <= margin(finding, base):
        return "alike"
    return "above" if difference > 0 else "below"


VERDICTS: dict[tuple[Effect, Effect], str] = {
    ("below", "below"): "as expected",
    ("above", "above"): "as expected",
    ("alike", "alike"): "no difference was expected, and none showed",
    ("below", "alike"): "the expected loss did not show",
    ("above", "alike"): "the expected gain did not show",
    ("alike", "below"): "worse, against the expectation",
    ("alike", "above"): "better, against the expectation",
    ("below", "above"): "the opposite of what was expected",
    ("above", "below"): "the opposite of what was expected",
}
"""(expected, found) -> what to say of the two. Only the sign of a difference is judged, and only beyond the spread."""


def failed(finding: AblationFinding, base: AblationFinding) -> bool:
    """Whether it did not learn: the last epoch had less than half as many training photos right as the base's."""
    return finding.trained < base.trained / 2


def sentence(finding: AblationFinding, base: AblationFinding) -> str:
    """What was found, from the figures alone."""
    if finding.row is BASE:
        return f"{base.mean:.2f} ± {base.spread:.2f} %."
    found, difference = effect(finding, base), finding.mean - base.mean
    width = margin(finding, base)
    if found == "alike":
        said = f"within the spread of {len(base.accuracies)} seeds ({difference:+.2f} ± {width:.2f} points)"
    else:
        said = f"{abs(difference):.2f} ± {width:.2f} points {found} the base"
    return f"{said}: {_verdict(finding, base, found)}."


def _verdict(finding: AblationFinding, base: AblationFinding, found: Effect) -> str:
    expected = finding.row.expected
    if expected != "fails":
        return VERDICTS[expected, found]
    learned = f"the last epoch had {finding.trained:.2f} % of its training photos right"
    return f"it failed, as expected, {learned}" if failed(finding, base) else f"it did not fail, {learned}"


def shuffling(finding: AblationFinding) -> str:
    """What shuffled patches did to it."""
    lost = finding.mean - finding.shuffled
    if abs(lost) < 0.005:
        return "Shuffled patches change nothing."
    return f"Shuffled patches leave {finding.shuffled:.2f} %."
