"""The curves of a run: loss and accuracy on training and test photos, epoch by epoch."""

from __future__ import annotations

import csv
from pathlib import Path

from .svg import ACCENT, FAINT, figure

CURVES = "curves.svg"
"""Beside the weights of a run."""


def draw_curves(log: Path, out: Path) -> None:
    """Draw a run's `log.csv` as SVG.

    Training figures are means over the epoch while the weights changed, with dropout, augmentation and smoothed labels
    where the recipe has them; test figures are those of the averaged weights at its end, without. So the curve for
    training may well be the worse one.
    """
    with log.open(newline="") as file:
        rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
    epochs = [row["epoch"] for row in rows]
    with figure(out, 9, 3.4, columns=2) as (losses, accuracies):
        for axes, kind, factor in ((losses, "loss", 1), (accuracies, "accuracy", 100)):
            for part, colour in (("train", FAINT), ("test", ACCENT)):
                label = "training, as trained" if part == "train" else "test"
                axes.plot(epochs, [factor * row[f"{part}_{kind}"] for row in rows], color=colour, label=label)
            axes.set_xlabel("epoch")
        losses.set_ylabel("cross-entropy")
        losses.set_yscale("log")
        accuracies.set_ylabel("right answers, %")
        best = rows[-1]["test_accuracy"] if rows else 0.0
        accuracies.set_title(f"test: {best:.2%} after the last epoch", fontsize=10)
        losses.legend(frameon=False)
