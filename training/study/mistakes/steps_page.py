"""The part of the page on the run that stays at 2.32, and the plots of both parts."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vitcam_training.plots import ACCENT, FAINT, PLAIN, figure
from vitcam_training.recipes.presets import count_parameters
from vitcam_training.study.ablation.sweep import Conditions
from vitcam_training.study.mistakes.cifar10 import (
    ALONE,
    BATCH,
    CIRCULATING,
    LAST,
    LONG,
    STEPS,
    StepsResult,
    StepsRow,
    circulating,
)
from vitcam_training.study.mistakes.findings import CHANCE, NEAR, MistakeFinding

COLUMNS = 4
PIECE = 40
"""Steps of the long rows whose losses are given as one mean."""
CIRCULATES, CLOSE = 2.32, 0.02
SHORT_ROWS = tuple(row for row in CIRCULATING if row.steps == STEPS)
LONG_ROWS = tuple(row for row in CIRCULATING if row.steps == LONG)


def cifar10_part(results: Sequence[StepsResult], c: Conditions | None, plot: str) -> list[str]:
    """The paragraphs on CIFAR-10, from the rows that were run.

    c  of these runs; None: there are none
    """
    found = {result.row: result for result in results}
    run = [_run(results, c), f"![Loss of each step, as it circulates and repaired]({plot})"] if c else []
    return [
        "## The run that stays at 2.32", _about(), *run, _table(found), *([_leaving(found)] if c else []),
        _settling(), _pieces(found), *_reproduced(found),
    ]  # fmt: skip


def _about() -> str:
    parameters = count_parameters(circulating().model.config(10))
    return f"""A from-scratch ViT for PyTorch that circulates has {parameters:,} parameters (the preset `vit-shallow`)
and trains on photos of CIFAR-10 enlarged to 224 px. Its loss stays near 2.32; guessing among ten labels costs ln 10 =
{CHANCE:.3f}. Here a network of its size is trained with its mistake, attention across the batch
(`nn.MultiheadAttention` without `batch_first=True`). It has Adam at a constant 1e-3, no warm-up, no clipping, batches
of 32, pixels in 0..1, and no norm before the head. It is not a copy of that run, which has ReLU, no dropout, and a
class token and positions drawn from N(0, 1); here they are GELU, a dropout of 0.1, and N(0, 0.02²). That run
takes 7,815 steps, and its mean loss by epoch is 2.8157, 2.3300, 2.3229, 2.3198 and 2.3186. Each row here has
{STEPS} steps of {BATCH} photos, one seed, the same photos in the same order. No test accuracy is measured.

Why it stays: the class token attends only to the class tokens of the other images. These are all alike, for none has
seen a patch. So the answer does not depend on the picture, and no optimiser can bring the mean loss below ln 10
([the unit test that shows it](../../../tests/training/unit/study/mistakes/test_altered_networks.py))."""


def _run(results: Sequence[StepsResult], c: Conditions) -> str:
    return f"""    KERAS_BACKEND={results[0].backend} python -m vitcam_training.study.mistakes --only cifar10

{c.date}, {c.machine}, bfloat16: {c.cpu_hours:.2f} hours of processor time, which is
{c.cpu_hours * 60 / c.cores:.0f} minutes on {c.cores} cores that do nothing else. On JAX each step takes 2.1 times as
long."""


def _table(found: dict[str, StepsResult]) -> str:
    lines = [
        f"| | what is changed | loss of step 1 | mean loss of steps {STEPS - LAST + 1} to {STEPS} | against ln 10 |",
        "|---|---|---:|---:|---:|",
    ]
    for row in SHORT_ROWS:
        if row.name in found:
            losses = found[row.name].losses
            last = _last(found[row.name])
            lines.append(f"| {row.question} | {row.title} | {losses[0]:.3f} | {last:.3f} | {last - CHANCE:+.3f} |")
        else:
            lines.append(f"| {row.question} | {row.title} | not yet run | | |")
    return "\n".join(lines)


def _last(result: StepsResult) -> float:
    return statistics.fmean(result.losses[-LAST:])


def _leaving(found: dict[str, StepsResult]) -> str:
    """Which rows have learned anything, from their last losses."""
    run = [row for row in SHORT_ROWS if row.name in found]
    left = [row for row in run if _last(found[row.name]) < CHANCE - NEAR]
    alone = [row.title for row in left if row.question == ALONE]
    count = f"{len(left)} of {len(run)} rows end more than {NEAR} below ln 10"
    return f"{count}, {'with one repair: ' + '; '.join(alone) if alone else 'none of them with one repair alone'}."


def _settling() -> str:
    return f"""Where the loss settles shows only later. So three rows take {LONG} steps, one pass over {LONG * BATCH:,}
photos: the run as it circulates, the same at a learning rate of 1e-4, and the run with every repair. Each figure is the
mean loss of {PIECE} steps, as a log shows it. What lies above ln 10 is noise: an output that does not depend on the
picture still follows the labels of the last batches, the more the higher the learning rate."""


def _means(result: StepsResult) -> list[float]:
    return [statistics.fmean(result.losses[start : start + PIECE]) for start in range(0, LONG, PIECE)]


def _pieces(found: dict[str, StepsResult]) -> str:
    starts = range(0, LONG, PIECE)
    lines = [
        "| steps | " + " | ".join(f"{start + 1} to {start + PIECE}" for start in starts) + " |",
        "|---|" + "---:|" * len(starts),
    ]
    for row in LONG_ROWS:
        if row.name in found:
            cells = [f"{mean:.3f}" for mean in _means(found[row.name])]
        else:
            cells = ["not yet run", *[""] * (len(starts) - 1)]
        lines.append(f"| {row.title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _reproduced(found: dict[str, StepsResult]) -> list[str]:
    """Which long row shows the loss that circulates, in every piece; nothing where none does."""
    seen = [
        row.title
        for row in LONG_ROWS
        if row.name in found and all(abs(mean - CIRCULATES) < CLOSE for mean in _means(found[row.name]))
    ]
    if not seen:
        return []
    return [f"The loss of {CIRCULATES} that circulates, to within {CLOSE}, shows here with: {'; '.join(seen)}."]


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
    """The loss of each step, as the mean with those before it, for every row that was run; the long rows beside."""
    found = {result.row: result for result in results}
    with figure(path, 12, 4.5, 2) as (short, long):
        _draw_rows(short, SHORT_ROWS, found, LAST)
        _draw_rows(long, LONG_ROWS, found, PIECE)
        short.figure.suptitle("line: ln 10; dotted: attention across the batch", fontsize=9)


def _draw_rows(axes: Any, rows: Sequence[StepsRow], found: dict[str, StepsResult], window: int) -> None:
    for i, row in enumerate(rows):
        if row.name not in found:
            continue
        losses = found[row.name].losses
        smooth = [statistics.fmean(losses[max(0, at - window + 1) : at + 1]) for at in range(len(losses))]
        dashed = row.network is CIRCULATING[0].network
        style, label = f"C{i}{':' if dashed else '-'}", row.title.replace("`", "")
        axes.plot(range(1, len(smooth) + 1), smooth, style, label=label)
    axes.axhline(CHANCE, color=PLAIN, linewidth=0.8)
    axes.set_ylim(1.7, 3.2)
    axes.set_xlabel(f"step; mean loss of it and up to {window - 1} before")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=8)
