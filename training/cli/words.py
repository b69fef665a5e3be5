"""`vitcam-train words`."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vitcam_training.cli.options import GoldenOption, OutOption, as_given, say

if TYPE_CHECKING:
    from vitcam.model.card import ModelCard


def words(
    checkpoint: Annotated[
        Path,
        typer.Argument(
            help="Take this .safetensors file, made by import, of a network that knows words, as CLIP does."
        ),
    ],
    texts: Annotated[
        list[str], typer.Argument(metavar="TEXT...", help="Tell pictures of these apart: 'a cat' 'a dog'.")
    ],
    out: OutOption,
    template: Annotated[
        list[str] | None,
        typer.Option(
            "--template",
            metavar="TEXT",
            help="Put each word into this text, at {}: 'a photo of {}.'. May be repeated; the vectors are averaged.",
        ),
    ] = None,
    none: Annotated[
        list[str] | None,
        typer.Option(
            "--none", metavar="TEXT", help="Call what resembles this more than all words unknown. May be repeated."
        ),
    ] = None,
    golden: GoldenOption = None,
) -> None:
    """Make a model file whose labels are words. `vitcam words` changes them later, without training."""
    from vitcam_training.export.publish import publish
    from vitcam_training.export.words import Prompts, export_words
    from vitcam_training.model_card.commands import EXPORTED_BY

    prompts = Prompts(tuple(template or ()) or None, tuple(none or ()) or None)

    def make(place: Path) -> "ModelCard":
        card = export_words(checkpoint, texts, place, prompts, golden)
        return dataclasses.replace(card, name=out.stem, provenance=card.provenance | {EXPORTED_BY: as_given()})

    publish(make, out, anyway=True, source=checkpoint)
    for suffix in (".tflite", ".words", ".md"):
        say(f"wrote {out.with_suffix(suffix)}")
