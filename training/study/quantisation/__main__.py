"""`python -m vitcam_training.study.quantisation`: every way to quantise a network, side by side."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from vitcam_training.cli.options import KeepOption, PhotosOption, RepresentativeOption
from vitcam_training.cli.tables import as_text
from vitcam_training.study.program import as_given, program, start

PACKAGE = "vitcam_training.study.quantisation"


def compare(
    checkpoint: Annotated[
        Path, typer.Argument(help="Quantise this .safetensors file, made by finetune, fit, import or export.")
    ],
    data: PhotosOption,
    keep: KeepOption = None,
    scan: Annotated[
        bool, typer.Option("--scan", help="Also quantise each kind of layer and each block alone. This takes minutes.")
    ] = False,
    representative: RepresentativeOption = None,
    page: Annotated[Path | None, typer.Option("--page", help="Write a page, such as int8.md.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one object a line.")] = False,
) -> None:
    """Quantise a network in every way and measure each: accuracy, closeness to float, latency, size."""
    from vitcam_training.data.catalogue import open_dataset
    from vitcam_training.study.quantisation.compare import compare_schemes, rows
    from vitcam_training.study.quantisation.page import write_page

    dataset, shown = open_dataset(data), open_dataset(representative) if representative else None
    with tempfile.TemporaryDirectory() as folder:
        found = compare_schemes(checkpoint, dataset, Path(folder), keep or (), scan, shown)
        found_rows = list(rows(found))
        typer.echo("\n".join(map(json.dumps, found_rows)) if as_json else _table(found_rows))
        if page:
            write_page(page, found, checkpoint.stem, dataset.name, as_given(PACKAGE))
            if not as_json:
                typer.echo(f"wrote {page}")


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    """A line for each way to quantise."""
    table = Table("quantise", "kept in float", box=SIMPLE_HEAD)
    for name in ("top-1", "agreement", "partitions", "ms", "to the first", "MB"):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(
            row["quantise"], ", ".join(row["keep"]) or "–", f"{row['top1']:.2%}", f"{row['agreement']:.2%}",
            str(row["partitions"]), f"{row['ms']:.3g}", f"{row['ratio']:.2f} ×", f"{row['size_mb']:.2f}",
        )  # fmt: skip
    return as_text(table)


app = program(compare)
if __name__ == "__main__":
    start(app, "quantisation")
