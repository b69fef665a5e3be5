"""What the page shows of the mistakes: tables, and a plot of the losses of training."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from vitcam_training.plots import ACCENT, FAINT, PLAIN, figure
from vitcam_training.study.marked import fill, made_by, plot, table
from vitcam_training.study.mistakes.digits import MistakeResult
from vitcam_training.study.mistakes.rows import Mistake
from vitcam_training.study.seeds import half_interval

CHANCE = math.log(10)
"""The loss of guessing among ten labels that are equally many."""
COLUMNS = 4


@dataclass(frozen=True)
class MistakeFinding:
    """One row over its seeds. Accuracies are in percent."""

    row: Mistake
    runs: tuple[MistakeResult, ...]

    @property
    def accuracies(self) -> list[float]:
        """One for each seed, on the test photos."""
        return [100 * run.accuracy for run in self.runs]

    @property
    def curve(self) -> list[float]:
        """The loss of training of each epoch, the mean over the seeds."""
        return [statistics.fmean(epoch) for epoch in zip(*(run.train_losses for run in self.runs), strict=True)]

    def cells(self, right: MistakeFinding) -> str:
        """Its line of the table."""
        mean, spread = statistics.fmean(self.accuracies), statistics.stdev(self.accuracies)
        trained = 100 * statistics.fmean(run.train_accuracies[-1] for run in self.runs)
        width = half_interval(self.accuracies, right.accuracies)
        apart = "" if right is self else f"{mean - statistics.fmean(right.accuracies):+.2f} ± {width:.2f}"
        losses = f"{self.curve[0]:.3f} | {self.curve[-1]:.3f}"
        return f"{self.row.title} | {losses} | {trained:.2f} | {mean:.2f} ± {spread:.2f} | {apart}"


def mistake_findings(
    rows: Iterable[Mistake], results: Sequence[MistakeResult], seeds: int
) -> dict[str, MistakeFinding]:
    """Name -> finding, for every row that has all its seeds and whose right network has them, too."""
    runs = [(row, tuple(sorted((r for r in results if r.row == row.name), key=lambda r: r.seed))) for row in rows]
    found = {row.name: MistakeFinding(row, its) for row, its in runs if len(its) == seeds}
    return {name: finding for name, finding in found.items() if finding.row.against in found}


def write_page(page: Path, found: dict[str, MistakeFinding], command: str) -> None:
    """Fill the page, and draw its plot beside it with the ending `.svg`."""
    svg = page.with_suffix(".svg")
    page.parent.mkdir(parents=True, exist_ok=True)
    draw_curves(svg, found)
    head = (
        "network | loss, first epoch | loss, last epoch | training accuracy, last epoch, % | test accuracy, % | "
        "against the right one, points"
    )
    rows = [finding.cells(found[finding.row.against]) for finding in found.values()]
    runs = [run for finding in found.values() for run in finding.runs]
    made = made_by(command, sum(run.cpu_seconds for run in runs), (run.backend for run in runs))
    drawn = plot(svg, "Loss of training, each mistake beside its right network")
    digits = "\n\n".join([drawn, table(head, *rows), made])
    shortened = {"shortened": _shortened(found["base"].runs)} if "base" in found else {}
    fill(page, {"digits": digits} | shortened)


def _shortened(runs: Sequence[MistakeResult]) -> str:
    """What the accuracy of one trained network is on parts of the test digits. It needs no training."""
    rows = []
    for run in runs:
        parts = [100 * share for share in run.thousands]
        between = f"{min(parts):.2f} to {max(parts):.2f} | {statistics.stdev(parts):.2f}"
        rows.append(
            f"{run.seed} | {100 * run.accuracy:.2f} | {parts[0]:.2f} | {between} | {100 * run.whole_batches:.3f}"
        )
    return table(
        "seed | all | first thousand | thousands, lowest to highest | standard deviation | only full batches", *rows
    )


def draw_curves(path: Path, found: dict[str, MistakeFinding]) -> None:
    """A plot for each mistake: the loss of every epoch, seed by seed, beside that of its right network."""
    wrong = [finding for finding in found.values() if not finding.row.is_right]
    rows = max(1, -(-len(wrong) // COLUMNS))
    with figure(path, 12, 0.5 + 2.0 * rows, COLUMNS, rows) as axes:
        places = axes.flatten()
        for place, finding in zip(places, wrong, strict=False):
            for shown, colour in ((found[finding.row.against], FAINT), (finding, ACCENT)):
                for run in shown.runs:
                    place.plot(range(1, len(run.train_losses) + 1), run.train_losses, color=colour, linewidth=1)
            place.axhline(CHANCE, color=PLAIN, linewidth=0.6, linestyle=":")
            place.set_title(finding.row.title, fontsize=8)
            place.set_ylim(0, 2.6)
        for place in places[len(wrong) :]:
            place.set_axis_off()
        places[0].figure.supxlabel(
            "epoch; grey: the right network, orange: with the mistake, dotted: ln 10", fontsize=9
        )
        places[0].figure.supylabel("loss of training", fontsize=9)
