"""Plots as SVG, drawn with matplotlib and the same to the byte for the same figures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ACCENT, PLAIN, FAINT = "#c2410c", "#334155", "#94a3b8"


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
