"""`vitcam-train draw`."""

from pathlib import Path
from typing import Annotated

import typer

from vitcam_training.cli.options import say


def draw(
    network: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="Draw this network: a model whose .safetensors file stands beside it, a .safetensors file, or the "
            "name of published sizes, such as vit-b16.",
        ),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write to this file. Default: the network's name with .svg.")
    ] = None,
) -> None:
    """Draw a network as SVG, with the shape beside each arrow and the parameters beside each step."""
    from vitcam_training.drawing.network import network_of
    from vitcam_training.drawing.sheet import sheet
    from vitcam_training.drawing.steps import walk

    name, config = network_of(network)
    path = out or Path(f"{name}.svg")
    path.write_text(sheet(walk(config), name), encoding="utf-8")
    say(f"wrote {path}")
