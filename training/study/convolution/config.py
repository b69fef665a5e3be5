"""The sizes of a small convolutional network. Knows nothing of Keras, so anything may read them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from vitcam_training.config import ViTConfig

SIDE = 3
"""Of a kernel, in places."""


@dataclass(frozen=True)
class ConvolutionRecipe:
    """The layers, from the first to the last."""

    widths: tuple[int, ...]
    """Channels that a layer gives."""
    strides: tuple[int, ...]
    """How many places lie between two that a layer works out."""


@dataclass(frozen=True)
class ConvolutionConfig:
    """One network: its layers, and what it has in common with the ViT that it is compared with."""

    layers: ConvolutionRecipe
    vit: ViTConfig

    @property
    def classes(self) -> int:
        return self.vit.classes

    @property
    def depth(self) -> int:
        """Layers that mix places."""
        return len(self.layers.widths)

    @property
    def kernels(self) -> Iterator[tuple[int, int, int]]:
        """Of each layer: channels in, channels out, places at which it is worked out."""
        channels, (height, width) = self.vit.channels, self.vit.image_size
        for out, stride in zip(self.layers.widths, self.layers.strides, strict=True):
            height, width = -(-height // stride), -(-width // stride)
            yield channels, out, height * width
            channels = out

    @property
    def parameters(self) -> int:
        """Numbers that training changes: the side of the picture is not among what they depend on."""
        layers = sum(SIDE**2 * before * after + 3 * after for before, after, _ in self.kernels)  # bias, scale, shift
        return layers + (self.layers.widths[-1] + 1) * self.classes

    @property
    def multiplications(self) -> int:
        """Of one picture, in convolutions and head."""
        layers = sum(SIDE**2 * before * after * places for before, after, places in self.kernels)
        return layers + self.layers.widths[-1] * self.classes
