"""What files of one network with inputs of several sizes say of the same pictures.

A file and its answers are kept in a folder, so that nothing is made or asked twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import UsageError
from vitcam.frames import Guess, ModelIdentity, Prediction, Timings
from vitcam.model import bundle
from vitcam.model.classifier import Classifier
from vitcam.model.out_of_distribution import familiarity
from vitcam.rects import Rect
from vitcam.replay.video import predictions_of
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.evaluation.alike import alike, best_alike
from vitcam_training.evaluation.calibration import fit_temperature, fit_threshold, scaled
from vitcam_training.evaluation.displayed import name_is_right
from vitcam_training.evaluation.model_file import ask_readable, open_model, right_in
from vitcam_training.export.export import resized
from vitcam_training.export.network import TrainedNetwork, check_partitions
from vitcam_training.export.no_word import NO_WORD
from vitcam_training.export.trial import wanted
from vitcam_training.weights.checkpoints import read_network

TOP = 5
_IDENTITY = ModelIdentity("", "")  # all sizes are one model, whose answers are smoothed together


@dataclass(frozen=True, eq=False)
class LookAnswers:
    """What one file said of n pictures."""

    probabilities: NDArray[np.float32]
    """(n, C)."""
    blank: NDArray[np.bool_]
    """(n,) whether there is nothing to see, which the network is not asked for."""
    at_ns: NDArray[np.int64]
    """(n,) time in the film; 0 for photos."""


@dataclass(frozen=True, eq=False)
class Truth:
    """What n photos show, as the model counts labels."""

    labels: NDArray[np.int64]
    """(n,)."""
    accepted: tuple[frozenset[int], ...]
    also: tuple[frozenset[int], ...]

    def right(self, named: Iterable[frozenset[int]]) -> NDArray[np.bool_]:
        """(n,) whether names that stand for these labels are right."""
        every = zip(named, self.labels.tolist(), self.accepted, self.also, strict=True)
        return np.array([name_is_right(each, right | {label}, other) for each, label, right, other in every], bool)


@dataclass(frozen=True)
class InputSize:
    """A model file with an input of this size, and how its answers become what is displayed."""

    px: int
    path: Path
    key: str
    """Differs from that of another network."""
    temperature: float = 1.0
    """By which its logits are divided, besides what its graph does."""
    least_familiarity: float = 0.0
    """In nats; below it a picture shows something that the model has no word for."""

    def calibrated(self, asked: LookAnswers, truth: Truth) -> InputSize:
        """With the temperature and least familiarity that fit these photos, as `export` fits those of `everyday`."""
        same = best_alike(asked.probabilities, alike(truth.labels.tolist(), truth.accepted))
        best = truth.right(frozenset({guess}) for guess in asked.probabilities.argmax(-1).tolist())
        found = replace(self, temperature=fit_temperature(asked.probabilities, best, same))
        named = [one.certainty for one in found.predictions(asked) if one.shown.level != "none"]
        return replace(found, least_familiarity=fit_threshold(np.array(named), NO_WORD))

    def predictions(self, asked: LookAnswers) -> list[Prediction]:
        """What vitcam makes of each answer."""
        model = Classifier(self.path, threads=1)
        rows = scaled(asked.probabilities, self.temperature)
        own_temperature = model.card.temperature * self.temperature
        return [
            _prediction(model, row, blank, at_ns, own_temperature, self.least_familiarity)
            for row, blank, at_ns in zip(rows, asked.blank.tolist(), asked.at_ns.tolist(), strict=True)
        ]


def _prediction(
    model: Classifier, row: NDArray[np.float64], blank: bool, at_ns: int, temperature: float, least: float
) -> Prediction:
    order = np.argsort(-row, kind="stable")[:TOP].tolist()
    top = tuple(Guess(model.labels[i], float(row[i])) for i in order)
    certainty = -np.inf if blank else familiarity(row, temperature)
    return Prediction(
        source="",
        path=None,
        seq=0,
        captured_ns=at_ns,
        size=(model.input.width, model.input.height),
        crop=Rect(0, 0, model.input.width, model.input.height),
        top=top,
        known=certainty >= least,
        familiarity=None,
        certainty=certainty,
        ms=Timings(0, 0, 0, 0),
        attention=None,
        embedding=None,
        groups=model.groups.likely(order[0], row, model.labels) if model.groups else (),
        blank=blank,
        unfamiliar=not blank and certainty < least,
        model=_IDENTITY,
    )


def make_file(model: Path, px: int, folder: Path) -> InputSize:
    """The model with an input of `px` px a side, its positions interpolated, in int8 as it ships.

    model   a model file with its weights beside it; its own size is the file itself
    raises  UsageError if there are no weights, or XNNPACK would not run the file in one piece
    """
    own = Classifier(model, threads=1).card
    key = f"{own.name}-{own.graph_sha256[:12]}-{px}"
    if px == own.input.height:
        return InputSize(px, model, key, 1.0, own.least_familiarity or 0.0)
    path, checkpoint = folder / f"{key}.tflite", model.with_suffix(".safetensors")
    if path.is_file():
        return InputSize(px, path, key)
    if not checkpoint.is_file():
        raise UsageError(f"{checkpoint} is not there; smaller inputs are made from the weights beside the model file")
    about = resized(checkpoint, px)
    config, weights = read_network(checkpoint, (px, px))
    how = wanted(checkpoint, "dynamic", kept_in_float(own.provenance), None)
    network = TrainedNetwork(about, config, weights, about.temperature, row_capacity=own.row_capacity)
    tflite = network.tflite(how)
    check_partitions(tflite)
    described = bundle.read(model)
    card = replace(network.card(tflite, how), least_contrast=own.least_contrast)
    bundle.write(path, tflite, card, list(about.labels), [], described.groups if described else None)
    return InputSize(px, path, key)


def kept_in_float(provenance: dict[str, object]) -> tuple[str, ...]:
    """The layers that a card says are in float."""
    words = str(provenance.get("export_options", "")).split()
    return tuple(after for word, after in pairwise(words) if word == "--keep")


def ask_photos(size: InputSize, data: str, part: str, folder: Path) -> LookAnswers:
    """The answers to the photos of one part of a data set, in its order."""
    kept = folder / f"{size.key}-{data}-{part}.npz"
    if not kept.is_file():
        dataset = open_dataset(data)
        classifier = open_model(size.path, dataset, threads=1)
        _keep(kept, classifier, (one for _, one in ask_readable(classifier, dataset.part(part))))
    return _read(kept)


def ask_clip(size: InputSize, clip: Path, folder: Path) -> LookAnswers:
    """The answers to every frame of a film."""
    kept = folder / f"{size.key}-{clip.stem}.npz"
    if not kept.is_file():
        classifier = Classifier(size.path, threads=1)
        classifier.top_k = len(classifier.labels)
        _keep(kept, classifier, predictions_of(clip, classifier))
    return _read(kept)


def truth_of(model: Path, data: str, part: str) -> Truth:
    """What these photos show."""
    dataset = open_dataset(data)
    index = {label: i for i, label in enumerate(Classifier(model, threads=1).labels)}
    samples = dataset.part(part)
    labels, accepted, also = right_in(samples, dataset, index)
    nothing = (frozenset[int](),) * len(samples)
    return Truth(labels, accepted or nothing, also or nothing)


def together(asked: Iterable[LookAnswers]) -> LookAnswers:
    """Answers to several parts, one after the other."""
    each = list(asked)
    return LookAnswers(
        np.concatenate([one.probabilities for one in each]),
        np.concatenate([one.blank for one in each]),
        np.concatenate([one.at_ns for one in each]),
    )


def truth_together(truths: Iterable[Truth]) -> Truth:
    """Of the same parts."""
    each = list(truths)
    return Truth(
        np.concatenate([one.labels for one in each]),
        sum((one.accepted for one in each), ()),
        sum((one.also for one in each), ()),
    )


def _keep(path: Path, classifier: Classifier, predictions: Iterable[Prediction]) -> None:
    index = {label: i for i, label in enumerate(classifier.labels)}
    rows, blank, at_ns = [], [], []
    for prediction in predictions:
        row = np.zeros(len(index), np.float32)
        for guess in prediction.top:
            row[index[guess.label]] = guess.p
        rows.append(row)
        blank.append(prediction.blank)
        at_ns.append(prediction.captured_ns)
    partial = path.with_suffix(".partial.npz")
    np.savez(partial, probabilities=np.array(rows), blank=np.array(blank), at_ns=np.array(at_ns, np.int64))
    partial.replace(path)


def _read(path: Path) -> LookAnswers:
    with np.load(path) as kept:
        return LookAnswers(kept["probabilities"], kept["blank"], kept["at_ns"])
