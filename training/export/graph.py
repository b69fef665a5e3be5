"""The inference graph: a folded ViT as a float32 TFLite file. TensorFlow is used here and nowhere else.

Everything is 2-D or 3-D, (tokens, channels) or (heads, tokens, head channels), and batch 1: forms that XNNPACK takes
whole, as one delegate partition. A 2-D matmul of two activations, for one, would cut the graph; so would TILE and a
MEAN over heads, and a reshape to five axes. A MEAN over tokens, for mean pooling, does not.

The file has two signatures that share their weights: `classify`, and `explain`, which also says where every block
looked and is invoked only on request.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, nullcontext
from functools import reduce

import numpy as np
import tensorflow as tf

from vitcam_training.export.arithmetic import (
    concatenate,
    convolved,
    dense,
    layer_norm,
    side_by_side,
)
from vitcam_training.export.attribution import Encoded, evidence, looked, margin, rollout
from vitcam_training.export.folded import Affine, Array, Folded, FoldedBlock
from vitcam_training.export.layers import ALWAYS_FLOAT, block_name
from vitcam_training.export.spare_rows import INPUTS, SpareRows, spare_width
from vitcam_training.vit import Tensor

FLOAT = "stays_float"  # a scope whose weights the quantiser leaves alone
OUTPUTS = ("probabilities", "attention", "embedding", "evidence", "margin", "class_token", "patch_mean")
SIGNATURES = ("classify", "explain")
MIDDLE = 128  # the byte that DEQUANTIZE turns into zero


class InferenceGraph(tf.Module):  # type: ignore[misc]
    """Camera bytes (1, H, W, 3) uint8 RGB -> the outputs below, float32.

    probabilities  (1, C)
    attention      (1, h, N) where what the head reads looked in the last block, one weight a patch
    embedding      (1, D) what the head reads, after the final norm where there is one; (1, 2 D) for two tokens
    evidence       (1, N) what each patch wrote for the answer and against all others, in the last blocks; signed
    margin         (1, 1) what the evidence is a part of: how far the likely labels' logits are above the mean of all;
                   left out where evidence does not add up to it
    class_token    (1, D) as it enters the last block, before its norm; only of a graph with spare rows
    patch_mean     (1, D) the mean of the patches' tokens there; only of a graph with spare rows
    rollout        (1, N) attention rollout from what the head reads back to the patches; only of `explain`
    rows           (1, L, h, N) the same as `attention` of every block; only of `explain`

    What the head reads is the class token, the class token and a distillation token side by side, the first patch's
    token, or the mean of all tokens. Where it looked is the attention's row of that token, or the mean over the rows,
    which is what the mean of the tokens took from each patch. What a class token looked at besides patches is left out,
    so that its rows sum to less than 1; all others sum to 1. Rollout begins with 1 for that token, 1 / 2 for each of
    two, or 1 / T for all.

    A network with a space that pictures share with words may take the head as inputs: `words` (1, C, S), whose mean
    over the words that are given is zero, and `offsets` (1, C), zero for those and far below zero for the others.

    Another network may have room for S labels that a device adds: then it takes the `spare_rows` (1, S, E + 2 D) and
    `spare_offsets` (1, S) of their logits, as `SpareRows` has them, and gives C + S probabilities.
    """

    def __init__(self, folded: Folded, floats: Collection[str] = ALWAYS_FLOAT, spare: int = 0) -> None:
        """The layers named in `floats` are marked for the quantiser to leave alone; so are the patches if int8 would
        not take each byte as it is.

        spare  how many labels a device can add; above 0, the head that is given is theirs, else it is the whole one
        """
        super().__init__()
        self.folded = folded
        self._floats = frozenset(floats) if folded.keeps_bytes else frozenset(floats) | {"patches"}
        self._spare = spare

    def classify(self, image: Tensor, head: Tensor = None, offsets: Tensor = None) -> dict[str, Tensor]:
        """The outputs that are not only of `explain` for a picture, (1, H, W, 3) uint8."""
        return self._outputs(self._encode(image), head, offsets)

    def explain(self, image: Tensor, head: Tensor = None, offsets: Tensor = None) -> dict[str, Tensor]:
        """All outputs for a picture, (1, H, W, 3) uint8."""
        encoded, config = self._encode(image), self.folded.config
        rows = concatenate([looked(config, attention) for attention in encoded.attentions])  # (L*h, 1, N)
        return {
            **self._outputs(encoded, head, offsets),
            "rollout": tf.reshape(rollout(config, encoded.attentions)[:, :, config.prefix :], (1, -1)),
            "rows": tf.reshape(rows, (1, config.depth, config.heads, -1)),
        }

    def _encode(self, image: Tensor) -> Encoded:
        folded, read = self.folded, self.folded.config.rows_read
        x = self._tokens(image)  # (T, D)
        x = layer_norm(x, folded.first_norm)
        if folded.first is not None:
            with self._scope("patches"):
                x = dense(x, folded.first)  # (T, D)
        attentions, values, entering = [], [], x
        for i in range(len(folded.blocks)):
            entering = x
            rows = x[:read] if folded.rewrites.last_row and i == len(folded.blocks) - 1 else x
            x, attention, value = self._block(i, rows, x)  # (R, D), (h, R, T), (h, T, d)
            attentions.append(attention)
            values.append(value)
        return Encoded(x if folded.config.pooling == "mean" else x[:read], attentions, values, entering)

    def _outputs(self, encoded: Encoded, head: Tensor, offsets: Tensor) -> dict[str, Tensor]:
        if self._spare:
            return self._with_spare(encoded, SpareRows.of(head, offsets, encoded.entering, self.folded.config))
        embedding, length = self._embedding(encoded.x)
        read = self._read(embedding)
        logits = self._logits(read, head)
        rows = tf.nn.softmax(logits if offsets is None else logits + offsets)  # (1, R)
        wanted = self._wanted(rows, head, length, read)
        outputs = self._answer(encoded, rows, embedding) | {"evidence": evidence(self.folded, encoded, wanted)}
        if self.folded.config.margin_is_sum:
            outputs["margin"] = margin(rows, logits, logits if head is None else None)
        return outputs

    def _with_spare(self, encoded: Encoded, spare: SpareRows) -> dict[str, Tensor]:
        embedding, _ = self._embedding(encoded.x)
        own = self._logits(embedding, None)  # (1, R)
        logits = tf.concat([own, spare.logits(embedding)], axis=-1)  # (1, R + S)
        rows = tf.nn.softmax(logits)
        count = own.shape[-1]
        mean = self.folded.head.kernel.mean(axis=1) * self.folded.logit_factor
        step, token, patch = spare.steps(rows[:, count:], mean)
        wanted = self._wanted(rows[:, :count], None, None, embedding) + tf.matmul(step, self.folded.towards)
        outputs = self._answer(encoded, rows, embedding) | {
            "evidence": evidence(self.folded, encoded, wanted, token) + spare.of_patches(patch),
            "class_token": spare.class_token,
            "patch_mean": spare.patch_mean,
        }
        if self.folded.config.margin_is_sum:
            outputs["margin"] = margin(rows, logits, own)
        return outputs

    def _answer(self, encoded: Encoded, rows: Tensor, embedding: Tensor) -> dict[str, Tensor]:
        return {
            "probabilities": self._of_labels(rows),
            "attention": tf.reshape(
                looked(self.folded.config, encoded.attentions[-1]), (1, self.folded.config.heads, -1)
            ),
            "embedding": embedding,
        }

    def _embedding(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """(R, D) -> (1, E); and in a shared space what it was multiplied by there, (1, 1)."""
        folded, length = self.folded, None
        with self._scope("embedding"):
            embedding = layer_norm(x, folded.norm)
            if folded.config.pooling == "mean":
                embedding = tf.reduce_mean(embedding, axis=0, keepdims=True)  # (1, D)
            if folded.embedding is not None:
                embedding = dense(embedding, folded.embedding)  # (R, D) or (1, S)
            if folded.config.rows_read > 1:
                embedding = tf.reshape(embedding, (1, -1))  # (1, E)
            if folded.config.shared_width:
                length = tf.math.rsqrt(tf.reduce_mean(tf.square(embedding), axis=-1, keepdims=True))
                length *= folded.config.shared_width**-0.5  # a SUM would cut the graph
                embedding *= length
        return embedding, length

    def _read(self, embedding: Tensor) -> Tensor:
        """What the last layer of the head reads: the embedding, or the channels of a hidden layer, (1, H)."""
        if self.folded.pre_logits is None:
            return embedding
        return tf.tanh(self._dense("pre_logits", embedding, self.folded.pre_logits))

    def _of_labels(self, rows: Tensor) -> Tensor:
        """The probabilities of the head's rows, (1, R) or (1, R + S) -> those of the labels, (1, C) or (1, C + S)."""
        if not self.folded.merge:
            return rows
        *before, last = self.folded.merge
        products = [*before, np.pad(last, ((0, 0), (0, self._spare)))]
        count = len(products[0])
        with tf.name_scope(FLOAT):
            return rows[:, count:] + reduce(tf.matmul, products, rows[:, :count])

    def _logits(self, read: Tensor, words: Tensor) -> Tensor:
        """(1, E) -> (1, R); from a hidden layer, (1, H)."""
        if words is not None:
            return tf.reshape(tf.matmul(read[None], words, transpose_b=True), (1, -1))
        logits = self._dense("head", read, self.folded.head)
        return logits if self.folded.logit_factor == 1.0 else logits * self.folded.logit_factor

    def _wanted(self, rows: Tensor, words: Tensor, length: Tensor, read: Tensor) -> Tensor:
        """The direction in the stream's axes in which the logits of the probable labels grow, (1, D).

        rows    the probabilities of the head's rows, (1, R): a label that has several grows by each as it is probable
        length  what the place in a shared space was multiplied by, (1, 1); None: there is no such space
        read    what the last layer of the head read: of a hidden layer, the slope of its tanh follows from it
        """
        if words is None:
            wanted = tf.matmul(rows, self.folded.evidence)
            if self.folded.pre_logits is not None:
                wanted = tf.matmul(wanted * (1.0 - read * read), self.folded.towards)
        else:
            wanted = tf.matmul(tf.reshape(tf.matmul(rows[None], words), (1, -1)), self.folded.towards)
        return wanted if length is None else wanted * length

    def _tokens(self, image: Tensor) -> Tensor:
        """(1, H, W, 3) uint8 -> the tokens of the patches, behind those before them, with positions, (T, D) float32."""
        folded = self.folded
        if "patches" not in self._floats and folded.first_rows is not None:
            return self._exact_tokens(image, folded.first_rows)
        x = tf.cast(image, tf.float32)
        factor, summand = folded.pixels
        x = x * factor.astype(np.float32) + summand.astype(np.float32)
        x, shape = self._cut(x), (np.prod(folded.config.grid), len(folded.patches.kernel))
        with self._scope("patches"):
            x = dense(tf.reshape(x, shape), folded.patches)  # (N, D)
        if folded.position is not None:
            x += folded.position
        return x if folded.first_rows is None else tf.concat([folded.first_rows, x], axis=0)

    def _exact_tokens(self, image: Tensor, first_rows: Array) -> Tensor:
        """The same where int8 keeps each byte as it is: a convolution has one scale for its whole input.

        That is a byte's if the input holds both 0 and 255, as a row does here that stands for each of `first_rows`.
        """
        folded = self.folded
        rows = np.full((len(first_rows), len(folded.patches.kernel)), MIDDLE, np.uint8)
        rows[:, :2] = 0, 255
        factor, summand = (each.astype(np.float32) for each in folded.pixels)
        patches = tf.reshape(self._cut(image), (-1, rows.shape[1]))  # (N, P*P*3)
        x = tf.cast(tf.concat([rows, patches], axis=0), tf.float32) * factor + summand
        x = convolved(x, folded.patches)  # (T, D)
        made = (rows * factor + summand) @ folded.patches.kernel + folded.patches.bias
        added = np.zeros((x.shape[0], folded.config.width), np.float32)
        added[: len(made)] = first_rows - made
        if folded.position is not None:
            added[len(made) :] = folded.position
        return x + added

    def _cut(self, x: Tensor) -> Tensor:
        """A picture (1, H, W, 3) -> its patches, (gh, gw, P, P*3)."""
        config = self.folded.config
        (rows, columns), side = config.grid, config.patch_size
        x = tf.reshape(x, (rows, side, columns, side * 3))  # (gh, P, gw, P*3)
        return tf.transpose(x, (0, 2, 1, 3))  # rank 4, which XNNPACK takes

    def _block(self, index: int, rows: Tensor, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """One block for the tokens `rows` (R, D), which attend to every token `x` (T, D).

        returns  (R, D), attention (h, R, T), values (h, T, d)
        """
        block, name, config = self.folded.blocks[index], block_name(index), self.folded.config
        pre = config.norm == "pre"
        seen = layer_norm(x, block.norm1) if pre else x  # (T, D)
        row = None if rows is x else seen[: config.rows_read]
        q, k, v = self._look(name, block, row, seen)  # (h, R, d), (h, T, d), (h, T, d)
        if block.query_norm is not None and block.key_norm is not None:
            q, k = layer_norm(q, block.query_norm), layer_norm(k, block.key_norm)
        scores = tf.matmul(q, k, transpose_b=True)  # (h, R, T)
        if block.score_factor != 1.0:
            scores *= block.score_factor
        weights = tf.nn.softmax(scores)  # (h, R, T)
        mixed = tf.transpose(tf.matmul(weights, v), (1, 0, 2))  # (R, h, d)
        mixed = self._dense(f"{name}/output", tf.reshape(mixed, (-1, config.attention_width)), block.output)  # (R, D)
        rows = rows + mixed if config.residual else mixed
        rows = rows if pre else layer_norm(rows, block.norm1)
        hidden = self._dense(f"{name}/up", layer_norm(rows, block.norm2) if pre else rows, block.up)  # (R, M)
        hidden = self._dense(f"{name}/down", self._activation(hidden), block.down)
        rows = rows + hidden if config.residual else hidden
        return rows if pre else layer_norm(rows, block.norm2), weights, v

    def _activation(self, x: Tensor) -> Tensor:
        if self.folded.config.activation == "quick_gelu":
            return x * tf.sigmoid(x * 1.702)
        return tf.nn.gelu(x, approximate=False) if self.folded.config.activation == "gelu" else tf.nn.relu(x)

    def _look(self, name: str, block: FoldedBlock, row: Tensor | None, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries of `row` (R, D), or of all; keys and values of all tokens `x` (T, D)."""
        all_three = {f"{name}/query": block.query, f"{name}/key": block.key, f"{name}/value": block.value}
        if row is not None:
            query = all_three.pop(f"{name}/query")
            return (self._heads(row, {f"{name}/query": query})[0], *self._joined(x, all_three))
        query, key, value = self._joined(x, all_three)
        return query, key, value

    def _joined(self, x: Tensor, projections: dict[str, Affine]) -> list[Tensor]:
        """Several projections of the same tokens (T, D), each (h, T, d)."""
        if self.folded.rewrites.joined:
            return self._heads(x, projections)
        return [self._heads(x, {name: projection})[0] for name, projection in projections.items()]

    def _heads(self, x: Tensor, projections: dict[str, Affine]) -> list[Tensor]:
        """(T, D) -> (h, T, d) of each, by one matmul and one transpose; SPLIT, unlike slices, stays in the delegate."""
        config, count = self.folded.config, len(projections)
        x = self._project(x, projections)  # (T, count*h*d)
        x = tf.reshape(x, (-1, count * config.heads, config.d_k))
        x = tf.transpose(x, (1, 0, 2))  # (count*h, T, d)
        return tf.split(x, count, axis=0) if count > 1 else [x]

    def _project(self, normed: Tensor, projections: dict[str, Affine]) -> Tensor:
        """Queries, keys or values of normalised rows, (T, D) -> (T, M): in float if one of them is to stay so."""
        affine = side_by_side(tuple(projections.values()))
        kept = next((name for name in projections if name in self._floats), None)
        if kept or not self.folded.rewrites.float16:
            return self._dense(kept or "", normed, affine)
        return convolved(normed, affine)

    def _dense(self, name: str, x: Tensor, affine: Affine) -> Tensor:
        with self._scope(name):
            return dense(x, affine)

    def _scope(self, name: str) -> AbstractContextManager[object]:
        """Around the layer of that name: the quantiser leaves alone what is in the scope FLOAT."""
        return tf.name_scope(FLOAT) if name in self._floats else nullcontext()


def to_float(
    folded: Folded, floats: Collection[str] = ALWAYS_FLOAT, words: int = 0, spare: int = 0, quantised: bool = False
) -> bytes:
    """The graph as a TFLite file in float32, with both signatures; `floats` names the layers that will stay so.

    words  for how many words the graph takes the head as inputs; 0: the head is the network's own
    spare  for how many labels that a device adds it takes rows of the head
    quantised  the converter makes the weights int8 itself, of all layers that it chooses
    """
    module = InferenceGraph(folded, floats, spare)
    spec = [tf.TensorSpec((1, *folded.config.image_size, 3), tf.uint8, "image")]
    if spare:
        rows, offsets = INPUTS
        spec.append(tf.TensorSpec((1, spare, spare_width(folded.config)), tf.float32, rows))
        spec.append(tf.TensorSpec((1, spare), tf.float32, offsets))
    if words:
        spec.append(tf.TensorSpec((1, words, folded.config.shared_width), tf.float32, "words"))
        spec.append(tf.TensorSpec((1, words), tf.float32, "offsets"))
    calls: dict[str, Callable[[Tensor], dict[str, Tensor]]] = {"classify": module.classify, "explain": module.explain}
    traced = {name: tf.function(calls[name], input_signature=spec).get_concrete_function() for name in SIGNATURES}
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder, signatures=traced)
        converter = tf.lite.TFLiteConverter.from_saved_model(folder, signature_keys=list(SIGNATURES))
        converter.optimizations = [tf.lite.Optimize.DEFAULT] if quantised else []
        return bytes(converter.convert())
