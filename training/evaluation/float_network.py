"""The float network of a checkpoint, run by Keras: model files are compared with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import keras
import numpy as np

from vitcam.errors import UsageError
from vitcam_training.data.batches import BatchPlan, plain_batches
from vitcam_training.data.dataset import Dataset
from vitcam_training.evaluation.answers import Answers
from vitcam_training.evaluation.displayed import groups_of, names
from vitcam_training.evaluation.model_file import right_in, unknown_labels
from vitcam_training.progress import with_progress
from vitcam_training.vit import Tensor, ViT, pooled_attention
from vitcam_training.weights.checkpoints import load_into, read_network
from vitcam_training.weights.metadata import read_metadata


class FloatNetwork(keras.Model):  # type: ignore[misc]
    """The float network as it was trained, reduced to what is compared.

    (B, H, W, 3) RGB -> probabilities (B, C) and last-block attention (B, h, N).

    rows   the label of each row of the head
    count  C; rows of label C are left out
    """

    def __init__(self, vit: ViT, rows: Sequence[int], count: int) -> None:
        super().__init__(trainable=False)
        self.vit = vit
        self._rows, self._count = np.array(rows), count  # (R,)

    def call(self, images: Tensor) -> tuple[Tensor, Tensor]:
        logits, taps = self.vit(images)
        attention = taps[f"{self.vit.blocks[-1].name}/attention"]  # (B, h, T, T)
        by_row = keras.ops.transpose(keras.ops.softmax(logits))  # (R, B)
        summed = keras.ops.segment_sum(by_row, self._rows, self._count + 1)[: self._count]
        probabilities = keras.ops.transpose(summed)
        return probabilities, pooled_attention(self.vit.config, attention)  # (B, C), (B, h, N)


def ask_float(checkpoint: Path, dataset: Dataset, part: str, known: tuple[str, ...] | None = None) -> Answers:
    """The same photos, cut as the checkpoint says, through its float32 network.

    known   the labels that the answers index, in this order; None: those of the checkpoint
    raises  UsageError if the checkpoint has no right label for a photo
    """
    about = read_metadata(checkpoint)
    if strange := unknown_labels(dataset, about.labels):
        raise UsageError(f"{checkpoint} does not know {strange[0]!r} of {dataset.name}; give weights that fit the data")
    known = known or about.labels
    index = {label: i for i, label in enumerate(known)}
    labels, accepted, also = right_in(dataset.part(part), dataset, index)
    samples = [replace(sample, label=int(label)) for sample, label in zip(dataset.part(part), labels, strict=True)]
    config, weights = read_network(checkpoint, (about.input.height, about.input.width))
    vit = ViT(config)
    load_into(vit, weights)
    rows = [index.get(about.labels[label], len(known)) for label in about.row_labels]
    network = FloatNetwork(vit, rows, len(known))
    plan = BatchPlan(about.input, len(known), size=20)
    parts = []
    batches = -(-len(samples) // plan.size)
    for images, targets in with_progress(plain_batches(samples, plan), "asking the float network, batches", batches):
        # not compiled: an export asks several networks in batches of several sizes, and would compile each anew
        probabilities, attention = map(keras.ops.convert_to_numpy, network(images))
        parts.append((targets.argmax(-1), probabilities, attention.reshape(len(images), -1)))
    labels, probabilities, attention = (np.concatenate(column) for column in zip(*parts, strict=True))
    displayed = names(probabilities, groups_of(known, dataset))
    return Answers(labels, probabilities, attention, accepted=accepted, also=also, names=displayed)
