"""Writes what was taught as a model file: the base's graph as it is, and the head beside it."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vitcam.errors import UsageError, VitcamError
from vitcam.frames import Guess, Image
from vitcam.model import bundle
from vitcam.model.bundle import Bundle, Golden
from vitcam.model.card import ModelCard
from vitcam.model.classifier import Classifier
from vitcam.model.files import model_folders
from vitcam.model.installed import was_taught
from vitcam.parts.teach.head import KNOWN, Head
from vitcam.sentence import Sentence
from vitcam.storage.files import atomic_write

_NAME = frozenset(string.ascii_letters + string.digits + "._- ")
_LONGEST_NAME = 60
_GOLDEN = 4
_APART = 2.7
"""A golden answer is so many times likelier than the next one, so that rounding on another processor changes none."""


def place_of(name: str) -> Path:
    """Where a taught model is written, so that `--model NAME` finds it.

    raises  UsageError if that cannot be a name, or is that of a model that was not taught
    """
    if not name or len(name) > _LONGEST_NAME or set(name) - _NAME or not name[0].isalnum() or name[-1] in " .":
        raise UsageError(
            Sentence(
                f"{name[:_LONGEST_NAME]!a} cannot be the name of a model; take 1 to {_LONGEST_NAME} letters, digits, "
                "spaces, '.', '-' and '_', the first a letter or a digit",
                "teach.model_name",
                longest=_LONGEST_NAME,
            )
        )
    name = name.removesuffix(".tflite")
    for folder in model_folders():
        path = folder / f"{name}.tflite"
        if path.is_file() and not was_taught(path):
            taken = f"{path} is a model that was not taught here, and stays; give another name with -o"
            raise UsageError(Sentence(taken, "teach.model_taken", name=name))
    return model_folders()[0] / f"{name}.tflite"


def write_taught(base: Bundle, head: Head, about: Mapping[str, Any], least_contrast: float, out: Path) -> ModelCard:
    """Write the file in one step, once it has answered as it must.

    base            the model that was taught
    about           fields of the card: description, accuracy, trained_on, provenance
    least_contrast  below it a picture is blank
    raises          VitcamError if it cannot be written, or if the finished file does not answer as it was taught
    """
    alone = head.taught.alone
    card = replace(
        base.card,
        name=out.stem,
        taught="alone" if alone else "added",
        threshold=KNOWN if alone else base.card.threshold,
        least_familiarity=None if alone else base.card.least_familiarity,
        temperature=head.temperature if alone else base.card.temperature,
        least_contrast=min(base.card.least_contrast, least_contrast),
        score=2,
        **about,
    )
    added = head.taught.rows.labels[: head.taught.count]  # those that the base knows stand behind them
    labels = list(added) if alone else [*base.labels, *added]
    graph = bundle.flatbuffer(base.path)

    def write(path: Path, golden: list[Golden], blank: list[Golden]) -> ModelCard:
        grouped = None if alone or base.groups is None else base.groups.joined_by(added, len(base.labels))
        return bundle.write(path, graph, card, labels, golden, grouped, blank, taught=head.taught)

    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(out) as draft:
            write(draft, [], [])
            classifier = Classifier(draft, threads=1, top_k=2)
            blank = [each for each in base.blank if not classifier.classify_image(each.image).known]
            write(draft, _golden(base, classifier), blank)
            _check(draft)
    except OSError as error:
        raise VitcamError(
            f"{out} cannot be written: {error.strerror}; free the disk, or run this as the user who owns the folder"
        ) from error
    return card


def _check(path: Path) -> None:
    """Raise VitcamError unless the golden images are answered as the file says."""
    if wrong := [result for result in Classifier(path, threads=1).verify() if not result.same]:
        first = wrong[0]
        raise VitcamError(
            f"what was taught answers {first.name} with {first.answer} instead of {first.right_answer}; nothing was "
            "written: teach again, or report it"
        )


def _golden(base: Bundle, classifier: Classifier) -> list[Golden]:
    """Pictures with known answers: those of the base, turned until the answer is clear.

    None of the photos that are taught goes into the file, so it can be given away without them.
    """
    found = []
    for number, image in enumerate(_turned(base), 1):
        drawn = Golden(f"picture {number}", image, (Guess(classifier.labels[0], 0.0),))
        top = classifier.answer_golden(drawn).top
        if len(top) < 2 or top[0].p >= _APART * top[1].p:
            found.append(replace(drawn, top=top))
        if len(found) == _GOLDEN:
            break
    return found


def _turned(base: Bundle) -> Iterator[Image]:
    """The base's golden images as they are, mirrored and upside down, then the same in other colours."""
    turns: tuple[Callable[[Image], Image], ...] = (
        lambda image: image,
        lambda image: np.ascontiguousarray(image[:, ::-1]),
        lambda image: np.ascontiguousarray(image[::-1]),
        lambda image: np.asarray(cv2.cvtColor(image, cv2.COLOR_RGB2BGR), np.uint8),
        lambda image: np.asarray(255 - image, np.uint8),
    )
    for turn in turns:
        for golden in base.golden:
            yield turn(golden.image)
