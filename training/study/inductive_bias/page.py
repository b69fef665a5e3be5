"""The measured parts of a page: between its markers stand tables and plots, which a run of the command makes again."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from vitcam.errors import UsageError
from vitcam_training.study.inductive_bias.distance import AttentionDistances
from vitcam_training.study.inductive_bias.findings import FoundByRuns, difference_text, spread_text
from vitcam_training.study.inductive_bias.parts import PartError
from vitcam_training.study.inductive_bias.runs import BARE, CHANGED_PHOTOS, CNN, FINETUNED, SHARES, SHIFTS, VIT, BiasJob

MARKED = re.compile(r"(<!-- measured: (\w+) -->\n).*?(<!-- end -->\n)", re.DOTALL)
BLOCKS = ("parts", "distance", "moved", "curve")
"""Names of all measured parts, in their order on a page."""


@dataclass(frozen=True)
class BiasConditions:
    """What the figures hold for."""

    command: str
    date: str
    machine: str


def fill(page: Path, blocks: Mapping[str, str]) -> None:
    """Write each block between its markers; those of other names stay. A new page has a place for each.

    raises  UsageError if the page has no markers of a block's name
    """
    if not blocks:
        return
    text = page.read_text(encoding="utf-8") if page.is_file() else _bare_page()
    missing = set(blocks) - {found[2] for found in MARKED.finditer(text)}
    if missing:
        raise UsageError(
            f"{page} has no place for {', '.join(sorted(missing))}: give a page with `<!-- measured: NAME -->` and "
            "`<!-- end -->`, or the name of a new one"
        )
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(MARKED.sub(lambda found: _filled(found, blocks), text), encoding="utf-8")


def _bare_page() -> str:
    return "".join(f"<!-- measured: {name} -->\n<!-- end -->\n" for name in BLOCKS)


def _filled(found: re.Match[str], blocks: Mapping[str, str]) -> str:
    begin, name, end = found.groups()
    return f"{begin}\n{blocks[name]}\n\n{end}" if name in blocks else found[0]


def attention_block(networks: Sequence[AttentionDistances], plot: Path, conditions: BiasConditions) -> str:
    """How far heads look: of each network the first block, the one with the nearest head, and the last."""
    rows = [
        "| network | picture | a head that looks everywhere alike | block | nearest head | mean | farthest head |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for network in networks:
        count = len(network.distances)
        nearest = int(network.distances.min(1).argmin())
        for block in sorted({0, nearest, count - 1}):
            heads = network.distances[block]
            px = [
                f"{value:.0%} ({value * network.side_px:.0f} px)" for value in (heads.min(), heads.mean(), heads.max())
            ]
            first = [network.title, f"{network.side_px} px", f"{network.even:.0%}"] if block == 0 else ["", "", ""]
            rows.append(f"| {' | '.join([*first, str(block + 1), *px])} |")
    photos = ", ".join(f"{network.photos} for {network.title}" for network in networks)
    caption = "Mean attention distance of every head (dots) and of each block (line), percent of the picture's side"
    return "\n".join([*rows, "", f"Photos: {photos}.", "", _plot(plot, caption), "", _again(conditions)])


def parts_block(errors: Sequence[PartError], reach: Mapping[str, int], tokens: int, conditions: BiasConditions) -> str:
    """Errors of equality, and how many tokens one patch reaches."""
    rows = ["| part | change | error | equivariant |", "|---|---|---:|---|"]
    rows += [f"| {e.part} | {e.change} | {e.error:.1e} | {'yes' if e.equivariant else 'no'} |" for e in errors]
    rows += ["", f"| part | tokens that change when one patch of the picture does, of {tokens} |", "|---|---:|"]
    rows += [f"| {name} | {count} |" for name, count in reach.items()]
    return "\n".join([*rows, "", _again(conditions)])


def moved_block(found: FoundByRuns, left: Sequence[BiasJob], plot: Path, conditions: BiasConditions) -> str:
    """Networks of equal size on pictures that were moved or cut up; without a run, only what is missing."""
    if not found.results:
        return "\n".join([*_still(left), _again(conditions)])
    rows = [
        f"| network | parameters | test accuracy, % of all | patches shuffled, % of {CHANGED_PHOTOS:,} | "
        f"{_shifts('same answer')} |",
        f"|---|---:|---:|---:|{'---:|' * len(SHIFTS)}",
    ]
    for contestant in (VIT, CNN, BARE):
        runs = found.runs(contestant)
        if runs:
            shuffled = [100 * run.shuffled_accuracy for run in runs if run.shuffled_accuracy is not None]
            each = zip(*found.moved(contestant, "agreement"), strict=True)
            same = [f"{100 * sum(values) / len(values):.1f}" for values in each][1:]
            cells = [f"{runs[0].parameters:,}", spread_text(found.accuracies(contestant, 1.0)), spread_text(shuffled)]
            rows.append(f"| {' | '.join([contestant.title, *cells, *same])} |")
    caption = "Share of test photos that keep their answer as the picture moves"
    return "\n".join([*rows, "", *_still(left), _plot(plot, caption), "", _again(conditions, _hours(found))])


def _shifts(what: str) -> str:
    return " | ".join(f"{what} at {shift} px, %" if shift == SHIFTS[0] else f"{shift} px" for shift in SHIFTS)


def curve_block(
    found: FoundByRuns, left: Sequence[BiasJob], shipped: float | None, plot: Path, conditions: BiasConditions
) -> str:
    """Accuracy over the number of photos; without a run, only what is missing."""
    if not found.results:
        return "\n".join([*_still(left), _again(conditions)])
    rows = [
        f"| share | photos | {VIT.title} | {CNN.title} | CNN above ViT, points | {FINETUNED.title} |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    for share in SHARES:
        values = [found.accuracies(contestant, share) for contestant in (VIT, CNN, FINETUNED)]
        cells = [spread_text(each) if each else "not measured yet" for each in values]
        apart = difference_text(values[1], values[0]) if values[0] and values[1] else ""
        if share == 1.0:
            cells[2] = "–" if shipped is None else f"{shipped:.2f} (the shipped model)"
        rows.append(f"| {share:.0%} | {found.photos(share):,} | {cells[0]} | {cells[1]} | {apart} | {cells[2]} |")
    caption = "Accuracy on the test photos over the number of photos to train on"
    return "\n".join([*rows, "", *_still(left), _plot(plot, caption), "", _again(conditions, _hours(found))])


def _still(left: Sequence[BiasJob]) -> list[str]:
    """What is not measured yet: of each network the shares of the photos, with the seeds that are missing."""
    if not left:
        return []
    named = []
    for title, jobs in groupby(sorted(left, key=_place), lambda job: job.contestant.title):
        shares = [
            f"{share:.0%} of the photos, seeds {', '.join(str(job.seed) for job in some)}"
            for share, some in groupby(jobs, lambda job: job.share)
        ]
        named.append(f"{title} ({'; '.join(shares)})")
    return [f"Not measured yet: {', '.join(named)}. The same command continues.", ""]


def _place(job: BiasJob) -> tuple[str, float, int]:
    return job.contestant.title, job.share, job.seed


def _plot(plot: Path, caption: str) -> str:
    return f"![{caption}]({plot.name})"


def _hours(found: FoundByRuns) -> str:
    hours = sum(run.cpu_seconds for run in found.results) / 3600
    return f" The trainings took {hours:.2f} hours of processor time; each ran on one core."


def _again(conditions: BiasConditions, more: str = "") -> str:
    return f"```console\n$ {conditions.command}\n```\n\n{conditions.date}, {conditions.machine}.{more}"
