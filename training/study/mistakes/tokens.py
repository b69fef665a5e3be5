"""Mistakes between the picture and the first block: patches and positions."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from keras import ops
from numpy.typing import NDArray

from vitcam_training.study.mistakes.altered import AlteredViT
from vitcam_training.vit import PatchEmbedding, Tensor, sincos_position


class Strips(PatchEmbedding):
    """`reshape(x, (N, P * P * C))` and no transpose: each "patch" is P² pixels of a row and the next ones."""

    def call(self, images: Tensor) -> Tensor:
        (rows, columns), side = self.config.grid, self.config.patch_size
        x = ops.reshape(images, (-1, rows, columns, side, side, 3))  # P² pixels that follow one another, as a square
        x = ops.transpose(x, (0, 1, 3, 2, 4, 5))  # (B, gh, P, gw, P, 3): put where the right split will look for it
        return super().call(ops.reshape(x, (-1, rows * side, columns * side, 3)))


class ReshapedViT(AlteredViT):
    """Its patches are strips."""

    patches: ClassVar[type[PatchEmbedding]] = Strips


class ChannelsFirst(PatchEmbedding):
    """A transpose that was forgotten, or is one too many: (B, D, N), so that each channel is taken for a token."""

    def call(self, images: Tensor) -> Tensor:
        return ops.transpose(super().call(images), (0, 2, 1))


class ChannelsAsTokensViT(AlteredViT):
    """Its tokens are channels. It runs only where there are as many channels as patches, D = N."""

    patches: ClassVar[type[PatchEmbedding]] = ChannelsFirst


class DoubledExponentViT(AlteredViT):
    """10000^(2i / D) with i counting the channels, 0 2 4 …, where it should count the pairs, 0 1 2 …"""

    def _embed(self, images: Tensor) -> Tensor:
        tokens, width = self.config.tokens, self.config.width
        exchanged = doubled_exponent(tokens, width) - sincos_position(tokens, width)
        return super()._embed(images) + ops.array(exchanged, self.compute_dtype)


def doubled_exponent(tokens: int, width: int) -> NDArray[np.float64]:
    """(tokens, width): the fixed encoding with the square of each rate, so that half of the hands stand still."""
    rates = 10000.0 ** (-2 * np.arange(0, width, 2) / width)  # (D / 2,)
    angles = np.arange(tokens)[:, None] * rates  # (T, D / 2)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(tokens, width)


class UnaddedPositionViT(AlteredViT):
    """Positions are worked out, and nobody reads the sum with them. For networks without a class token."""

    def _embed(self, images: Tensor) -> Tensor:
        x = self.patch_embedding(images)  # (B, N, D)
        _placed = x + ops.cast(self.position, x.dtype)
        return x


class PixelsAsPositionsViT(AlteredViT):
    """The table of positions is asked for the rows whose numbers are the pixels. For networks without a class token.

    `embedding(patches)` runs where it should be `embedding(arange(N))`. Pixels in 0..1 become the whole numbers 0 and
    1, so that nearly all pixels of all patches get row 0. A patch gets the mean over its pixels.
    """

    def _embed(self, images: Tensor) -> Tensor:
        (rows, columns), side = self.config.grid, self.config.patch_size
        x = ops.reshape(images[..., 0], (-1, rows, side, columns, side))  # of grey digits one channel says all
        x = ops.reshape(ops.transpose(x, (0, 1, 3, 2, 4)), (-1, rows * columns, side * side))  # (B, N, P²)
        numbers = ops.cast(ops.cast(x, "float32") / 255.0, "int32")
        looked_up = ops.take(self.position[0], numbers, axis=0)  # (B, N, P², D)
        tokens = self.patch_embedding(images)
        return tokens + ops.cast(ops.mean(looked_up, axis=2), tokens.dtype)
