"""How good a model file is, and how close to the float network it was made from.

The int8 side runs through vitcam's own Classifier, so its figures are those of `vitcam run` on the same files.
"""

from __future__ import annotations

import difflib
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from vitcam.errors import UsageError
from vitcam.frames import Prediction
from vitcam.model import bundle
from vitcam.model.classifier import Classifier
from vitcam.model.find import find_model
from vitcam_training.data.batches import BatchPlan, plain_batches
from vitcam_training.data.catalogue import open_to_measure
from vitcam_training.data.dataset import Dataset, Sample
from vitcam_training.data.photos import BrokenPhotoError, photo_of
from vitcam_training.evaluation.scores import in_detail
from vitcam_training.progress import shown
from vitcam_training.vit import Tensor, ViT, pooled_attention
from vitcam_training.weights.about import read_about
from vitcam_training.weights.checkpoints import load_into, read_network

log = logging.getLogger(__name__)

Floats = NDArray[np.float32]

COMPARED = ("float_top1", "agreement", "attention_cosine_mean", "attention_cosine_min")


@dataclass(frozen=True, eq=False)
class Answers:
    """What a model said of n photos."""

    labels: NDArray[np.int64]
    """(n,) what the photos show."""
    probabilities: Floats
    """(n, C)."""
    attention: Floats
    """(n, h * N): where the tokens that the head reads looked in the last block, class token cut off."""
    samples: tuple[Sample, ...] = ()
    """The photos, those left out that cannot be read; empty where nobody needs them."""
    known: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))
    """(n,) whether the model file calls its best guess known; empty for a float network, which has no threshold."""
    certainty: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """(n,) what decides that, see `Classifier.certainty`; empty for a float network."""

    @property
    def guesses(self) -> NDArray[np.int64]:
        """(n,) the most probable labels."""
        return np.asarray(self.probabilities.argmax(-1))

    @property
    def right(self) -> NDArray[np.bool_]:
        """(n,)."""
        return np.asarray(self.guesses == self.labels)


class Reference(keras.Model):  # type: ignore[misc]
    """The float network as it was trained, reduced to what is compared: probabilities and last-block attention."""

    def __init__(self, vit: ViT) -> None:
        super().__init__()
        self.vit = vit

    def call(self, images: Tensor) -> tuple[Tensor, Tensor]:
        logits, taps = self.vit(images)
        attention = taps[f"{self.vit.blocks[-1].name}/attention"]  # (B, h, T, T)
        return keras.ops.softmax(logits), pooled_attention(self.vit.config, attention)  # (B, C), (B, h, N)


def open_model(model: str | Path, dataset: Dataset, threads: int | None = None) -> Classifier:
    """A classifier that gives all its probabilities and knows the labels of a data set, in the same order.

    raises  UsageError naming a label that the model does not know
    """
    classifier = Classifier(model, threads=threads)
    unknown = sorted(set(dataset.labels) - set(classifier.labels))
    if unknown:
        near = ", ".join(repr(label) for label in nearest(unknown[0], classifier.labels))
        raise UsageError(
            f"{dataset.name} has photos of {unknown[0]!r}, which is none of the {len(classifier.labels)} labels of "
            f"{classifier.card.name}, the nearest being {near}; rename it, or give a model or data that fit together"
        )
    classifier.top_k = len(classifier.labels)
    return classifier


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
    kept, labels, probabilities, attention, certainty = [], [], [], [], []
    for sample in shown(samples, f"asking {classifier.card.name}"):
        try:
            photo = photo_of(sample)
        except BrokenPhotoError as error:
            log.warning("skipped %s", error)
            continue
        prediction = classifier.classify_image(photo)
        row = np.zeros(len(index), np.float32)
        for guess in prediction.top:
            row[index[guess.label]] = guess.p
        kept.append(sample)
        certainty.append(classifier.certainty(prediction.top[0], prediction.embedding))
        labels.append(index[dataset.labels[sample.label]])
        probabilities.append(row)
        attention.append(np.zeros(0) if prediction.attention is None else prediction.attention.reshape(-1))
    if not labels:
        raise UsageError(f"not one of the {len(samples)} photos of {dataset.name} can be read; replace them")
    looked = np.stack(attention).astype(np.float32)
    sure = np.array(certainty)
    return Answers(np.array(labels), np.stack(probabilities), looked, tuple(kept), sure >= classifier.threshold, sure)


def embeddings(classifier: Classifier, samples: Sequence[Sample]) -> tuple[Floats, Floats]:
    """What the head of a model file reads of each photo that can be read, (n, D), and the best probability, (n,)."""
    found = [(prediction.embedding, prediction.top[0].p) for prediction in _predictions(classifier, samples)]
    read, best = zip(*found, strict=True) if found else ((), ())
    return np.array(read, np.float32), np.array(best, np.float32)


def ask_certainty(classifier: Classifier, samples: Sequence[Sample]) -> NDArray[np.float64]:
    """How well known each photo that can be read is, (n,), whatever it shows; see `Classifier.certainty`."""
    found = _predictions(classifier, samples)
    return np.array([classifier.certainty(prediction.top[0], prediction.embedding) for prediction in found])


def _predictions(classifier: Classifier, samples: Sequence[Sample]) -> Iterator[Prediction]:
    for sample in shown(samples, f"asking {classifier.card.name}"):
        try:
            yield classifier.classify_image(photo_of(sample))
        except BrokenPhotoError as error:
            log.warning("skipped %s", error)


def ask_float(checkpoint: Path, dataset: Dataset, part: str) -> Answers:
    """The same photos, cut the same way, through the float32 network of a checkpoint; answers index its labels."""
    about = read_about(checkpoint)
    index = {label: i for i, label in enumerate(about.labels)}
    strange = sorted(set(dataset.labels) - set(index))
    if strange:
        raise UsageError(f"{checkpoint} does not know {strange[0]!r} of {dataset.name}; give weights that fit the data")
    samples = [replace(sample, label=index[dataset.labels[sample.label]]) for sample in dataset.part(part)]
    config, weights = read_network(checkpoint, (about.input.height, about.input.width))
    vit = ViT(config)
    load_into(vit, weights)
    network = Reference(vit)
    plan = BatchPlan(about.input, len(about.labels), size=20)
    parts = []
    for images, targets in plain_batches(samples, plan):
        probabilities, attention = (np.asarray(part) for part in network.predict_on_batch(images))
        parts.append((targets.argmax(-1), probabilities, attention.reshape(len(images), -1)))
    labels, probabilities, attention = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Answers(labels, probabilities, attention)


def evaluate(
    model: str | Path, data: str, part: str | None = None, checkpoint: Path | None = None, threads: int | None = None
) -> dict[str, Any]:
    """Every figure of a model file on photos, fractions of 1; then how each label was answered, as `LabelScore`.

    data        a data set, a folder of photos or a list of some, with all or some of the model's labels
    part        of the data; None: see `open_to_measure`
    checkpoint  the float network, asked anew; None: what was found when the model was exported, on the same photos
    raises      UsageError if the data have a label that the model does not know, or no photo that can be read
    """
    dataset, part = open_to_measure(data, part, _trained_on(model))
    classifier = open_model(model, dataset, threads)
    answers = ask_model(classifier, dataset, part)
    stored = classifier.card.accuracy
    if checkpoint:
        compared: dict[str, Any] = comparison(answers, ask_float(checkpoint, dataset, part))
    elif (stored.get("data"), stored.get("split")) == (dataset.name, part):
        compared = {name: stored[name] for name in COMPARED}
    else:
        compared = dict.fromkeys(COMPARED)
    return {
        "model": classifier.card.name, "data": dataset.name, "split": part, **figures(answers), **compared,
        "skipped": len(dataset.part(part)) - len(answers.labels),
        **in_detail(answers.labels, answers.guesses, answers.known, classifier.labels),
    }  # fmt: skip


def _trained_on(model: str | Path) -> str:
    """The data that a model file names; empty for files that carry no card."""
    described = bundle.read(find_model(str(model)))
    card = described.card if described else None
    return str(card.accuracy.get("data") or card.provenance.get("data") or "") if card else ""


def figures(answers: Answers) -> dict[str, float]:
    """`n`, `top1`, `top5`, `ece` as fractions of 1."""
    order = np.argsort(-answers.probabilities, axis=-1, kind="stable")[:, :5]
    return {
        "n": len(answers.labels),
        "top1": float(answers.right.mean()),
        "top5": float((order == answers.labels[:, None]).any(-1).mean()),
        "ece": calibration_error(answers),
    }


def comparison(answers: Answers, reference: Answers) -> dict[str, float]:
    """How an int8 model differs from its float network on the same photos."""
    cosine = attention_cosines(answers, reference)
    return {
        "float_top1": float(reference.right.mean()),
        "agreement": float((answers.guesses == reference.guesses).mean()),
        "attention_cosine_mean": float(cosine.mean()),
        "attention_cosine_min": float(cosine.min()),
    }


def attention_cosines(answers: Answers, reference: Answers) -> Floats:
    """(n,) how alike the two looked at each photo, 1 at most."""
    products = (answers.attention * reference.attention).sum(-1)
    lengths = np.linalg.norm(answers.attention, axis=-1) * np.linalg.norm(reference.attention, axis=-1)
    return np.asarray(products / np.maximum(lengths, 1e-12))


def calibration_error(answers: Answers, bins: int = 15) -> float:
    """Expected calibration error: how far confidence and accuracy lie apart, averaged over 15 bins of confidence.

    source  Guo et al. 2017 (arXiv 1706.04599)
    """
    confidence = answers.probabilities.max(-1)
    bin_of = np.minimum((confidence * bins).astype(int), bins - 1)
    gaps = [
        abs(float(answers.right[bin_of == b].mean()) - float(confidence[bin_of == b].mean()))
        * float((bin_of == b).mean())
        for b in np.unique(bin_of)
    ]
    return sum(gaps)
