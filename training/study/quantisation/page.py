"""What the page shows of the comparison: a table of all ways, and one of what int8 hurts."""

from __future__ import annotations

from pathlib import Path

from vitcam_training.export.quantise import SHIPPED
from vitcam_training.export.sensitivity import Scan
from vitcam_training.study.marked import fill, made_by, table
from vitcam_training.study.quantisation.compare import MIXED, Comparison, Entry

TITLES = {
    SHIPPED: "int8, activations as it runs: what ships",
    "static": "int8, activations by ranges read off photos: full integer",
    "int4": "4-bit weights, activations as it runs",
    "float16": "float16 weights",
    "converter": "int8 by TFLiteConverter itself",
    "float": "float32",
    MIXED: "int8, but some layers in float",
}


def write_page(path: Path, found: Comparison, command: str) -> None:
    """Fill the page."""
    reasons = [f"`{name}` is not among them: {reason}." for name, reason in found.left_out.items()]
    blocks = {"ways": "\n\n".join([ways(found), *reasons, made_by(command)])}
    if found.kinds:
        blocks["scan"] = "\n\n".join([_scan("kind of layer", found.kinds), _scan("block", found.blocks)])
    fill(path, blocks)


def ways(found: Comparison) -> str:
    """A line for each way to quantise."""
    head = "way | top-1 | minus float | agreement | cosine, mean | worst | ECE | ms | times the first | MB | "
    return table(f"{head}XNNPACK takes it in", *map(_row, found.entries))


def _row(entry: Entry) -> str:
    outcome, f = entry.outcome, entry.outcome.found
    kept = f" ({', '.join(entry.how.spared)})" if entry.name == MIXED else ""
    return (
        f"{TITLES[entry.name]}{kept} | {f['top1']:.2%} | {-100 * outcome.lost:+z.2f} | {f['agreement']:.2%} | "
        f"{f['attention_cosine_mean']:.4f} | {f['attention_cosine_min']:.3f} | {f['ece']:.2%} | {entry.lap.ms:.2f} | "
        f"{entry.lap.ratio:.2f} | {outcome.size_mb:.2f} | {outcome.pieces}"
    )


def _scan(first: str, scanned: Scan) -> str:
    return table(
        f"{first} | moved | agreement | cosine, mean | worst",
        *(
            f"{name} | {f['shift']:.3%} | {f['agreement']:.1%} | {f['attention_cosine_mean']:.4f} | "
            f"{f['attention_cosine_min']:.3f}"
            for name, f in ((name, outcome.found) for name, outcome in scanned.items())
        ),
    )
