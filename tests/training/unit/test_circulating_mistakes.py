"""Mistakes of published ViT code that runs, trains and is wrong: a test each, which fails when we make the mistake.

training/study/mistakes/mistakes.md says what each costs, and how it shows in a training log.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from keras import ops
from numpy.typing import NDArray

from tests.training.unit.nets import photos, small_about, small_vit
from tests.training.unit.pictures import write_pictures
from vitcam.pictures.resize import to_model_size
from vitcam_training.config import ViTConfig
from vitcam_training.data.batches import plain_batches
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.data.dataset import read_photo
from vitcam_training.fit.learner import Logits
from vitcam_training.fit.loop import FitRun
from vitcam_training.fit.stage import Stage
from vitcam_training.recipes.recipe import ModelRecipe, Recipe, TrainRecipe
from vitcam_training.study import reference
from vitcam_training.vit import ViT
from vitcam_training.weights.checkpoints import to_timm

pytestmark = pytest.mark.slow("training/study/mistakes", "training/vit.py", "training/config.py", "training/fit")

CONFIG = ViTConfig(classes=3, image_size=(16, 16), patch_size=4, width=16, depth=2, heads=4)

MakeRun = Callable[[ViT], FitRun]


def array(tensor: Any) -> NDArray[Any]:
    return np.asarray(ops.convert_to_numpy(tensor))


@pytest.fixture
def make_run(tmp_path: Path) -> MakeRun:
    """A training run in batches of 4 over three colours, 36 photos."""
    data = str(write_pictures(tmp_path / "photos", each=12, side=16))
    recipe = Recipe(
        "colours", data, model=ModelRecipe(image_size=(16, 16)), train=TrainRecipe(batch_size=4, label_smoothing=0.0)
    )
    return lambda vit: FitRun(Stage(vit, open_dataset(data), recipe, tmp_path / "run", small_about(3, 16)))


def test_a_reshape_is_not_taken_for_a_patch_split() -> None:
    """`reshape(x, (N, P * P * C))` alone makes "patches" of pixels that are strips of rows, not squares."""
    vit, grey = small_vit(CONFIG), np.full((1, 16, 16, 3), 128, np.uint8)
    plain = array(vit.patch_embedding(grey))
    changed = {}
    for row, column in np.ndindex(16, 16):
        dotted = grey.copy()
        dotted[0, row, column] = 255
        changed[row, column] = np.flatnonzero(np.any(array(vit.patch_embedding(dotted)) != plain, axis=-1)).tolist()

    assert changed == {(row, column): [row // 4 * 4 + column // 4] for row, column in np.ndindex(16, 16)}


def test_the_exponent_of_the_position_encoding_is_not_doubled() -> None:
    """With i counting channels where it should count pairs, 10000^(2i/D) makes half of the hands stand still."""
    vit = small_vit(replace(CONFIG, width=8, heads=2, position="sincos", pooling="mean"))
    images = photos(1, CONFIG)
    added = array(vit(images)[1]["embeddings"]) - array(vit.patch_embedding(images))

    hands = [f(angle) for angle in (1.0, 0.1, 0.01, 0.001) for f in (math.sin, math.cos)]
    np.testing.assert_allclose(added[0, 1], hands, atol=1e-5)
    np.testing.assert_allclose(added[0, 15, 2:4], [math.sin(1.5), math.cos(1.5)], atol=1e-5)


def test_queries_keys_and_values_are_projected_from_the_input_and_not_drawn() -> None:
    """`Q = random.normal(shape)` in the layer's call gives an attention that has nothing to do with the picture."""
    vit, x = small_vit(CONFIG), np.random.default_rng(2).normal(size=(2, 17, 16))
    mixed, weights = vit.blocks[0].attention(x)
    expected = reference.multi_head(x, to_timm(vit), "blocks.0.attn", CONFIG)
    for layer in (vit.blocks[0].attention.query, vit.blocks[0].attention.key):
        layer.kernel.assign(np.zeros((16, 16)))
        layer.bias.assign(np.zeros(16))

    np.testing.assert_allclose(array(mixed), expected[0], atol=1e-5)
    np.testing.assert_allclose(array(weights), expected[1], atol=1e-5)
    np.testing.assert_allclose(array(vit.blocks[0].attention(x)[1]), 1 / 17, atol=1e-6)


def test_attention_never_runs_across_the_images_of_a_batch() -> None:
    """Where (batch, tokens) are swapped, as in PyTorch's `batch_first=False`, every image looks at its neighbours."""
    vit, images = small_vit(CONFIG), photos(4, CONFIG)
    together = array(vit(images)[0])
    alone = np.concatenate([array(vit(images[i : i + 1])[0]) for i in range(4)])
    others = array(vit(np.concatenate([images[:1], photos(3, CONFIG, seed=9)]))[0])

    np.testing.assert_allclose(together, alone, atol=1e-5)
    np.testing.assert_allclose(others[0], together[0], atol=1e-5)


def test_values_enter_the_output_of_a_token_once() -> None:
    """Z = A V, so that the class token's row is A[0] V. `A[0] @ Z` would mix with V a second time."""
    rng = np.random.default_rng(7)
    q, k, v = rng.normal(size=(3, 1, 5, 4))  # (B, T, d) each
    mixed, weights = reference.attention(q, k, v)
    once, twice = weights[0, 0] @ v[0], weights[0, 0] @ mixed[0]

    np.testing.assert_allclose(mixed[0, 0], once, rtol=1e-12)
    assert np.abs(once - twice).max() > 0.01


def test_a_patch_has_as_many_numbers_as_pixels_times_channels() -> None:
    """A colour patch of 16 x 16 px is 768 numbers; 256 are those of a grey one."""
    rows = {
        channels: ViT(ViTConfig(classes=2, image_size=(32, 32), width=8, depth=1, heads=1, channels=channels))
        for channels in (1, 3)
    }

    assert {c: vit.patch_embedding.projection.kernel.shape[0] for c, vit in rows.items()} == {1: 256, 3: 768}


def test_no_softmax_stands_before_a_loss_that_applies_its_own(make_run: MakeRun) -> None:
    """Two softmaxes one after the other cannot lose less than log(1 + 2 / e) = 0.55 of three labels."""
    vit = small_vit(CONFIG)
    run, images = make_run(vit), photos(3, CONFIG)
    vit.head.kernel.assign(30 * vit.head.kernel)
    logits = array(run.learner.model(images))
    labels = logits.argmax(-1)
    loss = float(run.learner.model.compute_loss(images, np.eye(3, dtype=np.float32)[labels], run.learner.model(images)))

    np.testing.assert_allclose(logits, reference.vit(images, to_timm(vit), CONFIG)[0], rtol=1e-4, atol=1e-3)
    assert loss == pytest.approx(reference.cross_entropy(logits, labels).mean(), abs=1e-5)
    assert loss < 0.1


@pytest.mark.parametrize("position", ["learned", "sincos"])
def test_a_position_embedding_is_fed_with_places_and_not_with_pixels(position: Any) -> None:
    """An embedding layer called on the patches looks pixels up as if they were indices."""
    vit = small_vit(replace(CONFIG, position=position, pooling="mean"))
    images = np.concatenate([photos(2, CONFIG), np.zeros((1, 16, 16, 3), np.uint8)])
    added = array(vit(images)[1]["embeddings"]) - array(vit.patch_embedding(images))

    wanted = reference.sincos(16, 16) if position == "sincos" else to_timm(vit)["pos_embed"][0]
    for of_one_image in added:
        np.testing.assert_allclose(of_one_image, wanted, atol=1e-5)


def test_scores_are_divided_by_the_root_of_a_heads_width_and_not_of_the_whole() -> None:
    """d_k of softmax(QKᵀ / √d_k) is D / h. With √D the softmax is flatter the more heads there are."""
    layer = small_vit(CONFIG).blocks[0].attention  # D = 16, four heads of 4: √4 = 2 and not √16 = 4
    for projection in (layer.query, layer.key):
        projection.kernel.assign(np.eye(16))
        projection.bias.assign(np.zeros(16))
    x = np.zeros((1, 2, 16), np.float32)
    x[0, 0, 0] = 2.0  # token 0 scores 2 · 2 with itself and 0 with token 1

    weights = array(layer(x)[1])
    assert weights[0, 0, 0, 0] == pytest.approx(1 / (1 + math.exp(-4 / 2)), abs=1e-6)
    assert weights[0, 1, 0, 0] == pytest.approx(0.5), "the other heads see nothing"


def test_a_test_set_is_not_shortened_by_its_last_batch(make_run: MakeRun) -> None:
    """`drop_remainder=True` on test data measures another, easier or harder, set than the one that is named."""
    vit = small_vit(CONFIG)
    run = make_run(vit)
    samples = run.stage.dataset.parts["train"][:7]  # a full batch of 4, and 3
    logits = [array(vit(to_model_size(read_photo(s.path), run.stage.recipe.spec)[None])[0])[0] for s in samples]
    labels = np.array([sample.label for sample in samples])
    found = run.score(samples)

    assert sum(len(images) for images, _ in plain_batches(samples, run.stage.plan)) == 7
    assert found.loss == pytest.approx(reference.cross_entropy(np.stack(logits), labels).mean(), abs=1e-4)
    assert found.accuracy == pytest.approx((np.argmax(logits, -1) == labels).mean())


def test_dropout_that_is_asked_for_drops_in_training(make_run: MakeRun) -> None:
    """A training flag that some layer forgets to hand on switches dropout off for good."""
    vit = small_vit(replace(CONFIG, dropout=0.5))
    run, images, targets = make_run(vit), photos(4, CONFIG), np.eye(3, dtype=np.float32)[[0, 1, 2, 0]]
    losses = []
    for _ in range(3):  # at a learning rate of 0: only dropout can change the loss
        run.learner.model.reset_metrics()
        losses.append(float(run.learner.model.train_on_batch(images, targets)[0]))
    block, x = vit.blocks[0], np.ones((2, 17, 16), np.float32)
    of_mlp = [array(block.mlp(x, training=True)) for _ in range(2)]
    of_attention = [array(block.attention(x, training=True)[0]) for _ in range(2)]
    embeddings = array(vit(images, training=True)[1]["embeddings"])

    assert len({round(loss, 5) for loss in losses}) == 3
    assert not np.array_equal(of_mlp[0], of_mlp[1])
    assert not np.array_equal(of_attention[0], of_attention[1])
    assert np.mean(embeddings == 0) == pytest.approx(0.5, abs=0.1)


def test_dropout_and_stochastic_depth_are_off_in_inference() -> None:
    """`training=True` left in a layer's call makes every answer a different one."""
    config = replace(CONFIG, dropout=0.5, attention_dropout=0.5, drop_path=0.5)
    vit, images = small_vit(config), photos(2, CONFIG)
    expected = reference.vit(images, to_timm(vit), config)[0]
    model = Logits(vit)

    for _ in range(2):
        np.testing.assert_allclose(array(vit(images)[0]), expected, atol=1e-5, rtol=1e-5)
        np.testing.assert_allclose(model.predict_on_batch(images), expected, atol=1e-5, rtol=1e-5)


def test_blocks_do_not_all_skip_the_same_images() -> None:
    """One seed for every block's stochastic depth makes an image pass all blocks or none."""
    vit = small_vit(replace(CONFIG, depth=3, drop_path=0.5))
    ones = np.ones((64, 1, 1), np.float32)
    second, third = (array(vit.blocks[i].drop_path(ones, training=True)).ravel() > 0 for i in (1, 2))

    assert (second & ~third).any(), "some image passes block 1 and skips block 2"
    assert (~second & third).any(), "some image skips block 1 and passes block 2"
