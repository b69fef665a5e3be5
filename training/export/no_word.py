"""From which familiarity on a model file has a word for what it sees.

Photos that calibrate are as tidy as those trained on: a network of few labels that was trained to near-certain answers
scores nearly all of them alike. What a camera shows of the same things scores lower, so no quantile of tidy photos says
where to put the threshold. Nobody knows beforehand how much lower. Without that knowledge the best place is halfway
between what is known and what is nothing: there both may move equally far before a mistake is made, as on the two sides
of a maximum-margin separation (Cortes & Vapnik 1995, doi 10.1007/BF00994018).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Image
from vitcam.model.classifier import Classifier
from vitcam.model.out_of_distribution import familiarity
from vitcam.pictures.resize import InputSpec
from vitcam_training.data.augment import Augment, change
from vitcam_training.data.dataset import CHOOSE, Dataset, Sample, photo_of
from vitcam_training.data.no_thing import no_thing
from vitcam_training.evaluation.calibration import fit_threshold
from vitcam_training.evaluation.model_file import ask_certainty, ask_model, open_model

NO_WORD = 0.12
"""Share of the photos that may stay below the threshold. Chosen for `everyday` on the photos that choose, at its
temperature: of `no-thing` 13 % get the wrong name of a label instead of 28 %. Of `ordinary` 86 % instead of 95 % get a
name, and 90 % of these are right instead of 87 %."""
UNTIDY = Augment(crop_scale=1, turn=10, shift=0.1, zoom=0.2, coarse=1, flip=0, colour=0.5)
"""What a camera does to a photo: the thing is tilted, off the middle, nearer or farther, less sharp, in other light."""
UNTIDY_PHOTOS = 400
"""So many are made: of few photos several each."""

Scores = NDArray[np.floating[Any]]


def least_familiarity(model: Path, dataset: Dataset | None, temperature: float) -> float | None:
    """Below this familiarity a picture shows something that the model has no word for; None without photos that
    calibrate.

    model        a model file of this temperature, without a least familiarity
    temperature  that the familiarity takes back from the logits
    """
    if dataset is None or not dataset.parts.get("calibration"):
        return None
    classifier = open_model(model, dataset)
    answers = ask_model(classifier, dataset, "calibration")
    named = answers.names.displayed if answers.names.displayed.any() else np.ones(len(answers.labels), bool)
    tidy = np.array([familiarity(row, temperature) for row in answers.probabilities[named]])
    classifier.card = replace(classifier.card, least_familiarity=0.0, familiarity_temperature=temperature)
    most, nothing = fit_threshold(tidy, NO_WORD), _scores(classifier, _nothing())
    if not nothing.size or halfway(tidy, nothing) >= most:
        return round(most, 4)
    shown = _scores(classifier, untidy(dataset.part("calibration"), classifier.input))
    return round(between(tidy, shown if shown.size else nothing, nothing), 4)


def between(tidy: Scores, untidy: Scores, nothing: Scores) -> float:
    """The threshold: halfway between known and nothing, but no higher than `NO_WORD` of the tidy photos allow, and no
    lower than `NO_WORD` of the untidy ones need.

    tidy, untidy  (n,) and (m,) scores of photos that show a label
    nothing       (k,) scores of pictures that show none
    """
    most = fit_threshold(tidy, NO_WORD)
    return min(most, max(halfway(tidy, nothing), fit_threshold(untidy, NO_WORD)))


def halfway(known: Scores, nothing: Scores) -> float:
    """The middle between the typical scores, (n,) and (k,), of both. Medians: a picture of nothing may resemble a label
    after all, such as bricks.
    """
    return float(np.median(known) + np.median(nothing)) / 2


def untidy(samples: Sequence[Sample], spec: InputSpec) -> list[Sample]:
    """`UNTIDY_PHOTOS` photos of these as a camera might show them, the same ones every time.

    spec  the size that they get
    """
    order = np.random.default_rng(0).permutation(len(samples))
    return [
        replace(sample, pixels=None, render=partial(_untidy, sample, spec, seed))
        for seed, sample in enumerate(samples[i] for i in np.resize(order, UNTIDY_PHOTOS).tolist())
    ]


def _untidy(sample: Sample, spec: InputSpec, seed: int) -> Image:
    """(spec.height, spec.width, 3) uint8, RGB."""
    return change(photo_of(sample), spec, UNTIDY, np.random.default_rng(seed))


@cache  # drawing takes longer than asking a small network, and a process may export several
def _nothing() -> tuple[Sample, ...]:
    """The pictures of `no-thing` that choose, drawn."""
    return tuple(replace(sample, pixels=photo_of(sample), render=None) for sample in no_thing().part(CHOOSE))


def _scores(classifier: Classifier, samples: Sequence[Sample]) -> Scores:
    """(n,) of the pictures that are not blank: for those no threshold is needed."""
    found = ask_certainty(classifier, samples)
    return found[np.isfinite(found)]
