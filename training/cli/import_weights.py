"""`vitcam-train import`."""

from pathlib import Path
from typing import Annotated

import typer

from vitcam.terminal.verbs import grouped
from vitcam_training.cli.options import OutOption, PixelOptions, say, warn


@grouped
def import_weights(
    spec: Annotated[
        str,
        typer.Argument(
            help="Import this ViT: hf:ORG/NAME or hf:ORG/NAME@REVISION from Hugging Face's hub, timm:NAME from there, "
            "a folder as transformers or timm saves it, weights under timm's names as .npz or .safetensors (PyTorch's "
            ".pth where PyTorch is installed), or Google's own .npz."
        ),
    ],
    out: OutOption,
    labels: Annotated[
        Path | None,
        typer.Option(
            "--labels",
            help="Read the labels from this file: one a line, or WordNet's `n01440764 tench, …`. Default: everyday "
            "words for the classes of ImageNet, or the labels that the network names.",
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", help="Give the model this name. Default: the name of the file.")
    ] = None,
    image_size: Annotated[
        int | None,
        typer.Option("--image-size", help="Make the input this large, in px. Default: the size of the weights."),
    ] = None,
    crop_fraction: Annotated[
        float | None,
        typer.Option(
            "--crop-fraction",
            help="Give the model this fraction of a photo's short side. Default: what the network says, or 0.875.",
        ),
    ] = None,
    interpolation: Annotated[
        str | None,
        typer.Option(
            "--interpolation",
            help="Resize photos by area, linear or bicubic interpolation. Default: what comes nearest to its training, "
            "which is mostly area.",
        ),
    ] = None,
    labels_of: Annotated[
        str | None,
        typer.Option(
            "--labels-of",
            metavar="MODEL",
            help="Give the network the labels and groups of this model instead, a name or a .tflite file, where "
            "WordNet ids tell what is the same.",
        ),
    ] = None,
    licence: Annotated[str, typer.Option("--licence", help="Write this licence of the weights into the card.")] = "",
    *,
    pixels: PixelOptions,
) -> None:
    """Import foreign weights: compare every shape, name what is left over, and write a checkpoint for `export`."""
    from vitcam_training.weights.foreign import ImportOptions, import_foreign

    normalisation = pixels.normalisation()
    named = name or out.stem
    wanted = ImportOptions(named, image_size, crop_fraction, interpolation, licence, normalisation, labels_of or "")
    found = import_foreign(spec, labels, out, wanted)
    say(f"wrote {out}")
    if found.text_file:
        say(f"wrote {found.text_file}")
    for note in found.notes:
        warn(note)
    if found.leftovers:
        warn(f"not used from {spec}: {', '.join(found.leftovers)}")
