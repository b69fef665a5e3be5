"""The page and the plot that people read of an ablation: every sentence on what was found comes from the figures."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from vitcam_training.plots import ACCENT, FAINT, PLAIN, figure
from vitcam_training.study.ablation.findings import AblationFinding, sentence, shuffling
from vitcam_training.study.ablation.rows import BASE, ROWS
from vitcam_training.study.ablation.sweep import PHOTOS, Conditions


def write_page(path: Path, found: Sequence[AblationFinding], conditions: Conditions) -> None:
    """Write the page, and its plot beside it with the ending `.svg`. The base must be among the findings."""
    base = next(finding for finding in found if finding.row is BASE)
    plot = path.with_suffix(".svg")
    draw(plot, found, base)
    parts = [_intro(conditions, plot, len(found)), _table(found, base), *_sections(found, base)]
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _intro(c: Conditions, plot: Path, rows: int) -> str:
    some = f"\nThese are {rows} of {len(ROWS)} rows; without `--rows` the command runs all." if rows < len(ROWS) else ""
    title = (
        "What single options of a Vision Transformer do" if some else "What each part of a Vision Transformer is for"
    )
    return f"""# {title}

Each row changes one thing of the base, the recipe `ablation`. That is the digit model (16 patches, width 32, 4 heads, 3
blocks). It has no class token: the head reads the first patch's token. It is
trained on the first {PHOTOS:,} digits of MNIST for {c.epochs} epochs, without augmentation, and tested on
{c.test_photos:,}. Each row ran with {c.seeds} seeds; ± is their standard deviation. All rows share the base's learning
rate and schedule, which were chosen for none of them: a row may do better with its own.{some}

    {c.command}

{c.date}, {c.machine}: {c.cpu_hours:.2f} hours of processor time, which is
{c.cpu_hours * 60 / c.cores:.0f} minutes on {c.cores} cores that do nothing else.

A row counts as different from the base when the means lie further apart than half the 95 % interval of Student's t for
their difference, given after the ± in the text. Of twenty comparisons that are all alike, one will look different.
"As expected" means that a difference beyond the spread has the sign that the literature leads one to expect; it says
nothing of its size. Training has failed where the last epoch had less than half as many training digits right as the
base's.
"Shuffled" is the accuracy on test digits whose patches stand in random order; training never sees such.

[inductive-bias.md](../inductive_bias/inductive-bias.md) says what a convolution has built in and a ViT has to learn.

![Test accuracy of each row, seed by seed]({plot.name})"""


def _table(found: Sequence[AblationFinding], base: AblationFinding) -> str:
    lines = [
        "| row | parameters | test accuracy, % | against base, points | last epoch of training, % | shuffled, % |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for finding in found:
        apart = "" if finding is base else f"{finding.mean - base.mean:+.2f}"
        lines.append(
            f"| {finding.row.title} | {finding.parameters:,} | {finding.mean:.2f} ± {finding.spread:.2f} | {apart} "
            f"| {finding.trained:.2f} | {finding.shuffled:.2f} |"
        )
    return "\n".join(lines)


def _sections(found: Sequence[AblationFinding], base: AblationFinding) -> list[str]:
    others = (finding for finding in found if finding is not base)
    return [_section(question, list(group), base) for question, group in groupby(others, lambda f: f.row.question)]


def _section(question: str, group: Sequence[AblationFinding], base: AblationFinding) -> str:
    rows = [
        f"| {f.row.title} | {_sentence(f.row.because)} | {_sentence(sentence(f, base))} {shuffling(f)} |" for f in group
    ]
    return "\n".join([f"## {question}", "", "| row | expected | found |", "|---|---|---|", *rows])


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:].rstrip(".") + "."


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
