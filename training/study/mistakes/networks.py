"""Networks with one mistake each: a ViT some layers of which are of other classes.

In order: between the picture and the first block, within attention, around the branches of a block, and behind the
last block: what is handed to the loss, and what is switched on in inference.
"""

from __future__ import annotations

from typing import Any, ClassVar

import keras
import numpy as np
from keras import ops
from numpy.typing import NDArray

from vitcam_training.config import ViTConfig
from vitcam_training.vit import Attention, Block, PatchEmbedding, Taps, Tensor, ViT, sincos_position


class AlteredViT(ViT):
    """A ViT whose layers are of the classes named here. As it stands, they are the right ones.

    The layers are exchanged before their weights are made, so that checkpoints, optimiser and export see no difference.
    """

    patches: ClassVar[type[PatchEmbedding]] = PatchEmbedding
    block: ClassVar[type[Block]] = Block
    attention: ClassVar[type[Attention]] = Attention

    def build(self, input_shape: tuple[int | None, ...]) -> None:
        """Exchange what differs, then make all weights as ever."""
        policy = self.dtype_policy
        if self.patches is not PatchEmbedding:
            self.patch_embedding = self.patches(self.config, name="patch_embedding", dtype=policy)
        if self.block is not Block:
            self.blocks = [self.block(self.config, 0.0, name=block.name, dtype=policy) for block in self.blocks]
        if self.attention is not Attention:
            for block in self.blocks:
                block.attention = self.attention(self.config, name="attention", dtype=policy)
        super().build(input_shape)


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


class ScaledByWidth(Attention):
    """Scores are divided by √D, the whole width, where √d_k, a head's width, is meant."""

    def __init__(self, config: ViTConfig, scaled: bool = True, **kwargs: Any) -> None:
        super().__init__(config, scaled, **kwargs)
        self.score_factor = config.width**-0.5


class AcrossBatch(Attention):
    """(B, T, D) is read as (T, B, D), as PyTorch's `nn.MultiheadAttention` does unless `batch_first=True` is given.

    Each token attends to the tokens of the same place in the other images, and never to those of its own image.
    """

    def call(self, x: Tensor, training: bool = False) -> tuple[Tensor, Tensor]:
        mixed, weights = super().call(ops.transpose(x, (1, 0, 2)), training=training)
        return ops.transpose(mixed, (1, 0, 2)), weights


class DrawnDense(keras.layers.Dense):  # type: ignore[misc]
    """A projection of which only the shape is used: (B, T, D) -> random numbers of that shape, alike for all images.

    fresh  draw others at every call; False: the same ones every time
    """

    def __init__(self, units: int, fresh: bool, **kwargs: Any) -> None:
        super().__init__(units, **kwargs)
        self.fresh, self.seed_generator = fresh, keras.random.SeedGenerator()
        self.drawn_seed = int(ops.convert_to_numpy(self.seed_generator.state)[0])

    def call(self, x: Tensor, training: Any = None) -> Tensor:
        seed = self.seed_generator if self.fresh else self.drawn_seed
        drawn = keras.random.normal((1, x.shape[1], self.units), seed=seed)
        return ops.zeros_like(x) + ops.cast(drawn, x.dtype)


class RedrawnDense(DrawnDense):
    """A projection of the input whose matrix is another one at every call: (B, T, D) -> same. It cannot learn."""

    def call(self, x: Tensor, training: Any = None) -> Tensor:
        kernel = keras.random.normal((self.units, self.units), stddev=self.units**-0.5, seed=self.seed_generator)
        return ops.matmul(x, ops.cast(kernel, x.dtype))


class DrawnAttention(Attention):
    """Q, K and V are random numbers, drawn once."""

    dense: ClassVar[type[DrawnDense]] = DrawnDense
    fresh: ClassVar[bool] = False

    def __init__(self, config: ViTConfig, scaled: bool = True, **kwargs: Any) -> None:
        super().__init__(config, scaled, **kwargs)
        self.query, self.key, self.value = (
            self.dense(config.width, self.fresh, name=name, dtype=self.dtype_policy)
            for name in ("query", "key", "value")
        )


class RedrawnAttention(DrawnAttention):
    """`Q = random.normal(shape)` in the layer's call: Q, K and V are random numbers, others at every call."""

    fresh: ClassVar[bool] = True


class RedrawnMatrixAttention(DrawnAttention):
    """`W_q = random.normal((D, D))` in the layer's call: Q, K and V are projections, others at every call."""

    dense: ClassVar[type[DrawnDense]] = RedrawnDense
    fresh: ClassVar[bool] = True


class WidthScaleViT(AlteredViT):
    """√D for √d_k."""

    attention: ClassVar[type[Attention]] = ScaledByWidth


class AcrossBatchViT(AlteredViT):
    """Attention runs across the batch."""

    attention: ClassVar[type[Attention]] = AcrossBatch


class DrawnViT(AlteredViT):
    """Q, K and V are drawn once."""

    attention: ClassVar[type[Attention]] = DrawnAttention


class RedrawnViT(AlteredViT):
    """Q, K and V are drawn at every call."""

    attention: ClassVar[type[Attention]] = RedrawnAttention


class RedrawnMatrixViT(AlteredViT):
    """The matrices of Q, K and V are drawn at every call."""

    attention: ClassVar[type[Attention]] = RedrawnMatrixAttention


class UntrainedMatrixViT(AlteredViT):
    """The matrices of Q, K and V are drawn once and never trained, as plain arrays that no optimiser knows."""

    def build(self, input_shape: tuple[int | None, ...]) -> None:
        super().build(input_shape)
        for block in self.blocks:
            for layer in (block.attention.query, block.attention.key, block.attention.value):
                layer.trainable = False


class NormedResidual(Block):
    """x = norm(x) + branch(norm(x)): what is added is the input after its norm. (B, T, D) -> (B, T, D), weights."""

    def call(self, x: Tensor, training: bool = False) -> tuple[Tensor, Tensor]:
        x = self.norm1(x)
        branch, weights = self.attention(x, training=training)
        x = self.norm2(x + branch)
        return x + self.mlp(x, training=training), weights


class FirstBranchTwice(Block):
    """The second sum adds the output of attention once more, and nothing reads the MLP: (B, T, D) -> same, weights."""

    def call(self, x: Tensor, training: bool = False) -> tuple[Tensor, Tensor]:
        branch, weights = self.attention(self.norm1(x), training=training)
        x = x + branch
        _unread = self.mlp(self.norm2(x), training=training)
        return x + branch, weights


class NormedResidualViT(AlteredViT):
    """The residual is the normed input."""

    block: ClassVar[type[Block]] = NormedResidual


class FirstBranchTwiceViT(AlteredViT):
    """The residual adds the first branch twice."""

    block: ClassVar[type[Block]] = FirstBranchTwice


class PlainNormViT(AlteredViT):
    """LayerNorm without scale and shift: they stay at 1 and 0, which is the same as none."""

    def build(self, input_shape: tuple[int | None, ...]) -> None:
        super().build(input_shape)
        for block in self.blocks:
            block.norm1.trainable = block.norm2.trainable = False
        self.norm.trainable = False


class SoftmaxBeforeLossViT(AlteredViT):
    """It answers with probabilities, and the loss takes them for logits: (B, H, W, 3) -> (B, K), taps.

    No loss of it is below ln(1 + (K - 1) / e).
    """

    def call(self, images: Tensor, training: bool = False) -> tuple[Tensor, Taps]:
        logits, taps = super().call(images, training=training)
        return ops.softmax(logits, axis=-1), taps


class DropoutInInferenceViT(AlteredViT):
    """`training=True` is left in the call, so that dropout drops in inference, too: (B, H, W, 3) -> (B, K), taps."""

    def call(self, images: Tensor, training: bool = False) -> tuple[Tensor, Taps]:
        return super().call(images, training=True)
