"""What a page shows of an ablation: a table and a plot, each row over its seeds."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from vitcam_training.plots import ACCENT, FAINT, PLAIN, figure
from vitcam_training.study.ablation.rows import BASE, Row
from vitcam_training.study.ablation.sweep import Result
from vitcam_training.study.marked import fill, made_by, plot, table
from vitcam_training.study.seeds import half_interval


@dataclass(frozen=True)
class AblationFinding:
    """One row over its seeds. Accuracies are in percent."""

    row: Row
    runs: tuple[Result, ...]

    @property
    def accuracies(self) -> list[float]:
        """One for each seed, on the test photos."""
        return [100 * run.accuracy for run in self.runs]

    @property
    def mean(self) -> float:
        return statistics.fmean(self.accuracies)

    @property
    def spread(self) -> float:
        """Standard deviation over the seeds (n - 1)."""
        return statistics.stdev(self.accuracies)

    def cells(self, base: AblationFinding) -> str:
        """Its line of the table."""
        apart = "" if self is base else f"{self.mean - base.mean:+.2f} ± {margin(self, base):.2f}"
        trained = 100 * statistics.fmean(run.train_accuracy for run in self.runs)
        shuffled = 100 * statistics.fmean(run.shuffled_accuracy for run in self.runs)
        return (
            f"{self.row.title} | {self.runs[0].parameters:,} | {self.mean:.2f} ± {self.spread:.2f} | {apart} | "
            f"{trained:.2f} | {shuffled:.2f}"
        )


def findings(rows: Iterable[Row], results: Sequence[Result], seeds: int) -> list[AblationFinding]:
    """A finding for every row that has all its seeds."""
    found = [
        AblationFinding(row, tuple(sorted((each for each in results if each.row == row.name), key=lambda e: e.seed)))
        for row in rows
    ]
    return [each for each in found if len(each.runs) == seeds]


def margin(finding: AblationFinding, base: AblationFinding) -> float:
    """How far two means must lie apart, in points, to be called different: half of the 95 % interval of Student's t."""
    return half_interval(finding.accuracies, base.accuracies)


def write_page(path: Path, found: Sequence[AblationFinding], command: str, cpu_seconds: float) -> None:
    """Fill the page, and draw its plot beside it with the ending `.svg`. The base must be among the findings."""
    base = next(finding for finding in found if finding.row is BASE)
    head = "row | parameters | test accuracy, % | against base, points | last epoch of training, % | shuffled, %"
    parts = [
        plot(path.with_suffix(".svg"), "Test accuracy of each row, seed by seed"),
        table(head, *(finding.cells(base) for finding in found)),
        made_by(command, cpu_seconds, (run.backend for finding in found for run in finding.runs)),
    ]
    fill(path, {"rows": "\n\n".join(parts)})
    draw(path.with_suffix(".svg"), found, base)


def draw(path: Path, found: Sequence[AblationFinding], base: AblationFinding) -> None:
    """A line a row: every seed a dot, the mean with its standard deviation; the base as a band."""
    rows = list(found)[::-1]
    with figure(path, 9, 1.0 + 0.3 * len(rows)) as axes:
        axes.axvline(base.mean, color=ACCENT, linewidth=1)
        axes.axvspan(base.mean - base.spread, base.mean + base.spread, color=ACCENT, alpha=0.12, linewidth=0)
        for y, finding in enumerate(rows):
            axes.plot(finding.accuracies, [y] * len(finding.accuracies), "o", color=FAINT, markersize=4)
            axes.errorbar(finding.mean, y, xerr=finding.spread, fmt="|", color=PLAIN, capsize=3, markersize=9)
        axes.set_yticks(range(len(rows)), [finding.row.title for finding in rows])
        axes.set_xlabel("right answers on the test digits, %; dots: seeds, bars: standard deviation, band: the base")
