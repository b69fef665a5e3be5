"""The loss on the true labels: cross-entropy with label smoothing and logit adjustment."""

from __future__ import annotations

from collections import Counter

import keras
import numpy as np
from keras import ops
from numpy.typing import NDArray

from vitcam_training.data.dataset import Dataset
from vitcam_training.recipes.recipe import TrainRecipe
from vitcam_training.vit import Tensor

ABSENT = 0.5
"""Photos that a label without any counts as: the logarithm of none is not a number."""


class CrossEntropy(keras.losses.Loss):  # type: ignore[misc]
    """H(target, softmax(logits + adjustment)), (B, C) and (B, C) -> (B,). A photo without a label counts nothing.

    label_smoothing  what all labels share of a target (Szegedy et al. 2016, arXiv 1512.00567)
    adjustment       (C,), added to the logits while it trains (Menon et al. 2021, arXiv 2007.07314); None: nothing
    """

    def __init__(self, label_smoothing: float = 0.0, adjustment: NDArray[np.float32] | None = None) -> None:
        super().__init__()
        self.label_smoothing, self.adjustment = label_smoothing, adjustment

    def call(self, y_true: Tensor, y_pred: Tensor) -> Tensor:
        if self.adjustment is not None:
            y_pred = y_pred + ops.cast(self.adjustment, y_pred.dtype)
        shared = ops.mean(y_true, axis=-1, keepdims=True)  # 1 / C, and 0 where there is no label
        targets = (1 - self.label_smoothing) * y_true + self.label_smoothing * shared
        return cross_entropy(targets, y_pred)


def cross_entropy(targets: Tensor, logits: Tensor) -> Tensor:
    """H(targets, softmax(logits)), (B, C) and (B, C) -> (B,); its gradient is right for rows of any sum, 0 included.

    On TensorFlow, Keras' own takes a softmax away that stands before it, and its gradient is that of rows whose sum
    is 1: a photo without a label would lose nothing, and yet be trained on.
    """
    return -ops.sum(ops.multiply(targets, ops.log_softmax(logits, axis=-1)), axis=-1)


def adjustment(dataset: Dataset, train: TrainRecipe) -> NDArray[np.float32] | None:
    """(C,): a part of the logarithm of each label's share of an epoch's photos; None where the recipe wants none."""
    if train.logit_adjustment == 0:
        return None
    count = Counter(sample.label for sample in dataset.parts["train"])
    each = [
        train.per_label if train.per_label and count[label] else count[label] for label in range(len(dataset.labels))
    ]
    photos = np.maximum(np.array(each, np.float32), ABSENT)
    return np.asarray(train.logit_adjustment * np.log(photos / photos.sum()), np.float32)
