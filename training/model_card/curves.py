"""The curves of a run: loss and accuracy on training and test photos, epoch by epoch."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from vitcam_training.svg import ACCENT, FAINT, figure

CURVES = "curves.svg"
"""Beside the weights of a run."""


def draw_curves(logs: Sequence[Path], out: Path) -> None:
    """Draw the `log.csv` of a run's stages, in order, as one SVG.

    Training figures are means over the epoch while the weights changed, with dropout, augmentation and smoothed labels
    where the recipe has them; test figures are those of the averaged weights at its end, without. So the curve for
    training may well be the worse one.
    """
    rows = [row for log in logs for row in _read(log)]
    with figure(out, 9, 3.4, columns=2) as (losses, accuracies):
        for axes, kind, factor in ((losses, "loss", 1), (accuracies, "accuracy", 100)):
            for part, colour in (("train", FAINT), ("test", ACCENT)):
                label = "training, as trained" if part == "train" else "test"
                name = f"{part}_{kind}"
                scored = [epoch for epoch, row in enumerate(rows, 1) if name in row]
                axes.plot(scored, [factor * rows[epoch - 1][name] for epoch in scored], color=colour, label=label)
            axes.set_xlabel("epoch")
        losses.set_ylabel("cross-entropy")
        losses.set_yscale("log")
        accuracies.set_ylabel("right answers, %")
        best = rows[-1]["test_accuracy"] if rows else 0.0
        accuracies.set_title(f"test: {best:.2%} after the last epoch", fontsize=10)
        losses.legend(frameon=False)


def _read(log: Path) -> list[dict[str, float]]:
    with log.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [{name: float(value) for name, value in row.items() if value} for row in rows]  # empty: not scored
