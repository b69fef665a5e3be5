"""A model file that is asked what it makes of changed pictures, by vitcam's own classifier."""

from __future__ import annotations

import time
from pathlib import Path

from vitcam.errors import UsageError
from vitcam.frames import Frame, Image, Prediction, Rect
from vitcam.model.classifier import Classifier
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
