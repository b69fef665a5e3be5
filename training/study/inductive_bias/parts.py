"""Which part of a network is equivariant to a picture that is moved, and which is not: errors of equality, in float64.

A function f is equivariant to a change g where f(g x) = g f(x); g is here a shift of the picture, or another order of
its tokens. The error is |f(g x) - g f(x)| / |g f(x)|, in the Frobenius norm: 0 where it is equivariant, up to rounding.
Shifts are circular, so that nothing leaves the picture. Measured are the parts of a ViT, and of a CNN its first layer,
whose stride is 1, and its second, whose stride is 2. Keras is imported by this module.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from vitcam_training.config import ViTConfig
from vitcam_training.study import reference
from vitcam_training.study.convolution.config import ConvolutionConfig, ConvolutionRecipe
from vitcam_training.study.convolution.network import ConvNet
from vitcam_training.study.inductive_bias.runs import LAYERS, VIT
from vitcam_training.study.reference import Array, Weights

ROUNDING = 1e-5
"""An error below it comes from rounding alone: float64 has 1e-16, the CNN, which is float32, 1e-7."""
MARGIN = 4
"""Places at the border that are left out, beside those that a shift brings in: there a layer sees the zeros around."""


@dataclass(frozen=True)
class PartError:
    """One part under one change."""

    part: str
    change: str
    error: float

    @property
    def equivariant(self) -> bool:
        return self.error < ROUNDING


def relative(found: NDArray[Any], wanted: NDArray[Any]) -> float:
    """How far two arrays (...,) of one shape lie apart, in shares of the second's length."""
    return float(np.linalg.norm(found - wanted) / np.linalg.norm(wanted))


def without_positions(w: Weights, net: ViTConfig) -> tuple[Weights, ViTConfig]:
    """The same network with nothing added to its tokens: without the table of positions, (1, T, D).

    Then nothing says where a token stands.
    """
    return {name: array for name, array in w.items() if name != "pos_embed"}, replace(net, position="none")


def part_errors(images: NDArray[Any], w: Weights, net: ViTConfig, seed: int = 0) -> list[PartError]:
    """Every part of a ViT under shifts and under another order of its tokens.

    images  (B, H, W, 3) uint8 RGB, at the network's size
    w       under timm's names, a dense layer's (out, in); positions learned, a class token or none before the patches
    """
    return [
        *_patch_embedding(images, w, net),
        *_under_another_order(images, w, net, np.random.default_rng(seed)),
        *_whole(images, w, net),
    ]


def _patch_embedding(images: NDArray[Any], w: Weights, net: ViTConfig) -> list[PartError]:
    def tokens(moved: NDArray[Any]) -> Array:  # (B, gh, gw, D)
        cut = reference.patches(reference.normalise(moved, net), net.patch_size)
        product = cut @ reference.patch_matrix(w["patch_embed.proj.weight"]) + w["patch_embed.proj.bias"]
        return np.asarray(product.reshape(len(images), *net.grid, -1))

    plain, side = tokens(images), net.patch_size
    found = []
    for shift in (1, side // 2, side):
        wanted = np.roll(plain, shift // side, axis=2)
        error = relative(tokens(np.roll(images, shift, axis=2)), wanted)
        found.append(PartError("patch embedding", f"picture shifted by {shift} px", error))
    return found


def _under_another_order(images: NDArray[Any], w: Weights, net: ViTConfig, rng: np.random.Generator) -> list[PartError]:
    """Attention, MLP, LayerNorm and position encoding of the first block, their tokens in random order."""
    x = reference.embed(images, w, net)  # (B, T, D)
    order = rng.permutation(x.shape[1])
    bare = reference.embed(images, *without_positions(w, net))
    parts: dict[str, tuple[Array, Callable[[Array], Array]]] = {
        "LayerNorm": (x, lambda z: reference.layer_norm(z, w, "blocks.0.norm1", net.norm_epsilon)),
        "attention": (x, lambda z: reference.multi_head(z, w, "blocks.0.attn", net)[0]),
        "MLP": (x, lambda z: reference.mlp(z, w, "blocks.0.mlp", net.activation)),
        "position encoding": (bare, lambda z: z + w["pos_embed"]),
    }
    return [
        PartError(name, "tokens in another order", relative(part(z[:, order]), part(z)[:, order]))
        for name, (z, part) in parts.items()
    ]


def _whole(images: NDArray[Any], w: Weights, net: ViTConfig) -> list[PartError]:
    """What the head reads, for a picture that is shifted: it should stay as it was (invariance)."""
    kinds = {"whole encoder": (w, net), "whole encoder without positions": without_positions(w, net)}
    found = []
    for name, (weights, config) in kinds.items():
        plain = reference.vit(images, weights, config)[1]["embedding"]
        for shift in (1, net.patch_size):
            moved = reference.vit(np.roll(images, shift, axis=2), weights, config)[1]["embedding"]
            found.append(PartError(name, f"picture shifted by {shift} px", relative(moved, plain)))
    return found


def reach(images: NDArray[Any], w: Weights, net: ViTConfig) -> dict[str, int]:
    """How many tokens change when one patch of a picture does: of the patch embedding, the MLP and attention.

    images  (1, H, W, 3) uint8 RGB, at the network's size
    """
    other = images.copy()
    other[:, : net.patch_size, : net.patch_size] = 255 - other[:, : net.patch_size, : net.patch_size]
    before, after = (reference.embed(each, w, net) for each in (images, other))  # (1, T, D)

    def changed(one: Array, two: Array) -> int:
        return int((one != two).any(-1).sum())

    def mixed(z: Array) -> Array:
        return reference.multi_head(z, w, "blocks.0.attn", net)[0]

    def alone(z: Array) -> Array:
        return reference.mlp(z, w, "blocks.0.mlp", net.activation)

    return {
        "patch embedding": changed(before, after),
        "MLP": changed(alone(before), alone(after)),
        "attention": changed(mixed(before), mixed(after)),
    }


def layer_errors(images: NDArray[Any], layers: ConvolutionRecipe = LAYERS) -> list[PartError]:
    """Two layers of a CNN with random weights under shifts of the picture; the border is left out.

    images  (B, H, W, 3) uint8 RGB, at the size of the recipe `bias`
    """
    keras.utils.set_random_seed(0)
    network = ConvNet(ConvolutionConfig(layers, VIT.recipe.model.config(10)))
    found = []
    for layer, shift in ((0, 1), (1, 1), (1, 2)):
        stride = int(np.prod(layers.strides[: layer + 1]))
        plain, moved = (_output(network, each, layer) for each in (images, np.roll(images, shift, axis=2)))
        wanted = np.roll(plain, shift // stride, axis=2)
        name = f"3 × 3 convolution, stride {stride}"
        found.append(PartError(name, f"picture shifted by {shift} px", relative(_inner(moved), _inner(wanted))))
    return found


def _output(network: ConvNet, images: NDArray[Any], layer: int) -> NDArray[np.floating[Any]]:
    """(B, h, w, C)."""
    return np.asarray(network.predict_on_batch(images)[1][f"layer{layer}/output"], np.float64)


def _inner(output: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    return output[:, MARGIN:-MARGIN, MARGIN:-MARGIN]
