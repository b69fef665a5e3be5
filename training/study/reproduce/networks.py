"""The networks of the runs that circulate: the layers where they differ from a ViT, and how PyTorch draws weights."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import keras

from vitcam_training.config import ViTConfig
from vitcam_training.study.mistakes.networks import AcrossBatch, AlteredViT, ScaledByWidth
from vitcam_training.vit import ACTIVATIONS, Attention, Block, Dense, Mlp, PatchEmbedding, Taps, Tensor


class TorchStartViT(AlteredViT):
    """A ViT whose weights begin as PyTorch's layers draw them.

    tokens_std  of the normal distribution of class token and positions

    source      torch.nn.Linear: evenly from ±1/√n, n numbers in, weights and biases alike
    """

    tokens_std: ClassVar[float] = 1.0

    def build(self, input_shape: tuple[int | None, ...]) -> None:
        """Draw anew what Keras has drawn."""
        super().build(input_shape)
        bounds = {v.path.removesuffix("/kernel"): v.shape[0] ** -0.5 for v in self.variables if _is(v, "kernel")}
        for variable in self.variables:
            if _is(variable, "kernel") or _is(variable, "bias"):
                _draw_evenly(variable, bounds[variable.path.rpartition("/")[0]])
        for name in ("cls_token", "position"):
            if (variable := getattr(self, name, None)) is not None:
                variable.assign(keras.random.normal(variable.shape, stddev=self.tokens_std))


class MlpThenDropout(Mlp):
    """Dropout stands after the second layer alone: (B, T, D) -> same."""

    def call(self, x: Tensor, training: bool = False) -> Tensor:
        x = self.down(ACTIVATIONS[self.config.activation](self.up(x)))
        return self.dropout(x, training=training)


class BlockOfDigits(Block):
    """The MLP of a block drops its result alone."""

    def __init__(self, config: ViTConfig, drop_path: float, scaled: bool = True, **kwargs: Any) -> None:
        super().__init__(config, drop_path, scaled, **kwargs)
        self.mlp = MlpThenDropout(config, name="mlp", dtype=self.dtype_policy)


class PlacedByPixels(PatchEmbedding):
    """Patches (B, N, D) whose "positions" are a second projection of the pixels, which says nothing of places."""

    def __init__(self, config: ViTConfig, **kwargs: Any) -> None:
        super().__init__(config, **kwargs)
        self.second = Dense(config.width, name="second", dtype=self.dtype_policy)

    def build(self, input_shape: tuple[int | None, ...]) -> None:
        super().build(input_shape)
        self.second.build((None, None, self.config.patch_size**2 * self.config.channels))

    def call(self, images: Tensor) -> Tensor:
        pixels = self.pixels(images)
        return self.projection(pixels) + self.second(pixels)


class DigitsViT(TorchStartViT):
    """The shallow ViT for digits, corrected: nothing is dropped before the first block."""

    block: ClassVar[type[Block]] = BlockOfDigits
    tokens_std: ClassVar[float] = 0.02

    def build(self, input_shape: tuple[int | None, ...]) -> None:
        self.dropout = keras.layers.Identity()
        super().build(input_shape)


class DigitsAsStatedViT(DigitsViT):
    """The same with its slips: pixels for positions, scores divided by √D, and probabilities where logits belong.

    (B, H, W, 3) -> (B, K), taps
    """

    patches: ClassVar[type[PatchEmbedding]] = PlacedByPixels
    attention: ClassVar[type[Attention]] = ScaledByWidth

    def call(self, images: Tensor, training: bool = False) -> tuple[Tensor, Taps]:
        logits, taps = super().call(images, training=training)
        return keras.ops.softmax(logits, axis=-1), taps


class TorchAttentionViT(TorchStartViT):
    """Queries, keys and values begin as `torch.nn.MultiheadAttention` draws them: as one matrix, without biases."""

    def build(self, input_shape: tuple[int | None, ...]) -> None:
        super().build(input_shape)
        for block in self.blocks:
            attention = block.attention
            for layer in (attention.query, attention.key, attention.value):
                wide, narrow = layer.kernel.shape[0], 3 * layer.kernel.shape[1]
                _draw_evenly(layer.kernel, math.sqrt(6 / (wide + narrow)))  # Glorot & Bengio 2010
                layer.bias.assign(keras.ops.zeros(layer.bias.shape))
            bias = attention.output_projection.bias
            bias.assign(keras.ops.zeros(bias.shape))


class AcrossBatchAsStatedViT(TorchAttentionViT):
    """Attention runs across the batch."""

    attention: ClassVar[type[Attention]] = AcrossBatch


class SmallTokensViT(TorchStartViT):
    """Class token and positions begin near nothing, as ViT's do."""

    tokens_std: ClassVar[float] = 0.02


class SmallTokensTorchAttentionViT(TorchAttentionViT):
    """The same, with the matrices of `torch.nn.MultiheadAttention`."""

    tokens_std: ClassVar[float] = 0.02


def _is(variable: Any, kind: str) -> bool:
    """Whether it is a `kernel` or a `bias` of a dense layer: norms have a beta."""
    return str(variable.path).endswith(f"/{kind}")


def _draw_evenly(variable: Any, bound: float) -> None:
    variable.assign(keras.random.uniform(variable.shape, -bound, bound))
