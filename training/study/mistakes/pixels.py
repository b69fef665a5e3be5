"""`python -m vitcam_training.study.mistakes.pixels WEIGHTS`: what another mean and deviation cost a network.

The weights are answered with twice, photo by photo: with the pixels that they were made for, and with those of others.
Nothing is trained. A network of HALVES that is fed by ImageNet's mean and deviation is a mistake that circulates.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vitcam.interval import wilson
from vitcam_training.data.catalogue import open_to_measure
from vitcam_training.study.marked import fill, made_by, table
from vitcam_training.study.program import program, start

if TYPE_CHECKING:
    from vitcam_training.evaluation.answers import Answers
    from vitcam_training.weights.normalisation import Normalisation

PACKAGE = "vitcam_training.study.mistakes.pixels"


@dataclass(frozen=True)
class PixelsResult:
    """How a network answers with one mean and deviation. Shares are fractions of 1."""

    name: str
    n: int
    accuracy: float
    interval: tuple[float, float]
    """95 %, of the accuracy."""
    mean_p: float
    """Of the best label."""
    same: float
    """Share of the photos that get the same label as with the right pixels."""


def pixels(
    weights: Annotated[
        Path,
        typer.Argument(help="Ask this network, which was made for pixels in -1 to 1: weights under timm's names."),
    ],
    data: Annotated[str, typer.Option("--data", help="Take the photos of this data set.")] = "imagenet-things",
    page: Annotated[
        Path | None, typer.Option("--page", help="Write the table into this page. Default: print it.")
    ] = None,
) -> None:
    """Measure what ImageNet's mean and deviation cost a network that was made for others."""
    from vitcam_training.weights.normalisation import HALVES, IMAGENET

    found = {"0.5 and 0.5, as it was made": HALVES, "ImageNet's": IMAGENET}
    answers = {name: _answers(weights, data, normalisation) for name, normalisation in found.items()}
    right = next(iter(answers.values()))
    results = [_result(name, each, right) for name, each in answers.items()]
    if page is None:
        typer.echo(_table(results))
        return
    command = f"python -m {PACKAGE} {weights.name} --page {page}"
    fill(page, {"pixels": f"{_table(results)}\n\n{made_by(command)}"})
    typer.echo(f"wrote {page}")


def _table(results: Sequence[PixelsResult]) -> str:
    """A line for each mean and deviation."""
    return table(
        "mean and deviation | right | mean probability of the best label | same label as the right pixels",
        *(
            f"{each.name} | {each.accuracy:.1%} ({each.interval[0]:.1%} to {each.interval[1]:.1%}) of {each.n} | "
            f"{each.mean_p:.3f} | {each.same:.1%}"
            for each in results
        ),
    )


def _answers(weights: Path, data: str, normalisation: Normalisation) -> Answers:
    from vitcam_training.evaluation.float_network import ask_float  # imports Keras
    from vitcam_training.weights.foreign import ImportOptions, import_foreign

    dataset, part = open_to_measure(data)
    with tempfile.TemporaryDirectory(prefix="vitcam-pixels-") as folder:
        checkpoint = Path(folder, "network.safetensors")
        wanted = ImportOptions("network", normalisation=normalisation, labels_of="everyday")
        import_foreign(str(weights), None, checkpoint, wanted)
        return ask_float(checkpoint, dataset, part)


def _result(name: str, found: Answers, right: Answers) -> PixelsResult:
    n = len(found.labels)
    return PixelsResult(
        name, n, float(found.right.mean()), wilson(int(found.right.sum()), n), float(found.confidence.mean()),
        float((found.guesses == right.guesses).mean()),
    )  # fmt: skip


app = program(pixels)
if __name__ == "__main__":
    start(app, "pixels")
