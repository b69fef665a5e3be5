"""Mistakes behind the last block: what is handed to the loss, and what is switched on in inference."""

from __future__ import annotations

from keras import ops

from vitcam_training.study.mistakes.altered import AlteredViT
from vitcam_training.vit import Taps, Tensor


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
