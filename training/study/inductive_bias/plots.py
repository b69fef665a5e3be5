"""The plots of the page, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vitcam_training.plots import ACCENT, FAINT, PLAIN, figure
from vitcam_training.study.inductive_bias.distance import AttentionDistances
from vitcam_training.study.inductive_bias.findings import FoundByRuns
from vitcam_training.study.inductive_bias.runs import CNN, FINETUNED, SHIFTS, VIT

STYLES: dict[str, dict[str, Any]] = {
    VIT.name: {"color": ACCENT, "marker": "o"},
    CNN.name: {"color": PLAIN, "marker": "s"},
    FINETUNED.name: {"color": "#0f766e", "marker": "^"},
}


def draw_distances(path: Path, networks: Sequence[AttentionDistances]) -> None:
    """A panel a network, a column a block, a dot a head; the line is what a head has that looks everywhere alike."""
    with figure(path, 3.4 * len(networks), 3.4, columns=len(networks)) as columns:
        panels = [columns] if len(networks) == 1 else columns
        panels[0].set_ylabel("mean attention distance, % of the side")
        for axes, network in zip(panels, networks, strict=True):
            blocks = range(1, len(network.distances) + 1)
            axes.axhline(100 * network.even, color=FAINT, linestyle="--", linewidth=1)
            for head in network.distances.T:
                axes.plot(blocks, 100 * head, "o", color=PLAIN, markersize=4)
            axes.plot(blocks, 100 * network.distances.mean(1), color=ACCENT, linewidth=1.5)
            axes.set_title(network.title, fontsize=10)
            axes.set_xlabel("block")
            axes.set_ylim(0, 70)
            axes.set_xticks(list(blocks)[:: 1 if len(blocks) < 8 else 2])


def draw_curve(path: Path, found: FoundByRuns, shipped: float | None) -> None:
    """Accuracy over the number of photos; every seed a dot, the mean a line.

    shipped  accuracy of the shipped fine-tuned model, percent
    """
    with figure(path, 7.5, 4.2) as axes:
        for contestant in (FINETUNED, CNN, VIT):
            shares = found.shares(contestant)
            style = STYLES[contestant.name]
            for share in shares:
                values = found.accuracies(contestant, share)
                axes.plot([found.photos(share)] * len(values), values, linestyle="", markersize=3, alpha=0.6, **style)
            means = [found.mean(contestant, share) for share in shares]
            places = [found.photos(share) for share in shares]
            axes.plot(places, means, label=contestant.title, markersize=5, **style)
        if shipped is not None:
            style = STYLES[FINETUNED.name] | {"marker": "*"}
            axes.plot(
                [found.photos(1.0)], [shipped], linestyle="", markersize=9, label="the shipped model cifar10", **style
            )
        axes.set_xscale("log")
        axes.set_ylim(0, 100)
        axes.set_xlabel("photos to train on")
        axes.set_ylabel("right answers on the test photos, %")
        axes.legend(frameon=False, fontsize=9, loc="lower right")


def draw_moved(path: Path, found: FoundByRuns) -> None:
    """How often the answer stays as a picture moves; every seed a thin line, the mean a thick one."""
    with figure(path, 6, 3.6) as axes:
        for contestant in (CNN, VIT):
            runs = found.moved(contestant, "agreement")
            style = {"color": STYLES[contestant.name]["color"]}
            for run in runs:
                axes.plot((0, *SHIFTS), [100 * value for value in run], linewidth=0.7, alpha=0.5, **style)
            if runs:
                means = [100 * sum(values) / len(values) for values in zip(*runs, strict=True)]
                axes.plot((0, *SHIFTS), means, linewidth=2, label=contestant.title, **style)
        axes.set_xlabel("picture moved to the right, px; a patch is 4 px wide")
        axes.set_ylabel("same answer as before, %")
        if axes.lines:
            axes.legend(frameon=False, fontsize=9)
