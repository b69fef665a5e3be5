"""Exact rewrites of a trained ViT: the same function, written so that XNNPACK runs it fast. NumPy only.

In: weights under timm's names. Out: `Folded`, what `graph.py` builds the inference graph from. Each rewrite is a
function of its own; a test compares the whole with the training network to 1e-4 in float32. What gains most speed are
separate q, k and v (2.2 times faster than the fused one); what saves most accuracy are the stream's random axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .checkpoints import Weights
from .vit import MEAN_RGB, STD_RGB, ViTConfig

Array = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Affine:
    """x @ kernel + bias."""

    kernel: Array
    """(in, out) float32."""
    bias: Array
    """(out,) float32."""


@dataclass(frozen=True)
class FoldedBlock:
    """A block whose norms only divide by the length, and whose q is already divided by sqrt(d)."""

    query: Affine
    key: Affine
    value: Affine
    output: Affine
    up: Affine
    down: Affine


@dataclass(frozen=True)
class Folded:
    """Everything that the inference graph multiplies or adds."""

    config: ViTConfig
    patches: Affine
    """On camera bytes, (P*P*3, D): a patch's rows one after the other, RGB side by side."""
    cls_row: Array
    """(1, D): class token plus its position embedding."""
    position: Array
    """(N, D): position embedding of the patches."""
    blocks: tuple[FoldedBlock, ...]
    embedding: Affine
    """From the last token's normalised row back to the axes, scale and shift that the head saw in training."""
    head: Affine
    """Gives logits / temperature."""


def fold(config: ViTConfig, weights: Weights, temperature: float = 1.0) -> Folded:
    """All rewrites on all weights.

    weights      under timm's names, as `to_timm` gives them
    temperature  logits are divided by it: above 1 the model gets less sure of itself
    """
    stream = Stream.random(config.width)
    position = weights["pos_embed"][0].astype(np.float64)
    kernel = weights["patch_embed.proj.weight"].transpose(2, 3, 1, 0)  # (P, P, 3, D)
    patches = fold_pixels(Affine(kernel.reshape(-1, config.width), weights["patch_embed.proj.bias"]))
    return Folded(
        config=config,
        patches=stream.written(patches),
        cls_row=((weights["cls_token"][0] + position[:1]) @ stream.write).astype(np.float32),
        position=(position[1:] @ stream.write).astype(np.float32),
        blocks=tuple(_block(config, weights, f"blocks.{i}", stream) for i in range(config.depth)),
        embedding=stream.read_by(Affine(np.diag(weights["norm.weight"]), weights["norm.bias"])),
        head=fold_factor(_affine(weights, "head"), 1 / temperature),
    )


@dataclass(frozen=True)
class Stream:
    """Other axes for the residual stream: centred and rotated, at no cost when the model runs.

    Everything that reads the stream normalises it first. So its mean may be taken out where it is written, which
    leaves of LayerNorm a division by the length (SliceGPT, Ashkboos et al. 2024, arXiv 2401.15024); and a rotation,
    which keeps lengths, may go in with every write and out with every read. In random axes no channel is an outlier:
    int8 loses a quarter less of DeiT-Tiny's embedding (QuaRot, Ashkboos et al. 2024, arXiv 2404.00456).
    """

    write: Array
    """(D, D) float64: from the network's axes to the stream's."""
    read: Array
    """(D, D) float64: and back, for what was centred."""

    @classmethod
    def random(cls, width: int) -> Stream:
        """The same axes for the same width, always."""
        rotation, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(width, width)))
        return cls((np.eye(width) - 1 / width) @ rotation, rotation.T)

    def written(self, affine: Affine) -> Affine:
        """A projection that writes into the stream."""
        return Affine(_single(affine.kernel @ self.write), _single(affine.bias @ self.write))

    def read_by(self, affine: Affine) -> Affine:
        """A projection that reads what was normalised."""
        return Affine(_single(self.read @ affine.kernel), affine.bias)


def fold_pixels(patches: Affine) -> Affine:
    """Take camera bytes where the projection took (bytes / 255 - mean) / std."""
    count = len(patches.kernel) // 3
    scale = np.tile(1 / (255 * np.array(STD_RGB)), count)  # (P*P*3,)
    shift = np.tile(-np.array(MEAN_RGB) / np.array(STD_RGB), count)
    return fold_norm(patches, scale, shift)


def fold_norm(affine: Affine, scale: Array, shift: Array) -> Affine:
    """(x * scale + shift) @ kernel + bias = x @ (scale * kernel) + (shift @ kernel + bias); summed in float64."""
    kernel = affine.kernel.astype(np.float64)
    bias = shift @ kernel + affine.bias
    return Affine(_single(scale[:, None] * kernel), _single(bias))


def fold_factor(affine: Affine, factor: float) -> Affine:
    """Multiply what comes out: 1 / sqrt(d) for the queries, 1 / temperature for the logits."""
    return Affine(_single(affine.kernel * factor), _single(affine.bias * factor))


def split_qkv(fused: Affine) -> tuple[Affine, Affine, Affine]:
    """One projection into three: the fused one needs strided slices, which cut the graph."""
    kernels, biases = np.split(fused.kernel, 3, axis=1), np.split(fused.bias, 3)
    query, key, value = (Affine(kernel, bias) for kernel, bias in zip(kernels, biases, strict=True))
    return query, key, value


def _block(config: ViTConfig, weights: Weights, name: str, stream: Stream) -> FoldedBlock:
    norm1 = weights[f"{name}.norm1.weight"], weights[f"{name}.norm1.bias"]
    norm2 = weights[f"{name}.norm2.weight"], weights[f"{name}.norm2.bias"]
    query, key, value = split_qkv(stream.read_by(fold_norm(_affine(weights, f"{name}.attn.qkv"), *norm1)))
    return FoldedBlock(
        query=fold_factor(query, (config.width // config.heads) ** -0.5),
        key=key,
        value=value,
        output=stream.written(_affine(weights, f"{name}.attn.proj")),
        up=stream.read_by(fold_norm(_affine(weights, f"{name}.mlp.fc1"), *norm2)),
        down=stream.written(_affine(weights, f"{name}.mlp.fc2")),
    )


def _affine(weights: Weights, name: str) -> Affine:
    return Affine(weights[f"{name}.weight"].T, weights[f"{name}.bias"])


def _single(array: Array) -> Array:
    return array.astype(np.float32)
