"""What a model file says of photos. vitcam's own Classifier runs it, so the figures are those of `vitcam run`."""

from __future__ import annotations

import difflib
import logging
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import UsageError
from vitcam.frames import Prediction
from vitcam.model.classifier import Classifier
from vitcam_training.data.dataset import BrokenPhotoError, Dataset, Sample, photo_of
from vitcam_training.evaluation.answers import Answers
from vitcam_training.evaluation.displayed import collected, name_of
from vitcam_training.progress import with_progress

log = logging.getLogger(__name__)

Others = tuple[frozenset[int], ...]


def open_model(model: str | Path, dataset: Dataset, threads: int | None = None) -> Classifier:
    """A classifier that gives all its probabilities and knows a right label for every photo of a data set.

    raises  UsageError naming a label that the model does not know
    """
    classifier = Classifier(model, threads=threads)
    if unknown := unknown_labels(dataset, classifier.labels):
        near = ", ".join(repr(label) for label in nearest(unknown[0], classifier.labels))
        raise UsageError(
            f"{dataset.name} has photos of {unknown[0]!r}, which is none of the {len(classifier.labels)} labels of "
            f"{classifier.card.name}, the nearest being {near}; rename it, or give a model or data that fit together"
        )
    classifier.top_k = len(classifier.labels)
    return classifier


def unknown_labels(dataset: Dataset, known: Iterable[str]) -> list[str]:
    """The labels of the photos for which no right label is among the known ones, in order."""
    known = frozenset(known)
    places = {i for i, label in enumerate(dataset.labels) if label in known}
    if len(places) == len(dataset.labels):
        return []
    samples = (sample for part in dataset.parts.values() for sample in part if sample.label >= 0)
    return sorted({dataset.labels[sample.label] for sample in samples if places.isdisjoint(sample.right)})


def nearest(label: str, known: tuple[str, ...], count: int = 3) -> list[str]:
    """The known labels that are written most like this one, whatever their case, or _ or - for a space."""

    def plain(text: str) -> str:
        return text.casefold().replace("_", " ").replace("-", " ")

    spelt = {plain(each): each for each in known}
    return [spelt[each] for each in difflib.get_close_matches(plain(label), spelt, count, cutoff=0.0)]


def ask_model(classifier: Classifier, dataset: Dataset, part: str) -> Answers:
    """Classify the photos of one part one by one with a model file that `open_model` opened."""
    index = {label: i for i, label in enumerate(classifier.labels)}
    samples = dataset.part(part)
    members = {} if classifier.groups is None else classifier.groups.members
    kept, probabilities, attention, certainty, known, named, names = [], [], [], [], [], [], []
    for sample in with_progress(samples, f"asking {classifier.card.name}"):
        try:
            photo = photo_of(sample)
        except BrokenPhotoError as error:
            log.warning("skipped %s", error)
            continue
        prediction = classifier.classify_image(photo)
        row = np.zeros(len(classifier.labels), np.float32)
        for guess in prediction.top:
            row[index[guess.label]] += guess.p  # several outputs of a foreign model may have one label
        kept.append(sample)
        known.append(prediction.known)
        named.append(frozenset(members[prediction.group.name] if prediction.group else ()))
        names.append(name_of(prediction, int(row.argmax()), members))
        certainty.append(prediction.certainty)
        probabilities.append(row)
        attention.append(np.zeros(0) if prediction.attention is None else prediction.attention.reshape(-1))
    if not kept:
        raise UsageError(f"not one of the {len(samples)} photos of {dataset.name} can be read; replace them")
    looked = np.stack(attention).astype(np.float32)
    labels, accepted, also = right_in(kept, dataset, index)
    groups = tuple(named) if members else ()
    decided = np.array(known), np.array(certainty)
    return Answers(
        labels, np.stack(probabilities), looked, tuple(kept), *decided, accepted, also, groups, collected(names)
    )


def right_in(
    samples: Sequence[Sample], dataset: Dataset, index: dict[str, int]
) -> tuple[NDArray[np.int64], Others, Others]:
    """What each photo shows, as a model counts labels: one label (n,), others that are accepted, and those of something
    else that it shows as much. The last two are empty where no photo has such labels. A label that the model lacks is
    left out; a photo whose own label it lacks counts as one of the others.

    index  label -> its place among the model's
    """
    place = {i: index[label] for i, label in enumerate(dataset.labels) if label in index}

    def placed(labels: frozenset[int]) -> frozenset[int]:
        return frozenset(place[label] for label in labels if label in place)

    labels = [place[sample.label] if sample.label in place else min(placed(sample.right)) for sample in samples]
    accepted = tuple(placed(sample.accepted) for sample in samples)
    also = tuple(placed(sample.also) for sample in samples)
    return np.array(labels, np.int64), accepted if any(accepted) else (), also if any(also) else ()


def ask_certainty(classifier: Classifier, samples: Sequence[Sample]) -> NDArray[np.float64]:
    """How well known each photo that can be read is, (n,), whatever it shows; see `Prediction.certainty`."""
    return np.array([answer.certainty for _, answer in ask_readable(classifier, samples)])


def ask_readable(classifier: Classifier, samples: Sequence[Sample]) -> Iterator[tuple[Sample, Prediction]]:
    """Each photo that can be read, and what the model file says of it."""
    for sample in with_progress(samples, f"asking {classifier.card.name}"):
        try:
            yield sample, classifier.classify_image(photo_of(sample))
        except BrokenPhotoError as error:
            log.warning("skipped %s", error)
