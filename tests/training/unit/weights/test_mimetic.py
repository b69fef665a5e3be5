"""Networks from scratch may begin with attention that resembles trained attention."""

from __future__ import annotations

from dataclasses import replace

import keras
import numpy as np
import pytest

from vitcam_training.vit import ViT, ViTConfig
from vitcam_training.weights.mimetic import factors, near_identity, start_mimetic

pytestmark = pytest.mark.slow("training/weights", "training/vit.py")

CONFIG = ViTConfig(3, (16, 24), 4, width=48, depth=2, heads=3, mlp_width=32, pooling="mean")


@pytest.fixture(scope="module")
def vit() -> ViT:
    keras.utils.set_random_seed(3)
    vit = ViT(CONFIG)
    start_mimetic(vit, seed=3)
    return vit


def test_factors_of_full_rank_multiply_to_the_product_they_came_from() -> None:
    product = near_identity(24, 0.7, 0.7, np.random.default_rng(1))

    assert np.allclose(np.matmul(*factors(product, 24, np.random.default_rng(2))), product)


def test_factors_of_lower_rank_are_the_nearest_that_there_are() -> None:
    product = near_identity(24, 0.7, 0.7, np.random.default_rng(1))
    dropped = np.linalg.svd(product)[1][8:]

    error = np.linalg.norm(np.matmul(*factors(product, 8, np.random.default_rng(2))) - product)

    assert error == pytest.approx(np.linalg.norm(dropped))  # Eckart and Young 1936


def test_heads_of_another_width_begin_mimetic_too() -> None:
    wide = ViT(replace(CONFIG, head_width=64))
    start_mimetic(wide, seed=3)
    value, output = (
        keras.ops.convert_to_numpy(layer.kernel)
        for layer in (wide.blocks[0].attention.value, wide.blocks[0].attention.output_projection)
    )

    assert value.shape == (48, 192)
    assert np.trace(value @ output) == pytest.approx(-0.4 * 48, abs=2)


def test_query_and_key_of_every_head_agree_and_value_and_output_oppose(vit: ViT) -> None:
    for block in vit.blocks:
        attention = block.attention
        query, key, value, output = (
            keras.ops.convert_to_numpy(layer.kernel).astype(float)
            for layer in (attention.query, attention.key, attention.value, attention.output_projection)
        )
        heads = [slice(start, start + 16) for start in range(0, 48, 16)]

        assert all(np.trace(query[:, head] @ key[:, head].T) > 10 for head in heads)
        assert np.trace(value @ output) == pytest.approx(-0.4 * 48, abs=2)


def test_before_it_learns_a_token_looks_most_at_its_neighbourhood(vit: ViT) -> None:
    flat = np.full((1, 16, 24, 3), 128, np.uint8)  # nothing but their positions tells patches apart

    _, taps = vit(flat)
    attention = keras.ops.convert_to_numpy(taps["block00/attention"])[0].mean(0)  # (N, N)
    places = np.array([divmod(i, 6) for i in range(24)])
    distance = np.linalg.norm(places[:, None] - places[None], axis=-1)

    assert attention[distance <= 1].mean() > 1.2 * attention[distance > 2].mean()
