"""Weights of the patch embedding that are rounded together."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vitcam_training.export.folded import Affine
from vitcam_training.export.rounding import LEVELS, likeness, round_together

RNG = np.random.default_rng(3)
SIDE = 8
EMBEDDING = Affine(RNG.normal(size=(SIDE * SIDE * 3, 24)).astype(np.float32), RNG.normal(size=24).astype(np.float32))
STEP = np.abs(EMBEDDING.kernel).max(axis=0) / LEVELS  # of the grid of each output channel


def error(rounded: NDArray[np.float32], patches: NDArray[np.float64]) -> float:
    """Of the embedding of patches (n, P*P*3), as a fraction of its size."""
    exact = patches @ EMBEDDING.kernel
    return float(np.linalg.norm(patches @ rounded - exact) / np.linalg.norm(exact))


def smooth_patches(count: int) -> NDArray[np.float64]:
    """Patches with a slope of brightness, a tint and a little noise, (n, P*P*3)."""
    rows, columns = np.indices((SIDE, SIDE)) / SIDE
    slopes = RNG.normal(size=(3, count, 1, 1, 1))
    light = slopes[0] + slopes[1] * rows[..., None] + slopes[2] * columns[..., None]
    tint, noise = RNG.normal(0, 0.3, (count, 1, 1, 3)), RNG.normal(0, 0.02, (count, SIDE, SIDE, 3))
    return np.asarray((light + tint + noise).reshape(count, -1))


def test_patches_of_pictures_are_embedded_several_times_as_exactly_as_with_each_weight_rounded_alone() -> None:
    patches = smooth_patches(200)
    alone = (np.round(EMBEDDING.kernel / STEP) * STEP).astype(np.float32)

    together = round_together(EMBEDDING)

    assert error(together.kernel, patches) < error(alone, patches) / 4
    np.testing.assert_array_equal(together.bias, EMBEDDING.bias)


def test_all_weights_lie_on_the_grid_that_the_quantiser_finds() -> None:
    kernel = round_together(EMBEDDING).kernel
    found = np.abs(kernel).max(axis=0) / LEVELS

    np.testing.assert_allclose(found, STEP, rtol=1e-6)
    np.testing.assert_allclose(kernel / found, np.round(kernel / found), atol=1e-4)


def test_a_channel_without_weights_stays_so() -> None:
    kernel = EMBEDDING.kernel.copy()
    kernel[:, 5] = 0

    rounded = round_together(replace(EMBEDDING, kernel=kernel)).kernel

    assert np.isfinite(rounded).all()
    assert not rounded[:, 5].any()


def test_pixels_are_the_more_alike_the_nearer_they_are() -> None:
    products = likeness(SIDE * SIDE * 3).reshape(SIDE, SIDE, 3, SIDE, SIDE, 3)

    beside, other_colour, far = products[0, 0, 0, 0, 1, 0], products[0, 0, 0, 0, 0, 1], products[0, 0, 0, -1, -1, 0]
    assert products[0, 0, 0, 0, 0, 0] > beside > far > 0
    assert products[0, 0, 0, 0, 0, 0] > other_colour > 0
    np.testing.assert_array_equal(products.reshape(192, 192), products.reshape(192, 192).T)
