"""The page that people read of the mistakes: every sentence on what was found comes from the figures."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import groupby

from vitcam_training.ablation.page import Conditions
from vitcam_training.ablation.result import PHOTOS
from vitcam_training.mistakes.findings import MistakeFinding, cost, symptom
from vitcam_training.vit import ViT

TESTS = "../tests/unit/training/test_circulating_mistakes.py"
CODE = "../training/mistakes"


def digits_part(found: dict[str, MistakeFinding], missing: Sequence[str], c: Conditions, plot: str) -> list[str]:
    """The paragraphs on the digits.

    missing  titles of rows that were not yet run with all seeds
    plot     the file of the curves, beside the page
    """
    wrong = [finding for finding in found.values() if not finding.row.is_right]
    left = [f"Not yet run with all seeds: {', '.join(missing)}."] if missing else []
    return [
        _intro(c, plot), *left, "## Find yours in the log", _symptoms(wrong, found), "## All figures",
        _table(found), *_sections(wrong, found), "## A shortened test set", _shortened(found["base"]),
    ]  # fmt: skip


def _intro(c: Conditions, plot: str) -> str:
    return f"""These mistakes circulate in published code of Vision Transformers. Each runs without an error message.
Here each is put into a right network, alone, and trained: the recipe `ablation` (the digit model, the first
{PHOTOS:,} digits of MNIST, no augmentation) for {c.epochs} epochs, with {c.seeds} seeds, tested on {c.test_photos:,}
digits. ± is the standard deviation over the seeds. Nothing was chosen on the test digits. [concepts.md](concepts.md)
explains what is right, and names the test that fails if vitcam makes the mistake; [ablation.md](ablation.md) measures
what each part is for.

    {c.command}

{c.date}, {c.machine}: {c.cpu_hours:.2f} hours of processor time, which is {c.cpu_hours * 60 / c.cores:.0f} minutes on
{c.cores} cores that do nothing else. The same command continues after an interruption.

Two figures count as different when their means lie further apart than half the 95 % interval of Student's t, given
after the ± in the text. Of twenty comparisons that are all alike, one will look different.

![Loss of training, each mistake beside its right network]({plot})"""


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


def _sections(wrong: Sequence[MistakeFinding], found: dict[str, MistakeFinding]) -> list[str]:
    return [_section(question, list(group), found) for question, group in groupby(wrong, key=lambda f: f.row.question)]


def _section(question: str, group: Sequence[MistakeFinding], found: dict[str, MistakeFinding]) -> str:
    rows = [_row(finding, found[finding.row.against]) for finding in group]
    return "\n".join([f"## {question}", "", "| mistake | expected | found | see |", "|---|---|---|---|", *rows])


def _row(finding: MistakeFinding, right: MistakeFinding) -> str:
    losses = f"a loss of {finding.curve[0]:.3f} in the first epoch and {finding.curve[-1]:.3f} in the last"
    beside = f"{right.row.title}: {right.curve[0]:.3f} and {right.curve[-1]:.3f}"
    shows = f"{symptom(finding, right)}: {losses}; {beside}."
    expected = _capital(finding.row.because)
    return f"| {finding.row.title} | {expected}. | {shows} Test: {cost(finding, right)} | {_links(finding)} |"


def _links(finding: MistakeFinding) -> str:
    network, test = finding.row.network, finding.row.test
    file = network.__module__.rpartition(".")[2]
    code = f"[`{network.__name__}`]({CODE}/{file}.py)" if network is not ViT else f"`{_changes(finding)}` in a recipe"
    return f"{code}, [the test that keeps it out]({TESTS})" if test else code


def _changes(finding: MistakeFinding) -> str:
    return ", ".join(f"{name} = {str(value).lower()}" for name, value in finding.row.train.items())


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
