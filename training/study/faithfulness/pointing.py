"""Two things in one picture: does the evidence for the answer lie on the thing that was named?

`python -m vitcam_training.study.faithfulness.pointing MODEL DATA` puts two photos of different labels side by side,
asks the model file, and measures which share of the positive evidence lies on the half that shows what it named.

source  the grid pointing game of Böhle, Fritz & Schiele 2021, arXiv 2104.00032, section 4
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import cv2
import numpy as np
import typer
from numpy.typing import NDArray

from vitcam.frames import Image, Prediction
from vitcam.model.classifier import Classifier
from vitcam.pictures.resize import InputSpec
from vitcam_training.cli.options import ModelArgument
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.data.dataset import Dataset, Sample, photo_of
from vitcam_training.evaluation.intervals import Interval, bootstrap_means
from vitcam_training.evaluation.model_file import open_model
from vitcam_training.study.faithfulness.model_file import ask_once, stratified
from vitcam_training.study.program import program, start

Maps = dict[str, NDArray[np.float64]]


@dataclass(frozen=True)
class PointingResult:
    """What was measured on pairs of photos."""

    pairs: int
    named: int
    """Pairs of which the answer names one of the two things: only these count."""
    share: dict[str, Interval]
    """Map -> mean share of its positive part on the half that was named; 0.5 says nothing."""


def measure(classifier: Classifier, dataset: Dataset, pairs: int, seed: int = 0) -> PointingResult:
    """Ask about pairs of held-out photos, drawn by `seed`, and find where each map lies."""
    photos = stratified(dataset.part("heldout"), 2 * pairs, seed)
    couples = [couple for couple in zip(photos[::2], photos[1::2], strict=False) if _unlike(*couple)]
    rows = [row for couple in couples if (row := _asked(classifier, dataset, couple)) is not None]
    names = list(rows[0]) if rows else []
    intervals = bootstrap_means(np.array([[row[name] for name in names] for row in rows]), seed) if rows else []
    return PointingResult(len(couples), len(rows), dict(zip(names, intervals, strict=True)))


def side_by_side(left: Image, right: Image, spec: InputSpec) -> Image:
    """The middle of two photos, each on one half of a picture at the model's size: (h, w, 3) uint8, RGB."""
    return np.hstack([_filled(left, spec.height, spec.width // 2), _filled(right, spec.height, spec.width // 2)])


def share_on(half: int, weights: NDArray[np.floating]) -> float:
    """The part of the positive weights, (gh, gw), on the left half (0) or the right one (1).

    A column in the middle belongs to both.
    """
    positive = np.maximum(weights, 0.0)
    columns = positive.sum(axis=0)
    own = np.clip(len(columns) / 2 - np.arange(len(columns)), 0, 1)  # the share of each column on the left
    left = float((columns * own).sum() / max(float(columns.sum()), 1e-12))
    return left if half == 0 else 1 - left


def _asked(classifier: Classifier, dataset: Dataset, couple: tuple[Sample, Sample]) -> dict[str, float] | None:
    """The share of each map on the half that was named; None if neither was."""
    image = side_by_side(photo_of(couple[0]), photo_of(couple[1]), classifier.input)
    prediction = ask_once(classifier, image, explain=classifier.explains)
    right = [{dataset.labels[label] for label in sample.right} for sample in couple]
    half = next((i for i, labels in enumerate(right) if prediction.top[0].label in labels), None)
    return None if half is None else {name: share_on(half, each) for name, each in _maps(prediction).items()}


def _maps(prediction: Prediction) -> Maps:
    found = {
        "evidence": prediction.evidence,
        "attention": None if prediction.attention is None else prediction.attention.mean(axis=0),
        "rollout": prediction.rollout,
    }
    return {name: np.asarray(each, np.float64) for name, each in found.items() if each is not None}


def _unlike(left: Sample, right: Sample) -> bool:
    return not left.right & right.right


def _filled(photo: Image, height: int, width: int) -> Image:
    """The largest part in the middle of a photo that has this shape, at this size."""
    scale = min(photo.shape[0] / height, photo.shape[1] / width)
    rows, columns = round(height * scale), round(width * scale)
    top, start = (photo.shape[0] - rows) // 2, (photo.shape[1] - columns) // 2
    part = photo[top : top + rows, start : start + columns]
    return np.asarray(cv2.resize(part, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def table(found: PointingResult) -> Sequence[str]:
    """What people read."""
    lines = [f"{found.named} of {found.pairs} pairs were answered with one of the two things"]
    for name, each in found.share.items():
        ends = f"95 % interval {each.low:.1%} to {each.high:.1%}"
        lines.append(f"{name}: {each.value:.1%} on the half that was named ({ends})")
    return lines


def point(
    model: ModelArgument,
    data: Annotated[str, typer.Argument(help="Take photos from this data set, folder or CSV file.")],
    pairs: Annotated[int, typer.Option("--pairs", help="Put together at most this many pairs.")] = 250,
) -> None:
    """Measure where the evidence lies in pictures of two things: a line for each map."""
    dataset = open_dataset(data)
    typer.echo("\n".join(table(measure(open_model(model, dataset), dataset, pairs))))


app = program(point)
if __name__ == "__main__":
    start(app, "pointing")
