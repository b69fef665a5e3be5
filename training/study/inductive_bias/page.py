"""The measured parts of the page: tables and plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from vitcam_training.study.inductive_bias.distance import AttentionDistances
from vitcam_training.study.inductive_bias.findings import FoundByRuns, difference_text, spread_text
from vitcam_training.study.inductive_bias.parts import PartError
from vitcam_training.study.inductive_bias.runs import BARE, CHANGED_PHOTOS, CNN, FINETUNED, SHARES, SHIFTS, VIT
from vitcam_training.study.marked import made_by, plot


def attention_block(networks: Sequence[AttentionDistances], svg: Path, command: str) -> str:
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
    return "\n".join([*rows, "", f"Photos: {photos}.", "", plot(svg, caption), "", made_by(command)])


def parts_block(errors: Sequence[PartError], reach: Mapping[str, int], tokens: int, command: str) -> str:
    """Errors of equality, and how many tokens one patch reaches."""
    rows = ["| part | change | error | equivariant |", "|---|---|---:|---|"]
    rows += [f"| {e.part} | {e.change} | {e.error:.1e} | {'yes' if e.equivariant else 'no'} |" for e in errors]
    rows += ["", f"| part | tokens that change when one patch of the picture does, of {tokens} |", "|---|---:|"]
    rows += [f"| {name} | {count} |" for name, count in reach.items()]
    return "\n".join([*rows, "", made_by(command)])


def moved_block(found: FoundByRuns, svg: Path, command: str) -> str:
    """Networks of equal size on pictures that were moved or cut up."""
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
    return "\n".join([*rows, "", plot(svg, caption), "", _trained_by(command, found)])


def _trained_by(command: str, found: FoundByRuns) -> str:
    return made_by(command, sum(run.cpu_seconds for run in found.results), (run.backend for run in found.results))


def _shifts(what: str) -> str:
    return " | ".join(f"{what} at {shift} px, %" if shift == SHIFTS[0] else f"{shift} px" for shift in SHIFTS)


def curve_block(found: FoundByRuns, shipped: float | None, svg: Path, command: str) -> str:
    """Accuracy over the number of photos."""
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
    return "\n".join([*rows, "", plot(svg, caption), "", _trained_by(command, found)])
