"""The network as most people write it in TensorFlow: what TFLiteConverter is given to work on. No rewrite of ours.

Source: Dosovitskiy et al. 2021 (arXiv 2010.11929), sizes read from the weights.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

NORM_EPSILON = 1e-6

Tensor = Any
Weights = dict[str, NDArray[np.float32]]


class TextbookViT(tf.Module):  # type: ignore[misc]
    """(B, H, W, 3) normalised floats -> logits (B, C), with separate q, k and v."""

    def __init__(self, weights: Weights) -> None:
        super().__init__()
        self.weights = weights
        self.width = weights["cls_token"].shape[-1]
        self.patch = weights["patch_embed.proj.weight"].shape[-1]
        self.heads = self.width // 64
        self.depth = len([name for name in weights if re.fullmatch(r"blocks\.\d+\.norm1\.weight", name)])

    def __call__(self, images: Tensor) -> Tensor:
        weights = self.weights
        kernel = weights["patch_embed.proj.weight"].transpose(2, 3, 1, 0)  # (P, P, 3, D)
        x = tf.nn.conv2d(images, kernel, self.patch, "VALID") + weights["patch_embed.proj.bias"]  # (B, gh, gw, D)
        x = tf.reshape(x, (1, -1, self.width))  # (B, N, D)
        x = tf.concat([weights["cls_token"], x], axis=1) + weights["pos_embed"]  # (B, T, D)
        for i in range(self.depth):
            x += self._attention(self._norm(x, f"blocks.{i}.norm1"), f"blocks.{i}.attn")
            hidden = tf.nn.gelu(
                self._dense(self._norm(x, f"blocks.{i}.norm2"), f"blocks.{i}.mlp.fc1"), approximate=False
            )
            x += self._dense(hidden, f"blocks.{i}.mlp.fc2")
        return self._dense(self._norm(x, "norm")[:, 0], "head")  # (B, C)

    def _attention(self, x: Tensor, name: str) -> Tensor:
        kernels = np.split(self.weights[f"{name}.qkv.weight"].T, 3, axis=1)
        biases = np.split(self.weights[f"{name}.qkv.bias"], 3)
        q, k, v = (self._heads(tf.matmul(x, w) + b) for w, b in zip(kernels, biases, strict=True))  # (B, h, T, d)
        scores = tf.matmul(q, k, transpose_b=True) * (self.width // self.heads) ** -0.5  # (B, h, T, T)
        mixed = tf.transpose(tf.matmul(tf.nn.softmax(scores), v), (0, 2, 1, 3))  # (B, T, h, d)
        return self._dense(tf.reshape(mixed, (1, -1, self.width)), f"{name}.proj")  # (B, T, D)

    def _heads(self, x: Tensor) -> Tensor:
        x = tf.reshape(x, (1, -1, self.heads, self.width // self.heads))  # (B, T, h, d)
        return tf.transpose(x, (0, 2, 1, 3))

    def _norm(self, x: Tensor, name: str) -> Tensor:
        mean, variance = tf.nn.moments(x, axes=-1, keepdims=True)
        normed = (x - mean) * tf.math.rsqrt(variance + NORM_EPSILON)
        return normed * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def _dense(self, x: Tensor, name: str) -> Tensor:
        return tf.matmul(x, self.weights[f"{name}.weight"].T) + self.weights[f"{name}.bias"]
