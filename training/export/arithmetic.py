"""What the inference graph is made of, in forms that XNNPACK takes: dense layers, LayerNorm, sums over heads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import tensorflow as tf

from vitcam_training.export.folded import Affine, Norm
from vitcam_training.vit import Tensor


def mean_of_heads(attention: Tensor) -> Tensor:
    """(h, R, T) -> (1, R, T), written out: a MEAN over the first axis is not delegated."""
    total = attention[:1]
    for i in range(1, attention.shape[0]):
        total += attention[i : i + 1]
    return total * (1 / attention.shape[0])


def concatenate(parts: list[Tensor]) -> Tensor:
    """(h, 1, N) each -> (L*h, 1, N), a few at a time: XNNPACK takes five at once, and not more."""
    while len(parts) > 1:
        parts = [tf.concat(parts[i : i + 4], axis=0) for i in range(0, len(parts), 4)]
    return parts[0]


def dense(x: Tensor, affine: Affine) -> Tensor:
    """(T, D) -> (T, M)."""
    return tf.matmul(x, affine.kernel) + affine.bias


def convolved(x: Tensor, affine: Affine) -> Tensor:
    """The same as a convolution, (T, D) -> (T, M).

    XNNPACK computes what follows a FULLY_CONNECTED of dynamic range in float32, what follows a convolution also in
    float16. The convolution's input is quantised as a whole and not row by row.
    """
    rows = tf.reshape(x, (1, -1, 1, affine.kernel.shape[0]))  # (1, T, 1, D)
    # a stride of 1 would be turned back into a FULLY_CONNECTED; along an axis of one, 2 is the same
    x = tf.nn.conv2d(rows, affine.kernel[None, None], (1, 2), "VALID") + affine.bias  # (1, T, 1, M)
    return tf.reshape(x, (-1, affine.kernel.shape[1]))


def side_by_side(projections: tuple[Affine, ...]) -> Affine:
    """One projection that does the work of several, (D, M) each, in their order."""
    kernels, biases = zip(*((each.kernel, each.bias) for each in projections), strict=True)
    return Affine(np.concatenate(kernels, axis=1), np.concatenate(biases))


def layer_norm(x: Tensor, norm: Norm | None) -> Tensor:
    """LayerNorm, (T, D) -> same; what the next projection or the stream's axes have taken over is left out.

    norm  None: there is none
    """
    if norm is None:
        return x
    if not norm.centred:
        x -= tf.reduce_mean(x, axis=-1, keepdims=True)
    x *= inverse_length(x, replace(norm, centred=True))
    return x if norm.scale is None else x * norm.scale + norm.shift


def inverse_length(x: Tensor, norm: Norm) -> Tensor:
    """What a LayerNorm multiplies each token of x (T, D) by, (T, 1)."""
    if not norm.centred:
        x -= tf.reduce_mean(x, axis=-1, keepdims=True)
    return tf.math.rsqrt(tf.reduce_mean(tf.square(x), axis=-1, keepdims=True) + norm.epsilon)
