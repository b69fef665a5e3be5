"""Plots as SVG, drawn with matplotlib and the same to the byte for the same figures; the curves of a run."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ACCENT, PLAIN, FAINT = "#c2410c", "#334155", "#94a3b8"
CURVES = "curves.svg"
"""Beside the weights of a run."""


@contextmanager
def figure(path: Path, width: float, height: float, columns: int = 1, rows: int = 1) -> Iterator[Any]:
    """Axes, a row of them, or an array of rows, to draw on; written to `path` when the block ends. Sizes in inches."""
    import matplotlib as mpl  # half a second, which only those pay who draw

    with mpl.rc_context({"svg.hashsalt": "vitcam", "svg.fonttype": "none", "axes.grid": True, "grid.alpha": 0.3}):
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure

        drawn = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasSVG(drawn)
        axes = drawn.subplots(rows, columns)
        for one in drawn.axes:
            one.spines[["top", "right"]].set_visible(False)
        yield axes
        drawn.savefig(path, format="svg", metadata={"Date": None})


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
