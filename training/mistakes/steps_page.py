"""The part of the page on the run that stays at 2.32, and the plots of both parts."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path

from vitcam_training.ablation.page import Conditions
from vitcam_training.mistakes.cifar10 import BATCH, CIRCULATING, LAST, STEPS, circulating
from vitcam_training.mistakes.findings import CHANCE, MistakeFinding
from vitcam_training.mistakes.result import StepsResult
from vitcam_training.recipes.presets import count_parameters
from vitcam_training.svg import ACCENT, FAINT, PLAIN, figure

COLUMNS = 4


def cifar10_part(results: Sequence[StepsResult], c: Conditions | None, plot: str) -> list[str]:
    """The paragraphs on CIFAR-10, from the rows that were run.

    c  of these runs; None: there are none
    """
    found = {result.row: result for result in results}
    run = [_run(results, c), f"![Loss of each step, as it circulates and repaired]({plot})"] if c else []
    return ["## The run that stays at 2.32", _about(), *run, _table(found)]


def _about() -> str:
    parameters = count_parameters(circulating().model.config(10))
    return f"""A from-scratch ViT for PyTorch that circulates has {parameters:,} parameters (the preset `vit-shallow`)
and trains on photos of CIFAR-10 enlarged to 224 px. Its loss stays near 2.32; guessing among ten labels costs ln 10 =
{CHANCE:.3f}. Here it is rebuilt: attention across the batch (`nn.MultiheadAttention` without `batch_first=True`), Adam
at a constant 1e-3, no warm-up, no clipping, dropout of 0.1, pixels in 0..1, no norm before the head. The sizes follow
from the count of parameters; the other settings are common in such examples, so this is a reconstruction. Each row has
{STEPS} steps of {BATCH} photos, one seed, the same photos in the same order. That shows whether the loss leaves ln 10.
No test accuracy is measured.

Why it stays: the class token attends only to the class tokens of the other images. These are all alike, for none has
seen a patch. So the answer does not depend on the picture, and no optimiser can bring the mean loss below ln 10
([the unit test that shows it](../tests/unit/training/mistakes/test_altered_networks.py))."""


def _run(results: Sequence[StepsResult], c: Conditions) -> str:
    return f"""    KERAS_BACKEND={results[0].backend} vitcam-train mistakes --only cifar10

{c.date}, {c.machine}, bfloat16: {c.cpu_hours:.2f} hours of processor time, which is
{c.cpu_hours * 60 / c.cores:.0f} minutes on {c.cores} cores that do nothing else. On JAX each step takes three times as
long."""


def _table(found: dict[str, StepsResult]) -> str:
    lines = [
        f"| | what is changed | loss of step 1 | mean loss of steps {STEPS - LAST + 1} to {STEPS} | against ln 10 |",
        "|---|---|---:|---:|---:|",
    ]
    for row in CIRCULATING:
        if row.name in found:
            losses = found[row.name].losses
            last = statistics.fmean(losses[-LAST:])
            lines.append(f"| {row.question} | {row.title} | {losses[0]:.3f} | {last:.3f} | {last - CHANCE:+.3f} |")
        else:
            lines.append(f"| {row.question} | {row.title} | not yet run | | |")
    return "\n".join(lines)


def draw_curves(path: Path, found: dict[str, MistakeFinding]) -> None:
    """A plot for each mistake: the loss of every epoch, seed by seed, beside that of its right network."""
    wrong = [finding for finding in found.values() if not finding.row.is_right]
    rows = -(-len(wrong) // COLUMNS)
    with figure(path, 12, 0.5 + 2.0 * rows, COLUMNS, rows) as axes:
        places = axes.flatten()
        for place, finding in zip(places, wrong, strict=False):
            for curve in found[finding.row.against].curves:
                place.plot(range(1, len(curve) + 1), curve, color=FAINT, linewidth=1)
            for curve in finding.curves:
                place.plot(range(1, len(curve) + 1), curve, color=ACCENT, linewidth=1)
            place.axhline(CHANCE, color=PLAIN, linewidth=0.6, linestyle=":")
            place.set_title(finding.row.title, fontsize=8)
            place.set_ylim(0, 2.6)
        for place in places[len(wrong) :]:
            place.set_axis_off()
        places[0].figure.supxlabel(
            "epoch; grey: the right network, orange: with the mistake, dotted: ln 10", fontsize=9
        )
        places[0].figure.supylabel("loss of training", fontsize=9)


def draw_steps(path: Path, results: Sequence[StepsResult]) -> None:
    """The loss of each step, as the mean with the few before it, for every row that was run."""
    found = {result.row: result for result in results}
    with figure(path, 9, 4.5) as axes:
        for i, row in enumerate(row for row in CIRCULATING if row.name in found):
            losses = found[row.name].losses
            smooth = [statistics.fmean(losses[max(0, at - LAST + 1) : at + 1]) for at in range(len(losses))]
            dashed = row.network is CIRCULATING[0].network
            style, label = f"C{i}{':' if dashed else '-'}", row.title.replace("`", "")
            axes.plot(range(1, len(smooth) + 1), smooth, style, label=label)
        axes.axhline(CHANCE, color=PLAIN, linewidth=0.8)
        axes.set_ylim(1.7, 3.2)
        axes.set_xlabel(f"step; mean loss of it and up to {LAST - 1} before; line: ln 10; dotted: across the batch")
        axes.legend(fontsize=8)
