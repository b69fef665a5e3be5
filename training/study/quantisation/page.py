"""The page of the comparison: every sentence on what was found comes from the figures."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from vitcam_training.export.quantise import SHIPPED, find_scheme
from vitcam_training.export.sensitivity import ALLOWED_LOSS, PHOTOS, Scan, loses_too_much
from vitcam_training.provenance import machine
from vitcam_training.study.program import write_markdown
from vitcam_training.study.quantisation.compare import MIXED, THREADS, TURNS, Comparison, Entry

_TITLES = {
    SHIPPED: "int8, activations as it runs: what ships",
    "static": "int8, activations by ranges read off photos: full integer",
    "int4": "4-bit weights, activations as it runs",
    "float16": "float16 weights",
    "float": "float32",
    MIXED: "int8, but some layers in float",
}


def write_page(path: Path, found: Comparison, model: str, data: str, command: str) -> None:
    """Write the page."""
    photos = int(found.entries[0].outcome.found["n"])
    parts = [
        _intro(model, data, photos, command),
        _table(found),
        *(f"`{name}` is not among them: {reason}." for name, reason in found.left_out.items()),
        _words(found),
        _verdict(found.entries[0]),
        *(_scan(found, data) if found.kinds else ()),
    ]
    write_markdown(path, parts)


def _intro(model: str, data: str, photos: int, command: str) -> str:
    return f"""# Every way to quantise, side by side

`{model}` on the {photos:,} held-out photos of `{data}`, each way measured on the file that it makes. *Agreement* is the
share of photos with the same answer as the float network, *cosine* how alike the attention of the last block is.
*Time* is the median over {TURNS} turns of a few inferences each with {THREADS} threads, in turn with the first row, so
that the ratio holds also where the machine was slow.

    {command}

{date.today()}, {machine()}."""


def _table(found: Comparison) -> str:
    heads = ("", "top-1", "minus float", "agreement", "cosine, mean", "worst", "ECE", "ms", "times the first", "MB")
    lines = [f"| {' | '.join(heads)} | XNNPACK takes it in |", f"|---{'|---:' * (len(heads) - 1)}|---|"]
    return "\n".join([*lines, *(_row(entry) for entry in found.entries)])


def _row(entry: Entry) -> str:
    outcome, f = entry.outcome, entry.outcome.found
    cells = [
        _TITLES[entry.name],
        f"{f['top1']:.2%}",
        f"{-100 * outcome.lost:+z.2f}",
        f"{f['agreement']:.2%}",
        f"{f['attention_cosine_mean']:.4f}",
        f"{f['attention_cosine_min']:.3f}",
        f"{f['ece']:.2%}",
        f"{entry.lap.ms:.2f}",
        f"{entry.lap.ratio:.2f}",
        f"{outcome.size_mb:.2f}",
        str(outcome.pieces),
    ]
    return f"| {' | '.join(cells)} |"


def _words(found: Comparison) -> str:
    lines = [
        f"- `--quantise {entry.name}`: {find_scheme(entry.name).words}."
        for entry in found.entries
        if entry.name != MIXED
    ]
    mixed = [entry.how.spared for entry in found.entries if entry.name == MIXED]
    lines += [f"- `--keep`: {', '.join(spared)} in float, the rest as what ships." for spared in mixed]
    cut = [f"`{entry.name}`" for entry in found.entries if not entry.outcome.pieces.whole]
    if cut:
        lines.append(f"- XNNPACK does not take {' and '.join(cut)} whole: made to be measured, not to be used.")
    return "\n".join(lines)


def _verdict(ships: Entry) -> str:
    limit, against = f"{100 * ALLOWED_LOSS:.1f} points", f"{-100 * ships.outcome.lost:+z.2f} points"
    if loses_too_much(ships.outcome.found):
        return (
            f"What ships has {against} of top-1 against float; it may lose {limit}: `vitcam-train export` keeps the "
            "layers that suffer most in float."
        )
    return (
        f"What ships has {against} of top-1 against float; it may lose {limit}. So no layer has to stay in float, and "
        "there is no quantisation-aware fine-tuning: it was not needed."
    )


def _scan(found: Comparison, data: str) -> list[str]:
    words = f"""## What int8 hurts

One kind of layer, or one block, quantised alone and everything else in float, on {PHOTOS} photos of the part
`{found.scanned}` of `{data}`. *Moved* is how much probability goes to other labels than in float, which shows more
than answers do."""
    return [words, _scan_table("kind of layer", found.kinds), _scan_table("block", found.blocks)]


def _scan_table(first: str, scanned: Scan) -> str:
    lines = [f"| {first} | moved | agreement | cosine, mean | worst |", "|---|---:|---:|---:|---:|"]
    for name, outcome in scanned.items():
        f = outcome.found
        lines.append(
            f"| {name} | {f['shift']:.3%} | {f['agreement']:.1%} | {f['attention_cosine_mean']:.4f} "
            f"| {f['attention_cosine_min']:.3f} |"
        )
    return "\n".join(lines)
