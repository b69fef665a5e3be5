"""`python -m vitcam_training.study.quantisation`: every way to quantise a network, side by side."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from vitcam_training.cli.options import KeepOption, PhotosOption, RepresentativeOption
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
    page: Annotated[
        Path | None, typer.Option("--page", help="Write the tables into this page, such as int8.md.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one object a line.")] = False,
) -> None:
    """Quantise a network in every way and measure each: accuracy, closeness to float, latency, size."""
    from vitcam_training.data.catalogue import open_dataset
    from vitcam_training.study.quantisation.compare import compare_schemes, rows
    from vitcam_training.study.quantisation.page import ways, write_page

    dataset, shown = open_dataset(data), open_dataset(representative) if representative else None
    with tempfile.TemporaryDirectory() as folder:
        found = compare_schemes(checkpoint, dataset, Path(folder), keep or (), scan, shown)
        typer.echo("\n".join(map(json.dumps, rows(found))) if as_json else ways(found))
        if page:
            write_page(page, found, as_given(PACKAGE))
            if not as_json:
                typer.echo(f"wrote {page}")


app = program(compare)
if __name__ == "__main__":
    start(app, "quantisation")
