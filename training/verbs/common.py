"""Options that several verbs have, what they say to people, and the command line as it was given."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

OutOption = Annotated[Path, typer.Option("--out", "-o", help="Where to write.")]
_DATA = typer.Option("--data", help="Name of a data set, a folder of LABEL/photo.jpg, or a CSV of path,label.")
DataOption = Annotated[str | None, _DATA]
PhotosOption = Annotated[str, _DATA]
ModelArgument = Annotated[str, typer.Argument(help="Name of a model, or a .tflite file.")]
ThreadsOption = Annotated[int | None, typer.Option("--threads", help="Threads of XNNPACK.")]
KeepOption = Annotated[
    list[str] | None,
    typer.Option("--keep", metavar="PATTERN", help="Layers that stay in float: head, '*/down', 'block11/*'."),
]
RepresentativeOption = Annotated[
    str | None,
    typer.Option(
        "--representative", help="Data set whose photos show `static` what to expect; by default that of --data."
    ),
]


JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]


def say(text: str) -> None:
    """What a command is called for, on stdout."""
    typer.echo(text)


def warn(text: str) -> None:
    """What people should know besides, on stderr."""
    typer.echo(f"vitcam-train: {text}", err=True)


def as_given() -> str:
    """The command line, for pages that say how they were made."""
    return shlex.join(["vitcam-train", *sys.argv[1:]])
