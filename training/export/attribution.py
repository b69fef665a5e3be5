"""Where the network looked, and what it saw there did for the answer: attention, rollout, evidence and margin.

All are parts of the inference graph, in the forms that XNNPACK takes; `InferenceGraph` says what each output is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import tensorflow as tf

from vitcam_training.config import ViTConfig
from vitcam_training.export.arithmetic import inverse_length, mean_of_heads
from vitcam_training.export.folded import Folded
from vitcam_training.vit import Tensor

EVIDENCE_BLOCKS = 4
"""What patches wrote in more blocks adds little to the margin, and in fewer it is not most of it."""


@dataclass(frozen=True)
class Encoded:
    """What the blocks made of a picture."""

    x: Tensor
    """What the head reads, (R, D)."""
    attentions: list[Tensor]
    """Of each block, (h, R, T)."""
    values: list[Tensor]
    """Of each block, (h, T, d)."""
    entering: Tensor
    """The tokens that enter the last block, (T, D)."""


def margin(rows: Tensor, logits: Tensor, own: Tensor) -> Tensor:
    """How far the logits of the likely rows are above the mean, (1, 1).

    rows    probabilities, (1, R)
    logits  (1, R)
    own     the logits whose mean that is; None: it is zero
    """
    mean = 0.0 if own is None else tf.reduce_mean(own, axis=-1, keepdims=True)
    return tf.reduce_mean(rows * (logits - mean), axis=-1, keepdims=True) * logits.shape[-1]


def evidence_blocks(config: ViTConfig) -> int:
    """In how many of the last blocks evidence is gathered."""
    return min(EVIDENCE_BLOCKS, config.depth) if config.margin_is_sum else 1


def evidence(folded: Folded, encoded: Encoded, wanted: Tensor, token: Tensor = None) -> Tensor:
    """What attention carried over from each patch, as far as it made the answer likelier, (1, N).

    What the head reads, `x`, is a sum. Among the summands are, for each block and patch, its attention times its
    value, projected. Along the direction in which the logits of the probable labels grow, weighted by their
    probabilities, each is a number (direct logit attribution; Elhage et al. 2021, A Mathematical Framework for
    Transformer Circuits). Divided as the final norm divides x, these numbers are parts of the margin.

    wanted  the direction, (1, D) for each token that is read
    token   the direction for what had been written into the class token when it entered the last block, (1, D)
    """
    config, rows, x = folded.config, folded.config.rows_read, encoded.x
    found = 0.0
    for row in range(rows):
        own = x if rows == 1 else x[row : row + 1]
        towards = wanted if rows == 1 else wanted[:, row * config.width : (row + 1) * config.width]
        if folded.norm is not None:
            towards *= tf.reduce_mean(inverse_length(own, folded.norm), axis=0, keepdims=True)
        found = _carried(folded, found, towards, None if rows == 1 else row, encoded, None if row else token)
    return tf.reshape(mean_of_heads(found) * config.heads, (1, -1))


def _carried(
    folded: Folded, found: Tensor, towards: Tensor, row: int | None, encoded: Encoded, before: Tensor
) -> Tensor:
    """`found` and what each head of the last blocks wrote along `towards` (1, D) by a row of attention: (h, 1, N).

    row     None: that of what the head reads
    before  another direction, for all of these blocks but the last, (1, D)
    """
    config = folded.config
    for i in range(config.depth - evidence_blocks(config), config.depth):
        along = towards if before is None or i == config.depth - 1 else towards + before
        of_heads = tf.matmul(along, np.ascontiguousarray(folded.blocks[i].output.kernel.T))  # (1, D)
        of_heads = tf.reshape(of_heads, (config.heads, 1, -1))
        carried = tf.matmul(of_heads, encoded.values[i], transpose_b=True)[:, :, config.prefix :]  # (h, 1, N)
        weights = encoded.attentions[i]
        seen = looked(config, weights) if row is None else weights[:, row : row + 1, config.prefix :]
        found += seen * carried  # an ADD_N would cut the graph
    return found


def looked(config: ViTConfig, attention: Tensor) -> Tensor:
    """Where what the head reads looked among the patches, (h, R, T) -> (h, 1, N)."""
    return _read_rows(config, attention)[:, :, config.prefix :]


def _read_rows(config: ViTConfig, attention: Tensor) -> Tensor:
    """The mean of the rows that the head reads, (h, R, T) -> (h, 1, T)."""
    if config.pooling == "mean":
        return tf.reduce_mean(attention, axis=1, keepdims=True)
    if config.rows_read > 1:
        return (attention[:, :1] + attention[:, 1:2]) * 0.5
    return attention[:, :1]


def rollout(config: ViTConfig, attentions: list[Tensor]) -> Tensor:
    """The row of attention rollout (Abnar & Zuidema 2020, arXiv 2005.00928) that the head reads, (1, 1, T).

    R = Π ½ (mean over heads of A + 1), of which only that row is asked: carried back through the blocks, from the
    last to the first, it costs a two-hundredth of the whole product.
    """
    tokens = attentions[0].shape[-1]
    rows = tokens if config.pooling == "mean" else config.rows_read
    own = np.where(np.arange(tokens) < rows, 1 / rows, 0).astype(np.float32)[None, None]  # a token looks at itself
    row = _carry(config, mean_of_heads(_read_rows(config, attentions[-1])), own)
    for attention in reversed(attentions[:-1]):
        row = _carry(config, tf.matmul(row, mean_of_heads(attention)), row)
    return row


def _carry(config: ViTConfig, seen: Tensor, row: Tensor) -> Tensor:
    """A row of rollout through one block: half of it passes by, where there is a residual connection."""
    return (seen + row) * 0.5 if config.residual else seen
