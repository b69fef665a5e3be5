"""Gives a model file other words. Its graph stays the same to the byte, so nothing is trained or converted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from vitcam.errors import UsageError
from vitcam.model import bundle
from vitcam.model.bundle import Bundle
from vitcam.model.classifier import Classifier
from vitcam.model.files import model_folders
from vitcam.model.text.text_file import SUFFIX, TextFile, fingerprint
from vitcam.model.text.vectors import checked_words, vectors_of
from vitcam.model.words import Words


def read_open_vocabulary(model: Path) -> Bundle:
    """A model file whose labels are words. Raises UsageError if its labels cannot be changed."""
    described = bundle.read(model)
    if described is None or not described.card.word_capacity:
        raise UsageError(
            f"{model} has labels that cannot be changed; `vitcam-train words` makes models whose labels are words"
        )
    return described


def new_labels(model: Bundle, given: Sequence[str]) -> tuple[tuple[str, ...], Words]:
    """Other labels for a model, and its head for them.

    raises  UsageError if the words are not as they must be; ModelError if there is no text tower; UsageError if that is
            another network's
    """
    labels, file = checked_words(given), TextFile(find_text_file(model.path))
    if fingerprint(file.path) != model.card.text_tower:
        raise UsageError(f"{file.path} belongs to another network than {model.path}; copy the one that came with it")
    return labels, vectors_of(file, labels, model.card.word_capacity)


def write_relabelled(model: Bundle, labels: tuple[str, ...], words: Words, out: Path) -> None:
    """Write a model file with other labels. Its golden images get the answers that it gives now.

    What they show was said by the labels of before, so it is left out.

    out  the file to write, in one step; it may be the same
    """
    graph = bundle.flatbuffer(model.path)
    card = replace(model.card, description=description_of(labels), accuracy={})

    def write(path: Path, golden: list[bundle.Golden]) -> None:
        bundle.write(path, graph, card, list(labels), golden, blank=model.blank, words=words)

    draft = out.with_name(f".{out.stem}.draft.tflite")
    try:
        write(draft, [])
        classifier = Classifier(draft)
        write(out, [replace(each, top=classifier.classify_image(each.image).top, true="") for each in model.golden])
    finally:
        draft.unlink(missing_ok=True)


def find_text_file(model: Path) -> Path:
    """Beside the model, or else of the same name in any folder of models. It may be missing."""
    name = model.with_suffix(SUFFIX).name
    places = [folder / name for folder in (model.parent, *model_folders())]
    return next((place for place in places if place.is_file()), places[0])


def destination_of(name_or_file: str, path: Path) -> Path:
    """Where a changed model is written, so that the same name finds it: the file itself, or the user's own folder.

    name_or_file  as the model was asked for
    path          of the file that this found
    """
    if name_or_file.endswith(".tflite") or "/" in name_or_file:
        return path
    return model_folders()[0] / f"{name_or_file}.tflite"


def description_of(labels: Sequence[str]) -> str:
    """What the card says of them."""
    return "one label in words" if len(labels) == 1 else f"{len(labels)} labels in words"
