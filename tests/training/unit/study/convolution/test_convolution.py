"""The CNN that a ViT is compared with: its sizes are counted right, and it is equivariant where it should be."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from vitcam_training.config import ViTConfig
from vitcam_training.recipes.presets import count_parameters
from vitcam_training.study.convolution.config import ConvolutionConfig, ConvolutionRecipe
from vitcam_training.study.convolution.network import ConvNet

pytestmark = pytest.mark.slow("training/study/convolution")

LAYERS = ConvolutionRecipe(widths=(8, 12, 16), strides=(1, 2, 2))
VIT = ViTConfig(classes=5, image_size=(32, 32), patch_size=8, width=16, depth=1, heads=1)


@pytest.mark.parametrize("channels", [1, 3])
def test_the_parameters_that_are_counted_are_those_that_keras_has(channels: int) -> None:
    config = ConvolutionConfig(LAYERS, replace(VIT, channels=channels))

    assert ConvNet(config).count_params() == config.parameters


def test_a_larger_picture_gives_a_cnn_no_parameters_and_a_vit_only_positions() -> None:
    sizes = [replace(VIT, image_size=(side, side)) for side in (32, 64, 128)]
    convolutional = {ConvolutionConfig(LAYERS, size).parameters for size in sizes}
    vit = [count_parameters(size) for size in sizes]

    assert len(convolutional) == 1
    assert [after - before for before, after in pairwise(vit)] == [48 * 16, 192 * 16]


def test_the_multiplications_grow_with_the_places_of_the_picture() -> None:
    small, large = (ConvolutionConfig(LAYERS, replace(VIT, image_size=(side, side))) for side in (32, 64))
    head = 16 * 5

    assert large.multiplications - head == 4 * (small.multiplications - head)
    assert small.multiplications == 9 * (3 * 8 * 1024 + 8 * 12 * 256 + 12 * 16 * 64) + head


def test_the_network_takes_camera_bytes_and_gives_logits_and_what_lies_before_them() -> None:
    images = np.random.default_rng(0).integers(0, 256, (2, 32, 32, 3)).astype(np.uint8)
    logits, taps = ConvNet(ConvolutionConfig(LAYERS, VIT))(images)

    assert logits.shape == (2, 5)
    assert [tuple(taps[f"layer{i}/output"].shape) for i in range(3)] == [(2, 32, 32, 8), (2, 16, 16, 12), (2, 8, 8, 16)]
    np.testing.assert_allclose(np.asarray(taps["embedding"]), np.asarray(taps["layer2/output"]).mean((1, 2)), atol=1e-5)
