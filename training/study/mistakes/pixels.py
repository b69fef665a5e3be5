"""`python -m vitcam_training.study.mistakes.pixels WEIGHTS`: what another mean and deviation cost a network.

The weights are answered with twice, photo by photo: with the pixels that they were made for, and with those of others.
Nothing is trained. A network of HALVES that is fed by ImageNet's mean and deviation is a mistake that circulates.
"""

from __future__ import annotations

import datetime
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vitcam.teach.interval import wilson
from vitcam_training.data.catalogue import open_to_measure
from vitcam_training.provenance import processor
from vitcam_training.study.program import program, start, write_markdown

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
    page: Annotated[Path | None, typer.Option("--page", help="Write this page. Default: print the table.")] = None,
) -> None:
    """Measure what ImageNet's mean and deviation cost a network that was made for others."""
    from vitcam_training.weights.normalisation import HALVES, IMAGENET

    found = {"0.5 and 0.5, as it was made": HALVES, "ImageNet's": IMAGENET}
    answers = {name: _answers(weights, data, normalisation) for name, normalisation in found.items()}
    right = next(iter(answers.values()))
    results = [_result(name, each, right) for name, each in answers.items()]
    if page is None:
        typer.echo(table(results))
        return
    conditions = f"{datetime.date.today().isoformat()}, {processor()}."
    write_markdown(page, pixels_page(f"python -m {PACKAGE} {weights.name} --page {page}", conditions, data, results))
    typer.echo(f"wrote {page}")


def pixels_page(command: str, conditions: str, data: str, results: Sequence[PixelsResult]) -> list[str]:
    """The parts of the page."""
    right, wrong = results
    lost = 100 * (right.accuracy - wrong.accuracy)
    return [
        "# What another mean and deviation cost",
        f"""A network is fed with (pixel / 255 - mean) / deviation, and works with those of its training alone. Nothing
in the weights says which they are. Here the same network, AugReg's ViT-Ti/16, which was made for pixels in -1 to 1,
answers the same photos of `{data}` twice: as it was made, and by ImageNet's mean and deviation, as code that circulates
feeds it.

    {command}

{conditions} Nothing was trained, and nothing was chosen.""",
        table(results),
        f"""How it looks: nothing fails, and the network seems to work. It is right on {lost:.1f} points fewer of the
photos, it is less sure of itself, and gives another label on {100 * (1 - wrong.same):.0f} % of them. The pixels are
within -2.2 to 2.7 in place of -1 to 1. Fine-tuning hides it: the network gets used to such pixels, at the price of
what it knew. [training.md](../../../docs/train/training.md#foreign-weights) says how vitcam asks for both numbers, and
guesses neither.""",
    ]


def table(results: Sequence[PixelsResult]) -> str:
    """A line for each mean and deviation."""
    rows = ["| mean and deviation | right | mean probability of the best label | same label as the right pixels |",
            "|---|--:|--:|--:|"]  # fmt: skip
    rows += [
        f"| {each.name} | {each.accuracy:.1%} ({each.interval[0]:.1%} to {each.interval[1]:.1%}) of {each.n} | "
        f"{each.mean_p:.3f} | {each.same:.1%} |"
        for each in results
    ]
    return "\n".join(rows)


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
