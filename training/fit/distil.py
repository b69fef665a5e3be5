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
from vitcam_training.fit.data_parallel import predictor
from vitcam_training.recipes.recipe import DistilRecipe
from vitcam_training.vit import Tensor, ViT
from vitcam_training.weights.checkpoints import load_into, read_network
from vitcam_training.weights.metadata import Metadata, read_metadata


class Teacher:
    """A trained network that gives soft labels for a batch."""

    def __init__(self, path: Path, about: Metadata, vit: ViT) -> None:
        self.path, self.about = path, about
        self.model = _Resized(vit)
        self.model.compile(jit_compile=keras.backend.backend() != "torch")
        self.predict = predictor(self.model)

    def soft_labels(self, images: NDArray[np.uint8], temperature: float) -> NDArray[np.float32]:
        """Pictures (B, H, W, 3) of any size -> probabilities (B, C), rows sum to 1."""
        logits = self.predict(images) / temperature
        raised = np.exp(logits - logits.max(-1, keepdims=True))
        return np.asarray(raised / raised.sum(-1, keepdims=True), np.float32)

    def name(self, recipe: DistilRecipe) -> str:
        """For the provenance of a student: who taught, and how."""
        return f"{self.about.name}, weight {recipe.weight:g}, temperature {recipe.temperature:g}"


class _Resized(keras.Model):  # type: ignore[misc]
    """A network that takes pictures of other sizes than its own, too."""

    def __init__(self, vit: ViT) -> None:
        super().__init__()
        self.vit = vit

    def call(self, images: Tensor) -> Tensor:
        size = self.vit.config.image_size
        if tuple(images.shape[1:3]) != size:
            images = ops.image.resize(
                ops.cast(images, "float32"), size, interpolation="bilinear", data_format="channels_last"
            )
        return self.vit(images)[0]


def read_teacher(path: Path, labels: tuple[str, ...], precision: str) -> Teacher:
    """A teacher from a checkpoint that `vitcam-train` wrote.

    raises  UsageError if there is none, or if it knows other labels
    """
    about = read_metadata(path)
    if about.labels != labels:
        first = next((label for label in labels if label not in about.labels), "in another order")
        raise UsageError(
            f"the teacher {path} knows {len(about.labels)} labels, which are not the {len(labels)} of the photos "
            f"({first}); give one that was trained on the same labels"
        )
    config, weights = read_network(path)
    vit = ViT(replace(config, dropout=0.0, drop_path=0.0), dtype=keras.dtype_policies.DTypePolicy(precision))
    load_into(vit, weights)
    return Teacher(path, about, vit)


class DistilLoss(keras.losses.Loss):  # type: ignore[misc]
    """(1 - w) H(true, student) + w T² H(teacher at T, student at T), with H the cross-entropy.

    Targets are (B, 2 C): the true labels, then the teacher's. T² keeps the gradients' size whatever T (Hinton et al.,
    section 2).
    """

    def __init__(self, recipe: DistilRecipe, label_smoothing: float) -> None:
        super().__init__()
        self.recipe, self.label_smoothing = recipe, label_smoothing

    def call(self, y_true: Tensor, y_pred: Tensor) -> Tensor:
        weight, temperature, classes = self.recipe.weight, self.recipe.temperature, y_pred.shape[-1]
        cross_entropy = keras.losses.categorical_crossentropy
        hard = cross_entropy(
            y_true[:, :classes], y_pred, from_logits=True, label_smoothing=self.label_smoothing
        )  # (B,)
        soft = cross_entropy(y_true[:, classes:], y_pred / temperature, from_logits=True)  # (B,)
        return (1 - weight) * hard + weight * temperature**2 * soft


def accuracy(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """(B,): 1 where an answer is right by the true labels; targets (B, C), or (B, 2 C) with a teacher's behind them."""
    return keras.metrics.categorical_accuracy(y_true[:, : y_pred.shape[-1]], y_pred)
