"""The same errors of equality for a CNN: its first layer, whose stride is 1, and its second, whose stride is 2."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from vitcam_training.study.convolution.config import ConvolutionConfig, ConvolutionRecipe
from vitcam_training.study.convolution.network import ConvNet
from vitcam_training.study.inductive_bias.networks import LAYERS, VIT
from vitcam_training.study.inductive_bias.parts import PartError, relative

MARGIN = 4
"""Places at the border that are left out, beside those that a shift brings in: there a layer sees the zeros around."""


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
