"""`vitcam-train finetune`."""

from pathlib import Path
from typing import Annotated

import typer

from vitcam.terminal.verbs import grouped
from vitcam_training.cli.options import PixelOptions
from vitcam_training.cli.training import FitOptions, RecipeArgument, train


@grouped
def finetune(
    weights: Annotated[
        Path,
        typer.Option(
            "--weights",
            help="Begin with these weights: a ViT under timm's names, as .npz or .safetensors, or as .pth where "
            "PyTorch is installed.",
        ),
    ],
    recipe: RecipeArgument = "folder",
    *,
    options: FitOptions,
    blocks: Annotated[
        int | None,
        typer.Option(
            "--blocks",
            metavar="K",
            min=0,
            help="Train the head and the last K blocks; the others keep their weights, and steps take less time. 0: "
            "the head alone. Default: as the recipe says.",
        ),
    ] = None,
    pixels: PixelOptions,
) -> None:
    """Train a pretrained network on photos of your own labels. The same command continues an interrupted run."""
    train(recipe, options, weights, blocks, pixels.normalisation())
