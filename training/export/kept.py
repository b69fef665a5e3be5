"""What a trained network kept of the knowledge that its training began with: a new label may cost what it knew.

Measured on photos that chose and fitted nothing else, of labels that the first network has, photo by photo.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from vitcam.model.classifier import Classifier
from vitcam_training.data.dataset import Dataset
from vitcam_training.evaluation.answers import paired
from vitcam_training.evaluation.float_network import ask_float
from vitcam_training.evaluation.model_file import ask_model
from vitcam_training.weights.checkpoints import read_weights, save_weights
from vitcam_training.weights.metadata import Metadata, read_metadata


def knowledge_kept(
    classifier: Classifier, checkpoint: Path, dataset: Dataset, began: Path | None = None
) -> dict[str, Any] | None:
    """`n`, `began_with` and `top1`, fractions of 1, and their `difference` with its 95 % interval.

    classifier  the model file
    checkpoint  that it was made from
    began       what the training began with; None: the rows of the head that were there before others were added
    returns     None if it is not known what it began with, or if no photo that may choose has one of its labels
    """
    with tempfile.TemporaryDirectory() as folder:
        about = read_metadata(checkpoint)
        if began is None:
            if all(about.synsets) or not any(about.synsets):
                return None
            began = without_added(checkpoint, about, Path(folder, "began.safetensors"))
        part, known = dataset.choosing, frozenset(read_metadata(began).labels)
        samples = [
            each for each in dataset.part(part) if each.label >= 0 and known & {dataset.labels[i] for i in each.right}
        ]
        if part == "heldout" or not samples:
            return None
        photos = replace(dataset, parts={"train": (), part: tuple(samples)})
        answers = ask_model(classifier, photos, part)
        before = ask_float(began, photos, part, classifier.labels)
    return {
        "data": dataset.name, "split": part, "n": len(samples), "began_with": float(before.right.mean()),
        "top1": float(answers.right.mean()), **paired(answers, before),
    }  # fmt: skip


def without_added(checkpoint: Path, about: Metadata, out: Path) -> Path:
    """Write the network with only the rows that have a WordNet id: those that were there before others were added."""
    stays = [row for row, synset in enumerate(about.synsets) if synset]
    labels = sorted({about.row_labels[row] for row in stays})
    weights = read_weights(checkpoint)
    head = {name: weights[name][np.array(stays)] for name in ("head.weight", "head.bias")}
    before = replace(
        about,
        labels=tuple(about.labels[label] for label in labels),
        rows=tuple(labels.index(about.row_labels[row]) for row in stays),
        synsets=tuple(about.synsets[row] for row in stays),
        network=about.network | {"classes": len(stays)},
    )
    save_weights(out, weights | head, before)
    return out
