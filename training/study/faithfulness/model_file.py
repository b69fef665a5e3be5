"""A model file that is asked what it makes of changed pictures, by vitcam's own classifier; and the photos for it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from vitcam.errors import UsageError
from vitcam.frames import Frame, Image, Prediction
from vitcam.model.classifier import Classifier
from vitcam.rects import Rect
from vitcam_training.data.dataset import Sample
from vitcam_training.study.faithfulness.curves import Ask


def open_explained(model: str | Path, threads: int | None = None) -> Classifier:
    """A classifier that gives all its probabilities. Raises UsageError where the model does not say where it looked."""
    classifier = Classifier(model, threads=threads)
    if "attention" not in classifier.card.outputs:
        raise UsageError(
            f"{classifier.path} gives no attention, so there is no overlay to measure; vitcam-train export makes files "
            "that do"
        )
    classifier.top_k = len(classifier.labels)
    return classifier


def shown_as_is(image: Image) -> Frame:
    """A frame of a picture at the model's size, (h, w, 3) uint8: it was cut once and is not cut again."""
    return Frame(image, image, Rect(0, 0, image.shape[1], image.shape[0]), 0, time.monotonic_ns(), "changed")


def ask_once(classifier: Classifier, image: Image, explain: bool) -> Prediction:
    """The answer for a picture at the model's size, (h, w, 3) uint8; with `explain` also all blocks' attention."""
    return classifier(shown_as_is(image), explain)


def follow(classifier: Classifier, label: str) -> Ask:
    """How probable the model finds `label` in a picture of its own size."""

    def ask(image: Image) -> float:
        return next(guess.p for guess in classifier(shown_as_is(image)).top if guess.label == label)

    return ask


def stratified(samples: Sequence[Sample], count: int, seed: int) -> list[Sample]:
    """At most `count` photos, taken from the labels by turns, each label's in random order.

    A smaller count gives the beginning of a larger one's list, so what was measured for it holds on.
    """
    rng = np.random.default_rng(seed)
    by_label: dict[int, list[Sample]] = {}
    for sample in samples:
        by_label.setdefault(sample.label, []).append(sample)
    labels = rng.permutation(sorted(by_label))
    piles = [[by_label[label][i] for i in rng.permutation(len(by_label[label]))] for label in labels]
    rounds = range(max(map(len, piles), default=0))
    return [pile[turn] for turn in rounds for pile in piles if turn < len(pile)][:count]
