"""Rows of the head that a device adds later: what they read, and what they make of it, as parts of the graph.

A row of the network's own head reads the embedding alone. A spare one reads beside it what enters the last block, which
training on many labels has bent less towards them. All three are in the graph's own axes; see `ResidualStream`.
"""

from __future__ import annotations

from dataclasses import dataclass

import tensorflow as tf

from vitcam_training.config import ViTConfig
from vitcam_training.export.folded import Array
from vitcam_training.vit import Tensor

INPUTS = ("spare_rows", "spare_offsets")
CAPACITY = 128
"""For how many labels there is room. It costs a hundredth of the time of the smallest network that ships them."""


def spare_width(config: ViTConfig) -> int:
    """How many numbers a spare row has: E + 2 D. 0: there are none without a class token, and before a hidden layer or
    for words, where the head is not linear."""
    linear = config.has_cls_token and not config.head_hidden and not config.shared_width
    return config.embedding_width + 2 * config.width if linear else 0


@dataclass(frozen=True)
class SpareRows:
    """What the graph is given, and what it reads."""

    rows: Tensor
    """(1, S, E + 2 D): the logits grow by each for the embedding, the class token and the mean of the patches."""
    offsets: Tensor
    """(1, S): added to the logits; far below zero for a row that is not used."""
    class_token: Tensor
    """(1, D): as it enters the last block, before its norm."""
    patches: Tensor
    """(N, D): the tokens of the patches there."""
    patch_mean: Tensor
    """(1, D)."""

    @classmethod
    def of(cls, rows: Tensor, offsets: Tensor, entering: Tensor, config: ViTConfig) -> SpareRows:
        """Of the tokens that enter the last block, (T, D)."""
        patches = entering[config.prefix :]
        return cls(rows, offsets, entering[:1], patches, tf.reduce_mean(patches, axis=0, keepdims=True))

    def logits(self, embedding: Tensor) -> Tensor:
        """(1, E) -> (1, S)."""
        read = tf.concat([embedding, self.class_token, self.patch_mean], axis=-1)[None]  # (1, 1, E + 2 D)
        return tf.reshape(tf.matmul(read, self.rows, transpose_b=True), (1, -1)) + self.offsets

    def steps(self, probabilities: Tensor, mean: Array) -> tuple[Tensor, Tensor, Tensor]:
        """What the logits of the probable rows grow by, beyond the mean of the head's own: (1, E), (1, D), (1, D).

        probabilities  of the spare rows, (1, S)
        mean           of the head's own rows, (E,)
        """
        count, width = self.rows.shape[1], self.class_token.shape[-1]
        grown = tf.reshape(tf.matmul(probabilities[None], self.rows), (1, -1))  # (1, E + 2 D)
        share = tf.reduce_mean(probabilities, axis=-1, keepdims=True) * count  # (1, 1); a SUM would cut the graph
        own = len(mean)  # slices: a SPLIT_V would cut the graph
        return grown[:, :own] - share * mean[None], grown[:, own : own + width], grown[:, own + width :]

    def of_patches(self, step: Tensor) -> Tensor:
        """What each patch's own token adds to its mean along `step` (1, D): (1, N)."""
        found = tf.matmul(step[None], self.patches[None], transpose_b=True)  # (1, 1, N)
        return tf.reshape(found, (1, -1)) * (1 / self.patches.shape[0])
