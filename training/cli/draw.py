"""`vitcam-train draw`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vitcam.errors import ModelError, UsageError
from vitcam.model.files import find_model, list_models
from vitcam_training.cli.options import say

if TYPE_CHECKING:
    from vitcam_training.config import ViTConfig


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
    from vitcam_training.drawing import sheet, walk

    name, config = network_of(network)
    path = out or Path(f"{name}.svg")
    path.write_text(sheet(walk(config), name), encoding="utf-8")
    say(f"wrote {path}")


def network_of(name_or_file: str) -> tuple[str, "ViTConfig"]:
    """The name of a network for people, and its sizes and choices.

    raises  UsageError for what is neither a model with weights, a file with weights, nor published sizes
    """
    from vitcam_training.recipes.presets import PRESETS
    from vitcam_training.weights.checkpoints import read_network

    if name_or_file in PRESETS:
        return name_or_file, PRESETS[name_or_file].config
    path = Path(name_or_file)
    if path.suffix != ".safetensors":
        path = _weights_of(name_or_file)
    return path.stem, read_network(path)[0]


def _weights_of(model: str) -> Path:
    from vitcam_training.recipes.presets import PRESETS

    try:
        path = find_model(model).with_suffix(".safetensors")
    except ModelError:
        known = ", ".join([*list_models(), *PRESETS])
        raise UsageError(f"no network is called {model!r}; give a .safetensors file or one of: {known}") from None
    if not path.exists():
        raise UsageError(f"{path} is not there, and only weights say how a network is made; name a .safetensors file")
    return path
