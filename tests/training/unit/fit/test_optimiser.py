from itertools import pairwise
from typing import Any

import keras
import numpy as np
import pytest

from tests.training.unit.nets import SMALL
from vitcam_training.fit.optimiser import (
    LayerwiseAdamW,
    LayerwiseMuon,
    decaying,
    in_blocks,
    layer_scales,
    learning_rate,
)
from vitcam_training.recipes.recipe import TrainRecipe
from vitcam_training.vit import ViT

pytestmark = pytest.mark.slow("training/fit", "training/vit.py")


def test_the_learning_rate_rises_linearly_and_falls_along_a_cosine() -> None:
    train = TrainRecipe(epochs=10, warmup_epochs=1.0, learning_rate=1.0)
    rates = [learning_rate(step, 10, train) for step in range(100)]

    assert rates[:10] == pytest.approx([0.1 * (i + 1) for i in range(10)])
    assert rates[10] == pytest.approx(1.0)
    assert rates[55] == pytest.approx(0.5)
    assert rates[99] < 0.001
    assert all(later < earlier for earlier, later in pairwise(rates[10:]))


@pytest.mark.parametrize(
    ("settings", "rates"),
    [
        ({"schedule": "linear"}, [1 - step / 20 for step in range(20)]),
        ({"schedule": "step", "step_epochs": 2, "step_factor": 0.1}, [1.0] * 10 + [0.1] * 10),
        ({"schedule": "constant", "warmup_epochs": 1.0}, [0.2, 0.4, 0.6, 0.8, *[1.0] * 16]),
    ],
)
def test_the_learning_rate_follows_the_schedule_of_the_recipe(settings: dict[str, Any], rates: list[float]) -> None:
    train = TrainRecipe(**{"epochs": 4, "warmup_epochs": 0.0, "learning_rate": 1.0, **settings})

    assert [learning_rate(step, 5, train) for step in range(20)] == pytest.approx(rates)


def test_a_rate_can_fall_to_more_than_nothing_by_epochs_and_over_more_of_them_than_are_run() -> None:
    train = TrainRecipe(
        epochs=3, schedule_epochs=5, warmup_epochs=0.0, learning_rate=1.0, final_rate=0.2, rate_by_epoch=True
    )
    rates = [learning_rate(step, 10, train) for step in range(30)]

    assert rates == pytest.approx(
        [0.2 + 0.8 * 0.5 * (1 + np.cos(np.pi * epoch / 5)) for epoch in range(3) for _ in range(10)]
    )


def test_layers_near_the_input_learn_more_slowly() -> None:
    vit = ViT(SMALL)
    scales = layer_scales(vit, 0.5)
    of = {name: {rate for path, rate in scales.items() if name in path} for name in ("head/", "block02", "block00")}

    assert of == {"head/": {1.0}, "block02": {0.5}, "block00": {0.125}}
    assert scales[vit.cls_token.path] == scales[vit.position.path] == 0.0625
    assert len(scales) == len(vit.trainable_variables)


def test_only_matrices_decay_and_nothing_else_does() -> None:
    vit = ViT(SMALL)
    paths = decaying(vit)
    shapes = {v.path: v.shape for v in vit.trainable_variables}

    assert {len(shapes[path]) for path in paths} == {2}
    assert len(paths) == 2 + 6 * SMALL.depth
    assert not [path for path in paths if "norm" in path or "bias" in path or "token" in path or "position" in path]


def test_decay_is_decoupled_from_the_gradient_and_follows_the_layers_rate() -> None:
    kernel, bias = (keras.Variable(np.ones(2, np.float32), name=name) for name in ("kernel", "bias"))
    scales = {kernel.path: 0.5, bias.path: 0.5}
    optimiser = LayerwiseAdamW(scales, {kernel.path}, weight_decay=0.2, learning_rate=0.1)
    optimiser.apply([np.zeros(2, np.float32)] * 2, [kernel, bias])

    np.testing.assert_allclose(keras.ops.convert_to_numpy(kernel), 1 - 0.1 * 0.5 * 0.2, rtol=1e-6)
    np.testing.assert_array_equal(keras.ops.convert_to_numpy(bias), 1.0)


def test_decay_that_is_not_decoupled_joins_the_gradient_and_is_scaled_as_that_is() -> None:
    kernel, bias = (keras.Variable(np.full(2, 3.0, np.float32), name=name) for name in ("kernel", "bias"))
    scales = {kernel.path: 0.5, bias.path: 0.5}
    optimiser = LayerwiseAdamW(scales, {kernel.path}, weight_decay=0.2, decoupled=False, learning_rate=0.1)
    optimiser.apply([keras.ops.zeros(2)] * 2, [kernel, bias])

    # Adam's first step has the length of its rate, whatever the gradient: here 0.2 * 3, of the decay alone
    np.testing.assert_allclose(keras.ops.convert_to_numpy(kernel), 3.0 - 0.1 * 0.5, rtol=1e-5)
    np.testing.assert_array_equal(keras.ops.convert_to_numpy(bias), 3.0)


def test_a_first_step_moves_each_variable_by_its_own_rate() -> None:
    slow, quick = (keras.Variable(np.zeros(3, np.float32), name=name) for name in ("slow", "quick"))
    optimiser = LayerwiseAdamW({slow.path: 0.25, quick.path: 1.0}, set(), 0.0, learning_rate=0.1)
    optimiser.apply([np.array([1, -5, 0.1], np.float32)] * 2, [slow, quick])

    np.testing.assert_allclose(keras.ops.convert_to_numpy(quick), [-0.1, 0.1, -0.1], rtol=1e-4)
    np.testing.assert_allclose(keras.ops.convert_to_numpy(slow), [-0.025, 0.025, -0.025], rtol=1e-4)


def test_muon_turns_the_matrices_of_blocks_and_leaves_patch_embedding_and_head_to_adam() -> None:
    vit = ViT(SMALL)
    paths = in_blocks(vit)

    assert len(paths) == 6 * SMALL.depth
    assert paths < decaying(vit)
    assert not [path for path in paths if "patch_embedding" in path or "/head/" in path]


def test_a_step_of_muon_moves_every_direction_alike_however_little_the_gradient_says_of_it() -> None:
    rng = np.random.default_rng(0)
    left, right = (np.linalg.qr(rng.normal(size=(n, 8)))[0] for n in (24, 8))
    gradient = (left * np.geomspace(1, 0.05, 8)) @ right.T  # (24, 8), singular values from 1 to 0.05
    turned, plain = (keras.Variable(np.zeros((24, 8), np.float32), name=name) for name in ("turned", "plain"))
    optimiser = LayerwiseMuon(
        {turned.path}, dict.fromkeys((turned.path, plain.path), 1.0), set(), 0.0, learning_rate=0.1
    )
    optimiser.apply([keras.ops.convert_to_tensor(gradient, "float32")] * 2, [turned, plain])

    lengths = np.linalg.svd(keras.ops.convert_to_numpy(turned))[1]
    assert lengths == pytest.approx(0.1 * 0.2 * 24**0.5, rel=0.35)  # Liu et al. 2025, section 2.2; five iterations
    np.testing.assert_allclose(np.abs(keras.ops.convert_to_numpy(plain)), 0.1, rtol=1e-2)
    assert np.sum(keras.ops.convert_to_numpy(turned) * gradient) < 0


def test_muon_scales_and_decays_as_the_recipe_says_for_each_layer() -> None:
    kernels = [keras.Variable(np.eye(4, dtype=np.float32), name=name) for name in ("slow", "quick")]
    scales = {kernels[0].path: 0.25, kernels[1].path: 1.0}
    optimiser = LayerwiseMuon({k.path for k in kernels}, scales, {k.path for k in kernels}, 0.2, learning_rate=0.1)
    optimiser.apply([keras.ops.zeros((4, 4))] * 2, kernels)

    for kernel in kernels:
        kept = 1 - 0.1 * scales[kernel.path] * 0.2
        np.testing.assert_allclose(keras.ops.convert_to_numpy(kernel), kept * np.eye(4), rtol=1e-5)
