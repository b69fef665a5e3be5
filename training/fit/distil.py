"""Learning from a teacher: its soft labels beside the true ones (Hinton et al. 2015, arXiv 1503.02531).

The teacher is asked about the very pictures that the student sees, crop, colours, blend and all, so that the two are
compared as functions (Beyer et al. 2021, "patient and consistent", arXiv 2106.05237).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import keras
import numpy as np
from keras import ops
from numpy.typing import NDArray

from vitcam.errors import UsageError
from vitcam_training.data.dataset import Dataset
from vitcam_training.fit.cross_entropy import CrossEntropy, cross_entropy
from vitcam_training.fit.data_parallel import predictor
from vitcam_training.recipes.recipe import DistilRecipe
from vitcam_training.vit import Tensor, ViT
from vitcam_training.weights.checkpoints import load_into, read_network
from vitcam_training.weights.metadata import Metadata, read_metadata

FAR = -1e4  # added to the logit of a label that is left out; bfloat16 holds it


class Teacher:
    """A trained network that gives soft labels for a batch.

    columns  (C',): for each row of the teacher's head the label of the student that means it, of `labels` in all;
             several may mean the same, and some of the student's labels may be unknown to the teacher; -1: the student
             lacks it
    """

    def __init__(self, path: Path, about: Metadata, vit: ViT, columns: NDArray[np.intp], labels: int) -> None:
        self.path, self.about = path, about
        self._merge = np.eye(labels + 1, labels, dtype=np.float32)[columns]  # (C', C); the last row, of -1, is zero
        self.model = _Resized(vit)
        self.model.compile(jit_compile=keras.backend.backend() != "torch")
        self.predict = predictor(self.model)

    def soft_labels(self, images: NDArray[np.uint8], temperature: float) -> NDArray[np.float32]:
        """Pictures (B, H, W, 3) of any size -> probabilities (B, C) of the student's labels, rows sum to 1."""
        logits = self.predict(images) / temperature
        raised = np.exp(logits - logits.max(-1, keepdims=True))
        shared = raised @ self._merge
        return np.asarray(shared / shared.sum(-1, keepdims=True), np.float32)

    @property
    def knows(self) -> NDArray[np.bool_]:
        """(C,): which of the student's labels the teacher has an answer for."""
        return np.asarray(self._merge.any(axis=0))

    def name(self, recipe: DistilRecipe) -> str:
        """For the provenance of a student: who taught, and how."""
        return f"{self.about.name}, weight {recipe.weight:g}, temperature {recipe.temperature:g}"


class _Resized(keras.Model):  # type: ignore[misc]
    """A network that takes pictures of other sizes than its own, too."""

    def __init__(self, vit: ViT) -> None:
        super().__init__(name="resized")  # of the class's own name TensorFlow makes no scope: it has an underscore
        self.vit = vit

    def call(self, images: Tensor) -> Tensor:
        size = self.vit.config.image_size
        if tuple(images.shape[1:3]) != size:
            images = ops.image.resize(
                ops.cast(images, "float32"), size, interpolation="bilinear", data_format="channels_last"
            )
        return self.vit(images)[0]


def read_teacher(path: Path, dataset: Dataset, precision: str) -> Teacher:
    """A teacher from a checkpoint that `vitcam-train` wrote: of the same labels, or of some by their WordNet ids.

    raises  UsageError if there is none, or if it knows other labels
    """
    about = read_metadata(path)
    columns = _columns(path, about, dataset)
    config, weights = read_network(path)
    vit = ViT(replace(config, dropout=0.0, drop_path=0.0), dtype=keras.dtype_policies.DTypePolicy(precision))
    load_into(vit, weights)
    return Teacher(path, about, vit, columns, len(dataset.labels))


def _columns(path: Path, about: Metadata, dataset: Dataset) -> NDArray[np.intp]:
    """(C',): for each row of the teacher's head the student's label."""
    if about.labels == dataset.labels:
        return np.array(about.row_labels)
    if any(synset in dataset.synsets for synset in about.synsets):
        return np.array([dataset.synsets.get(synset, -1) for synset in about.synsets])
    first = next((label for label in dataset.labels if label not in about.labels), "in another order")
    raise UsageError(
        f"the teacher {path} knows {len(about.labels)} labels, which are not the {len(dataset.labels)} of the photos "
        f"({first}); give one that was trained on the same labels"
    )


class DistilLoss(keras.losses.Loss):  # type: ignore[misc]
    """(1 - w) H(true, student) + w T² H(teacher at T, student at T), with H the cross-entropy.

    Targets are (B, 2 C): the true labels, then the teacher's. T² keeps the gradients' size whatever T (Hinton et al.,
    section 2). Where the teacher lacks labels, a photo that has a label is compared among those that the teacher knows
    (Li & Hoiem 2016, arXiv 1606.09282), and one that has none among all: the teacher says that it shows no other.

    knows  (C,): the labels that the teacher has an answer for; None: all
    """

    def __init__(
        self,
        recipe: DistilRecipe,
        hard: CrossEntropy,
        knows: NDArray[np.bool_] | None = None,
    ) -> None:
        super().__init__()
        self.recipe, self.hard = recipe, hard
        self.unknown = None if knows is None or knows.all() else np.where(knows, 0.0, FAR).astype(np.float32)
        self._lacks = None if knows is None else np.asarray(~knows, np.float32)[:, None]  # (C, 1)

    def call(self, y_true: Tensor, y_pred: Tensor) -> Tensor:
        weight, temperature, classes = self.recipe.weight, self.recipe.temperature, y_pred.shape[-1]
        true, taught = y_true[:, :classes], y_true[:, classes:]
        logits = y_pred / temperature
        if self.unknown is not None:
            among_known = ops.any(true > 0, axis=-1, keepdims=True) & (taught @ self._lacks == 0)  # (B, 1)
            logits = logits + ops.cast(among_known, logits.dtype) * ops.cast(self.unknown, logits.dtype)
        soft = cross_entropy(taught, logits)  # (B,)
        return (1 - weight) * self.hard.call(true, y_pred) + weight * temperature**2 * soft


def accuracy(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """(B,): 1 where an answer is right by the true labels; targets (B, C), or (B, 2 C) with a teacher's behind them."""
    return keras.metrics.categorical_accuracy(y_true[:, : y_pred.shape[-1]], y_pred)
