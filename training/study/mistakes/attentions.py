"""Mistakes within attention: each is the right layer with one thing changed."""

from __future__ import annotations

from typing import Any, ClassVar

import keras
from keras import ops

from vitcam_training.config import ViTConfig
from vitcam_training.study.mistakes.altered import AlteredViT
from vitcam_training.vit import Attention, Tensor


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
