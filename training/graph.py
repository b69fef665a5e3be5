"""The inference graph: a folded ViT as a float32 TFLite file. TensorFlow is used here and nowhere else.

Everything is 2-D or 3-D, (tokens, channels) or (heads, tokens, head channels), and batch 1: forms that XNNPACK takes
whole, as one delegate partition. A 2-D matmul of two activations, for one, would cut the graph.
"""

from __future__ import annotations

import tensorflow as tf

from .rewrites import Affine, Folded, FoldedBlock
from .vit import NORM_EPSILON, Tensor

FLOAT = "stays_float"  # a scope whose weights the quantiser leaves alone
OUTPUTS = ("probabilities", "attention", "embedding")


class InferenceGraph(tf.Module):  # type: ignore[misc]
    """Camera bytes (1, H, W, 3) uint8 RGB -> probabilities (1, C), attention (1, h, N), embedding (1, D), float32."""

    def __init__(self, folded: Folded) -> None:
        super().__init__()
        self.folded = folded

    def __call__(self, image: Tensor) -> dict[str, Tensor]:
        folded = self.folded
        x = tf.concat([folded.cls_row, self._patches(image) + folded.position], axis=0)  # (T, D)
        for block in folded.blocks[:-1]:
            x, _ = self._block(block, x, x)  # (T, D)
        # The head reads only the class token, so the last block works out only its row: 8 % less work.
        x, weights = self._block(folded.blocks[-1], x[:1], x)  # (1, D), (h, 1, T)
        with tf.name_scope(FLOAT):
            embedding = _dense(_norm(x), folded.embedding)  # (1, D)
        attention = tf.reshape(weights[:, :, 1:], (1, folded.config.heads, -1))  # (1, h, N)
        return {
            "probabilities": tf.nn.softmax(_dense(embedding, folded.head)),  # (1, C)
            "attention": attention,
            "embedding": embedding,
        }

    def _patches(self, image: Tensor) -> Tensor:
        """(1, H, W, 3) uint8 -> (N, D) float32."""
        config = self.folded.config
        (rows, columns), side = config.grid, config.patch_size
        x = tf.reshape(tf.cast(image, tf.float32), (rows, side, columns, side * 3))  # (gh, P, gw, P*3)
        x = tf.transpose(x, (0, 2, 1, 3))  # (gh, gw, P, P*3): rank 4, which XNNPACK takes
        with tf.name_scope(FLOAT):
            return _dense(tf.reshape(x, (rows * columns, side * side * 3)), self.folded.patches)  # (N, D)

    def _block(self, block: FoldedBlock, rows: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
        """One block for the tokens `rows` (R, D), which look at all tokens `x` (T, D); returns (R, D), (h, R, T)."""
        normed = _norm(x)  # (T, D)
        queries = normed if rows is x else normed[:1]  # (R, D)
        q = self._heads(_dense(queries, block.query))  # (h, R, d)
        k, v = (self._heads(_dense(normed, affine)) for affine in (block.key, block.value))  # (h, T, d)
        weights = tf.nn.softmax(tf.matmul(q, k, transpose_b=True))  # (h, R, T)
        mixed = tf.transpose(tf.matmul(weights, v), (1, 0, 2))  # (R, h, d)
        rows += _dense(tf.reshape(mixed, (-1, self.folded.config.width)), block.output)  # (R, D)
        hidden = tf.nn.gelu(_dense(_norm(rows), block.up), approximate=False)  # (R, M)
        return rows + _dense(hidden, block.down), weights

    def _heads(self, x: Tensor) -> Tensor:
        """(R, D) -> (h, R, d)."""
        config = self.folded.config
        return tf.transpose(tf.reshape(x, (-1, config.heads, config.width // config.heads)), (1, 0, 2))


def to_float(folded: Folded) -> bytes:
    """The graph as a TFLite file in float32."""
    module = InferenceGraph(folded)
    shape = (1, *folded.config.image_size, 3)
    traced = tf.function(module, input_signature=[tf.TensorSpec(shape, tf.uint8, "image")])
    function = traced.get_concrete_function()
    converter = tf.lite.TFLiteConverter.from_concrete_functions([function], module)
    return bytes(converter.convert())


def _dense(x: Tensor, affine: Affine) -> Tensor:
    return tf.matmul(x, affine.kernel) + affine.bias


def _norm(x: Tensor) -> Tensor:
    """LayerNorm of what is centred already; scale and shift are in the next projection."""
    return x * tf.math.rsqrt(tf.reduce_mean(tf.square(x), axis=-1, keepdims=True) + NORM_EPSILON)
