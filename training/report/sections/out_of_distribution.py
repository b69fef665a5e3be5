"""Photos that show none of a model's labels: what it answers, and by which threshold they would be rejected."""

from __future__ import annotations

import logging
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import UsageError
from vitcam.frames import Guess
from vitcam.model.classifier import Classifier
from vitcam_training.data.catalogue import DATASETS
from vitcam_training.data.dataset import BrokenPhotoError, Dataset, Sample, photo_of
from vitcam_training.evaluation.answers import Answers
from vitcam_training.evaluation.model_file import ask_model
from vitcam_training.evaluation.unknown import SEEDS, disjoint
from vitcam_training.progress import shown

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class OutOfDistribution:
    """What a model said of m photos that show nothing it knows."""

    source: str
    """Name of the data set or the folder."""
    samples: tuple[Sample, ...]
    guesses: tuple[Guess, ...]
    """The best guess for each."""
    certainty: NDArray[np.float64]
    """(m,): what the threshold is held against; see `Prediction.certainty`."""
    protocol: dict[str, float] | None
    """Of `disjoint`, where thresholds are chosen on other labels than they are measured with; None: no photos to
    choose them on."""


def default_out_of_distribution(data: str) -> str | None:
    """The data set of photos that show none of another's labels, if there is one and it is there."""
    name = f"{data}-unknown"
    try:
        return name if name in DATASETS and DATASETS[name]().parts else None
    except UsageError:
        return None


def ask_out_of_distribution(
    classifier: Classifier, photos: Dataset, part: str, dataset: Dataset, held_out: Answers
) -> OutOfDistribution:
    """Classify photos of no label.

    photos    show none of the model's labels, in this part
    held_out  what the model said of the photos of its labels in `dataset`
    raises    UsageError if none of them can be read
    """
    samples, guesses, certainty = [], [], []
    words = f"asking about {photos.name}"
    for sample in shown(photos.part(part), words):
        try:
            prediction = classifier.classify_image(photo_of(sample))
        except BrokenPhotoError as error:
            log.warning("skipped %s", error)
            continue
        samples.append(sample)
        guesses.append(prediction.top[0])
        certainty.append(prediction.certainty)
    if not samples:
        raise UsageError(f"not one of the photos of {photos.name} can be read; give photos of no label with --unknown")
    found = np.array(certainty)
    protocol = None
    if dataset.parts.get("calibration"):
        protocol = disjoint(ask_model(classifier, dataset, "calibration"), held_out, found, range(SEEDS))
    return OutOfDistribution(photos.name, tuple(samples), tuple(guesses), found, protocol)
