"""The page that people read of the mistakes: every sentence on what was found comes from the figures."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import groupby

from vitcam_training.study.ablation.sweep import PHOTOS, Conditions
from vitcam_training.study.mistakes.findings import MistakeFinding, cost, symptom
from vitcam_training.study.mistakes.rows import MISTAKES, Mistake
from vitcam_training.vit import ViT

TESTS = "../../../tests/training/unit/test_circulating_mistakes.py"


_INTRO = """These mistakes circulate in published code of Vision Transformers. Each runs without an error message.
Here each is put into a right network, alone, and trained by the recipe `ablation`: the digit model, the first
{photos:,} digits of MNIST, no augmentation. It has {c.epochs} epochs and {c.seeds} seeds, and is tested on
{c.test_photos:,} digits. ± is the standard deviation over the seeds. Nothing was chosen on the test digits.
[concepts.md](../../../docs/study/concepts.md) explains what is right, and names the test that fails if vitcam makes the
mistake; [ablation.md](../ablation/ablation.md) measures what each part is for.

    {c.command}

The same command continues after an interruption. Two figures count as different when their means lie further apart than
half the 95 % interval of Student's t, given after the ± in the text. Of twenty comparisons that are all alike, one will
look different."""


def digits_part(found: dict[str, MistakeFinding], so_far: dict[str, str], c: Conditions, plot: str) -> list[str]:
    """The paragraphs on the digits.

    so_far  name of each row that has not been run with all seeds -> what is there of it
    plot    the file of the curves, beside the page
    """
    rows = [row for row in MISTAKES if row.name in found or row.name in so_far]
    listed = [row for row in rows if not row.is_right or row.name in so_far]
    parts = [_INTRO.format(c=c, photos=PHOTOS), *([_effort(c)] if c.cpu_hours else [])]
    if seen := [found[row.name] for row in rows if row.name in found and not row.is_right]:
        parts += [
            f"![Loss of training, each mistake beside its right network]({plot})",
            "## Find yours in the log", _symptoms(seen, found), "## All figures", _table(found),
        ]  # fmt: skip
    parts += [
        _section(question, list(group), found, so_far) for question, group in groupby(listed, lambda row: row.question)
    ]
    return parts + (["## A shortened test set", _shortened(found["base"])] if "base" in found else [])


def _effort(c: Conditions) -> str:
    return f"""{c.date}, {c.machine}: {c.cpu_hours:.2f} hours of processor time, which is
{c.cpu_hours * 60 / c.cores:.0f} minutes on {c.cores} cores that do nothing else."""


def _symptoms(wrong: Sequence[MistakeFinding], found: dict[str, MistakeFinding]) -> str:
    """What is seen -> the mistakes that look so, in the order in which they come."""
    seen: dict[str, list[str]] = {}
    for finding in wrong:
        seen.setdefault(symptom(finding, found[finding.row.against]), []).append(finding.row.title)
    lines = [f"| {what} | {'; '.join(titles)} |" for what, titles in seen.items()]
    return "\n".join(["| what the log shows, beside the right network's | mistakes |", "|---|---|", *lines])


def _table(found: dict[str, MistakeFinding]) -> str:
    lines = [
        "| network | loss, first epoch | loss, last epoch | training accuracy, last epoch, % | test accuracy, % |"
        " against the right one, points |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for finding in found.values():
        right = found[finding.row.against]
        apart = "" if right is finding else f"{finding.mean - right.mean:+.2f}"
        lines.append(
            f"| {finding.row.title} | {finding.curve[0]:.3f} | {finding.curve[-1]:.3f} "
            f"| {statistics.fmean(finding.trained):.2f} | {finding.mean:.2f} ± {finding.spread:.2f} | {apart} |"
        )
    return "\n".join(lines)


def _section(question: str, group: Sequence[Mistake], found: dict[str, MistakeFinding], so_far: dict[str, str]) -> str:
    rows = [
        f"| {row.title} | {_capital(row.because)}. | {so_far.get(row.name) or _found(row, found)} | {_links(row)} |"
        for row in group
    ]
    return "\n".join([f"## {question}", "", "| mistake | expected | found | see |", "|---|---|---|---|", *rows])


def _found(row: Mistake, found: dict[str, MistakeFinding]) -> str:
    finding, right = found[row.name], found[row.against]
    losses = f"a loss of {finding.curve[0]:.3f} in the first epoch and {finding.curve[-1]:.3f} in the last"
    beside = f"{right.row.title}: {right.curve[0]:.3f} and {right.curve[-1]:.3f}"
    return f"{symptom(finding, right)}: {losses}; {beside}. Test: {cost(finding, right)}"


def _links(row: Mistake) -> str:
    file = row.network.__module__.rpartition(".")[2]
    changes = ", ".join(f"{name} = {str(value).lower()}" for name, value in (row.model | row.train).items())
    if row.is_right:
        return f"`{changes or 'as it is'}`"
    code = f"`{changes}` in a recipe" if row.network is ViT else f"[`{row.network.__name__}`]({file}.py)"
    return f"{code}, [the test that keeps it out]({TESTS})" if row.test else code


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _shortened(base: MistakeFinding) -> str:
    """What the accuracy of one trained network is on parts of the test digits. It needs no training."""
    lines = ["| seed | all | first thousand | thousands, lowest to highest | standard deviation | only full batches |"]
    lines.append("|---:|---:|---:|---:|---:|---:|")
    for i, (accuracy, parts, whole) in enumerate(
        zip(base.accuracies, base.thousands, base.whole_batches, strict=True), 1
    ):
        lines.append(
            f"| {i} | {accuracy:.2f} | {parts[0]:.2f} | {min(parts):.2f} to {max(parts):.2f} "
            f"| {statistics.stdev(parts):.2f} | {whole:.3f} |"
        )
    share = base.mean / 100
    chance = 100 * (share * (1 - share) / 1000) ** 0.5
    moved = max(abs(whole - all_) for whole, all_ in zip(base.whole_batches, base.accuracies, strict=True))
    text = f"""This needs no training: the right network of each seed, tested on the first thousand digits, on each of
the ten thousands, and without the last batch, which is not full. Chance alone gives the accuracy on a thousand photos a
standard deviation of {chance:.2f} points (binomial, at {base.mean:.1f} %). So two such accuracies may differ by
{1.96 * 2**0.5 * chance:.1f} points though the networks are equally good (95 % of the cases). Without the last batch of
16 digits the accuracy changes by at most {moved:.2f} points, and it is that of another test set."""
    return text + "\n\n" + "\n".join(lines)
