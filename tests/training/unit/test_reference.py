"""The Keras network and its training against `reference.py`, equation by equation and as a whole."""

import math
from typing import Any

import keras
import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from keras import ops
from numpy.typing import NDArray

from tests.training.unit.choices import CONFIGS
from tests.training.unit.nets import learned, photos, small_vit
from vitcam_training.config import ViTConfig
from vitcam_training.fit.optimiser import LayerwiseAdamW
from vitcam_training.fit.scoring import cross_entropy
from vitcam_training.recipes.presets import count_parameters
from vitcam_training.study import reference
from vitcam_training.vit import pooled_attention
from vitcam_training.weights.checkpoints import Weights, to_timm

pytestmark = pytest.mark.slow("training/study/reference.py", "training/vit.py", "training/config.py")

RNG = np.random.default_rng(11)


def array(tensor: Any) -> NDArray[Any]:
    return np.asarray(ops.convert_to_numpy(tensor))


def nudge(weights: Weights, seed: int) -> Weights:
    """Each weight in float64, moved up or down by what float32 can just tell apart."""
    rng, step = np.random.default_rng(seed), np.finfo(np.float32).eps
    return {name: each * (1 + step * rng.choice((-1.0, 1.0), each.shape)) for name, each in weights.items()}


# nearly alike channels, whose LayerNorm multiplies rounding: 1.06e-5 off in float32 on JAX
ALIKE = ViTConfig(
    classes=2, image_size=(6, 4), patch_size=2, width=4, depth=4, heads=1, mlp_width=12, channels=1,
    position="sincos", pooling="first", norm="post", final_norm=False,
)  # fmt: skip


@settings(max_examples=1, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(config=CONFIGS, seed=st.integers(0, 2**32 - 1))
@example(config=ALIKE, seed=271272)
def test_a_random_network_computes_what_the_reference_does(config: ViTConfig, seed: int) -> None:
    assert_computes_what_the_reference_does(config, seed)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(config=CONFIGS, seed=st.integers(0, 2**32 - 1))
def test_two_hundred_random_networks_compute_what_the_reference_does(config: ViTConfig, seed: int) -> None:
    assert_computes_what_the_reference_does(config, seed)


def assert_computes_what_the_reference_does(config: ViTConfig, seed: int) -> None:
    vit, images = small_vit(config, seed), photos(2, config, seed)
    weights = to_timm(vit)
    logits, taps = vit(images)
    expected, values = reference.vit(images, weights, config)
    nudged = reference.vit(images, nudge(weights, seed), config)[1]
    last = f"block{config.depth - 1:02}/attention"
    attention = reference.pooled_attention(values[last], config)
    multiplied = max(np.abs(nudged[name] - value).max() for name, value in values.items())
    atol = max(1e-5, 6 * multiplied)  # float32 rounds at every step, and few networks multiply that so far

    assert learned(vit) == count_parameters(config)
    assert taps.keys() == values.keys()
    for name, value in {**values, "logits": expected}.items():
        found = array(logits if name == "logits" else taps[name])
        np.testing.assert_allclose(found, value, atol=atol, rtol=1e-5, err_msg=name)
    np.testing.assert_allclose(array(pooled_attention(config, taps[last])), attention, atol=atol)


def test_a_picture_of_64_px_gives_16_patches_of_768_values_projected_to_512() -> None:
    config = ViTConfig(classes=3, image_size=(64, 64), width=512, depth=2, heads=8, mlp_width=2048)
    vit, images = small_vit(config), photos(1, config)
    cut = reference.patches(reference.normalise(images, config), 16)
    projected = cut @ reference.patch_matrix(to_timm(vit)["patch_embed.proj.weight"])
    logits, taps = vit(images)
    expected, values = reference.vit(images, to_timm(vit), config)

    assert cut.shape == (1, 16, 768)
    assert projected.shape == (1, 16, 512)
    assert taps["block01/attention"].shape == (1, 8, 17, 17)
    np.testing.assert_allclose(array(taps["embeddings"]), values["embeddings"], atol=1e-5, rtol=1e-5)
    np.testing.assert_allclose(array(taps["block01/attention"]), values["block01/attention"], atol=1e-5)
    np.testing.assert_allclose(array(logits), expected, atol=1e-5, rtol=1e-5)


def test_a_matrix_on_patches_does_what_a_strided_convolution_does() -> None:
    images, weights = RNG.normal(size=(2, 8, 12, 3)), RNG.normal(size=(5, 3, 4, 4))
    convolved = array(ops.conv(images, weights.transpose(2, 3, 1, 0), strides=4, padding="valid"))

    np.testing.assert_allclose(
        reference.patches(images, 4) @ reference.patch_matrix(weights), convolved.reshape(2, 6, 5), atol=1e-4
    )


def test_gelu_is_exact_and_its_tanh_form_lies_within_5e_4() -> None:
    x = np.linspace(-6, 6, 481)

    np.testing.assert_allclose(reference.gelu(x), array(ops.gelu(x, approximate=False)), atol=1e-6)
    np.testing.assert_allclose(reference.gelu_tanh(x), array(ops.gelu(x, approximate=True)), atol=1e-6)
    assert 4e-4 < np.abs(reference.gelu(x) - reference.gelu_tanh(x)).max() < 5e-4
    assert reference.gelu(np.ones(1))[0] == pytest.approx(0.8413447460685429, abs=1e-15), "Φ(1)"


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_cross_entropy_is_that_of_keras_and_of_the_training_log(smoothing: float) -> None:
    logits, labels = RNG.normal(0, 3, (6, 5)), RNG.integers(0, 5, 6)
    targets = np.eye(5, dtype=np.float32)[labels]
    loss = keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=smoothing, reduction="none")
    expected = reference.cross_entropy(logits, labels, smoothing)
    logged = cross_entropy(logits.astype(np.float32), (1 - smoothing) * targets + np.float32(smoothing / 5))

    np.testing.assert_allclose(array(loss(targets, logits)), expected, atol=1e-5)
    np.testing.assert_allclose(logged, expected, atol=1e-5)


def test_dropout_divides_what_it_keeps_as_that_of_keras_does() -> None:
    x = np.full((400, 50), 3.0)
    dropped = array(keras.layers.Dropout(0.2, seed=1)(x, training=True))

    np.testing.assert_allclose(reference.dropout(x, np.asarray(dropped != 0), 0.2), dropped, atol=1e-6)
    assert dropped.mean() == pytest.approx(3.0, abs=0.03)


def test_attention_dropout_drops_entries_of_the_weights_and_not_of_what_they_mix() -> None:
    config = ViTConfig(classes=2, image_size=(4, 4), patch_size=2, width=8, heads=1, attention_dropout=0.4)
    layer, x = small_vit(config, seed=3).blocks[0].attention, RNG.normal(size=(50, 5, 8)).astype(np.float32)
    values = array(layer.value(x)).astype(float)  # (B, T, D): of one head, wider than there are tokens
    dropped, seen = layer(x, training=True)
    mixed = np.linalg.solve(array(layer.output_projection.kernel).T.astype(float), _before_projection(layer, dropped))
    weights = mixed.swapaxes(1, 2) @ np.linalg.pinv(values)  # (B, T, T), what the values were mixed with
    kept = np.abs(weights) > 0.5 * array(seen)[:, 0]

    np.testing.assert_allclose(array(seen).sum(-1), 1.0, atol=1e-5)  # what is shown is the attention itself
    np.testing.assert_allclose(weights, reference.dropout(array(seen)[:, 0], kept, 0.4), atol=1e-3)
    assert kept.mean() == pytest.approx(0.6, abs=0.05)
    np.testing.assert_array_equal(array(layer(x)[0]), array(layer(x)[0]))


def _before_projection(layer: Any, written: Any) -> NDArray[Any]:
    """What an attention wrote, less the bias, as columns: (B, D, T)."""
    return np.asarray((array(written) - array(layer.output_projection.bias)).swapaxes(1, 2), float)


@pytest.mark.parametrize("decoupled", [True, False])
def test_adam_with_either_decay_takes_the_steps_of_keras(decoupled: bool) -> None:
    start, gradients = RNG.normal(size=4), RNG.normal(size=(20, 4))
    variable = keras.Variable(start.astype(np.float32), name="kernel")
    decay = 0.1 if decoupled else 0.0
    optimiser = LayerwiseAdamW({variable.path: 1.0}, {variable.path}, decay, learning_rate=0.05)
    theta, state = start, reference.Adam(rate=0.05, decay=0.1, decoupled=decoupled)
    for gradient in gradients:
        given = gradient if decoupled else gradient + 0.1 * array(variable)
        optimiser.apply([ops.convert_to_tensor(given, "float32")], [variable])
        theta, state = state.step(theta, gradient)

    assert state.steps == 20
    np.testing.assert_allclose(array(variable), theta, atol=1e-5)


def test_decoupled_decay_shrinks_all_weights_alike_and_l2_spares_what_moves_most() -> None:
    """Loshchilov & Hutter 2019, section 2: the reason for AdamW."""
    start, pushed = np.array([1.0, 1.0]), np.array([0.01, 10.0])  # gradients that push to and fro
    ends = {}
    for decoupled in (True, False):
        theta, state = start, reference.Adam(rate=1e-3, decay=0.1, decoupled=decoupled)
        for i in range(400):
            theta, state = state.step(theta, pushed * (-1) ** i)
        ends[decoupled] = 1 - theta

    np.testing.assert_allclose(ends[True], 1 - (1 - 1e-4) ** 400, rtol=0.05)
    assert ends[False][0] > 10 * ends[False][1]


def test_rollout_of_full_matrices_and_of_one_row_are_the_same() -> None:
    blocks = [reference.softmax(RNG.normal(0, 2, (3, 9, 9))) for _ in range(5)]
    full = reference.rollout(blocks)

    np.testing.assert_allclose(full.sum(-1), 1.0, atol=1e-12)
    np.testing.assert_allclose(reference.rollout_row(blocks, np.eye(9)[0]), full[0], atol=1e-12)
    np.testing.assert_allclose(reference.rollout_row(blocks, np.full(9, 1 / 9)), full.mean(0), atol=1e-12)


def test_rollout_multiplies_the_last_block_from_the_left() -> None:
    """Two tokens: block one sends token 0 to 1, block two looks only at oneself."""
    first, second = np.array([[[0.0, 1.0], [0.0, 1.0]]]), np.array([[[1.0, 0.0], [1.0, 0.0]]])

    # Ā_1 = [[½, ½], [0, 1]], Ā_2 = [[1, 0], [½, ½]]; Ā_2 Ā_1 by hand
    np.testing.assert_allclose(reference.rollout([first, second]), [[0.5, 0.5], [0.25, 0.75]])


def test_the_pretraining_head_has_one_hidden_layer_with_tanh() -> None:
    x = RNG.normal(size=(2, 4))
    w = {
        "pre_logits.weight": RNG.normal(size=(6, 4)), "pre_logits.bias": RNG.normal(size=6),
        "head.weight": RNG.normal(size=(3, 6)), "head.bias": RNG.normal(size=3),
    }  # fmt: skip
    hidden = [math.tanh(sum(w["pre_logits.weight"][j] * x[1]) + w["pre_logits.bias"][j]) for j in range(6)]

    assert reference.pretraining_head(x, w).shape == (2, 3)
    assert reference.pretraining_head(x, w)[1, 2] == pytest.approx(w["head.weight"][2] @ hidden + w["head.bias"][2])


def test_softmax_of_huge_values_neither_overflows_nor_changes() -> None:
    x = np.array([1000.0, 1001.0, 1002.0])

    np.testing.assert_allclose(reference.softmax(x), reference.softmax(x - 1000), atol=1e-15)
    assert reference.softmax(x).sum() == pytest.approx(1.0)
