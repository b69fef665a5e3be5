"""Options that several verbs share, their output, and the command line as it was given."""

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from vitcam_training.weights.normalisation import Normalisation

OutOption = Annotated[Path, typer.Option("--out", "-o", help="Write to this file.")]
_DATA = typer.Option(
    "--data",
    help="Take photos from here: the name of a data set, a folder of LABEL/photo.jpg, or a CSV file of path,label.",
)
DataOption = Annotated[str | None, _DATA]
PhotosOption = Annotated[str, _DATA]
ModelArgument = Annotated[str, typer.Argument(help="Take this model: a name, or a .tflite file.")]
ThreadsOption = Annotated[int | None, typer.Option("--threads", help="Run the model on this many threads.")]
GoldenOption = Annotated[
    Path | None,
    typer.Option(
        "--golden",
        help="Put the photos of this folder into the file, as golden images. Its file true.csv says what they show.",
    ),
]
KeepOption = Annotated[
    list[str] | None,
    typer.Option(
        "--keep", metavar="PATTERN", help="Keep these layers in float: head, '*/down', 'block11/*'. May be repeated."
    ),
]
RepresentativeOption = Annotated[
    str | None,
    typer.Option(
        "--representative",
        help="Read the ranges for `static` off the photos of this data set. Default: that of --data.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@dataclass(frozen=True, slots=True)
class PixelOptions:
    """A group: how the pixels of foreign weights were normalised."""

    mean: Annotated[
        str | None,
        typer.Option(
            "--mean",
            help="Mean of the pixels with which foreign weights were trained: imagenet, a fraction of 255, or three "
            "with commas. Needed if the file is none that vitcam knows.",
        ),
    ] = None
    std: Annotated[
        str | None, typer.Option("--std", help="Standard deviation of these pixels, written in the same way.")
    ] = None

    def normalisation(self) -> "Normalisation | None":
        """None: the weights must tell it. Raises UsageError for invalid numbers, or one without the other."""
        from vitcam_training.weights.normalisation import parse_normalisation

        return parse_normalisation(self.mean, self.std)


def say(text: str) -> None:
    """What a command is called for, on stdout."""
    typer.echo(text)


def warn(text: str) -> None:
    """What people should know besides, on stderr."""
    typer.echo(f"vitcam-train: {text}", err=True)


def as_given() -> str:
    """The command line, for pages that say how they were made."""
    return shlex.join(["vitcam-train", *sys.argv[1:]])
