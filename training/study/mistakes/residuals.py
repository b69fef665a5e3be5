"""Mistakes around the branches of a block: the residual sums and the norms."""

from __future__ import annotations

from typing import ClassVar

from vitcam_training.study.mistakes.altered import AlteredViT
from vitcam_training.vit import Block, Tensor


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
