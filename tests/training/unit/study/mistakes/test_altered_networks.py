"""Each network with a mistake differs from the right one in the way that its name says, and in no other."""

import inspect
from dataclasses import replace
from typing import Any

import keras
import numpy as np
import pytest
from keras import ops

from tests.training.unit import test_circulating_mistakes
from tests.training.unit.nets import Floats, photos, small_vit
from vitcam.errors import UsageError
from vitcam_training.config import ViTConfig
from vitcam_training.study import reference
from vitcam_training.study.ablation.rows import BASE as ABLATION_BASE
from vitcam_training.study.mistakes.networks import (
    AcrossBatchViT,
    AlteredViT,
    ChannelsAsTokensViT,
    DoubledExponentViT,
    DrawnViT,
    DropoutInInferenceViT,
    FirstBranchTwiceViT,
    NormedResidualViT,
    PixelsAsPositionsViT,
    PlainNormViT,
    RedrawnMatrixViT,
    RedrawnViT,
    ReshapedViT,
    SoftmaxBeforeLossViT,
    UnaddedPositionViT,
    UntrainedMatrixViT,
    WidthScaleViT,
)
from vitcam_training.study.mistakes.rows import MISTAKES, Mistake, base, with_right
from vitcam_training.vit import ViT, sincos_position
from vitcam_training.weights.checkpoints import load_into, to_timm

pytestmark = pytest.mark.slow("training/study/mistakes", "training/vit.py", "training/config.py", "training/fit")

CONFIG = ViTConfig(
    classes=10, image_size=(28, 28), patch_size=7, width=32, depth=1, heads=4, channels=1, pooling="first"
)
RECIPE = base()
WRONG = [row for row in MISTAKES if not row.is_right]


def array(tensor: Any) -> Floats:
    return np.asarray(ops.convert_to_numpy(tensor))


def pair(network: type[ViT], **changes: Any) -> tuple[ViT, ViT]:
    """The right network, every weight of it random, and the wrong one with the same weights."""
    config = replace(CONFIG, **changes)
    right, wrong = small_vit(config), network(config)
    load_into(wrong, to_timm(right))
    return right, wrong


def answers(network: type[ViT], **changes: Any) -> tuple[Floats, Floats]:
    """Logits of both on the same photos."""
    right, wrong = pair(network, **changes)
    images = photos(3, right.config)
    return array(right(images)[0]), array(wrong(images)[0])


def test_a_network_in_which_nothing_is_altered_answers_as_the_right_one() -> None:
    right, same = answers(AlteredViT)

    np.testing.assert_array_equal(same, right)


@pytest.mark.parametrize("row", [row for row in WRONG if row.network is not ViT], ids=lambda row: row.name)
def test_every_mistake_changes_the_answer_and_leaves_the_right_network_as_it_was(row: Mistake) -> None:
    config = replace(row.recipe(RECIPE, 1).model.config(10), depth=1)
    images = photos(3, config)
    right = small_vit(config)
    before = array(right(images)[0])
    wrong = row.network(config)
    load_into(wrong, to_timm(right))
    trained = {v.path.split("/", 1)[1] for v in wrong.trainable_variables}
    differs = not np.allclose(array(wrong(images)[0]), before, atol=1e-4)

    assert differs or trained != {v.path.split("/", 1)[1] for v in right.trainable_variables}
    np.testing.assert_array_equal(array(right(images)[0]), before)
    np.testing.assert_array_equal(array(small_vit(config)(images)[0]), before, err_msg="nor is a later one changed")
    assert {name: a.shape for name, a in to_timm(wrong).items()} == {n: a.shape for n, a in to_timm(right).items()}


def test_strips_hold_the_pixels_that_follow_one_another_in_memory() -> None:
    right, wrong = pair(ReshapedViT)
    grey = np.full((1, 28, 28, 3), 128, np.uint8)
    plain = array(wrong.patch_embedding(grey))
    for row, column in ((0, 0), (1, 20), (1, 21), (13, 27), (27, 27)):
        dotted = grey.copy()
        dotted[0, row, column] = 255
        changed = np.flatnonzero(np.any(array(wrong.patch_embedding(dotted)) != plain, axis=-1))
        assert changed.tolist() == [(28 * row + column) // 49]

    np.testing.assert_allclose(array(right.patch_embedding(grey)), plain, atol=1e-5)


def test_channels_that_are_taken_for_tokens_are_the_transpose_of_the_right_tokens() -> None:
    right, wrong = pair(ChannelsAsTokensViT, width=16)
    images = photos(2, CONFIG)

    np.testing.assert_array_equal(
        array(wrong.patch_embedding(images)), array(right.patch_embedding(images)).transpose(0, 2, 1)
    )


def test_a_doubled_exponent_squares_the_rate_of_every_hand() -> None:
    right, wrong = pair(DoubledExponentViT, position="sincos")
    images = photos(1, CONFIG)
    added = array(wrong(images)[1]["embeddings"]) - array(wrong.patch_embedding(images))
    rates = 10000.0 ** (-np.arange(0, 32, 2) / 32)

    np.testing.assert_allclose(added[0, 1, 0::2], np.sin(rates**2), atol=1e-5)
    np.testing.assert_allclose(
        array(right(images)[1]["embeddings"]) - array(right.patch_embedding(images)),
        sincos_position(16, 32)[None],
        atol=1e-5,
    )


def test_positions_that_are_never_added_leave_the_patches_as_they_are() -> None:
    _, wrong = pair(UnaddedPositionViT)
    images = photos(2, CONFIG)

    np.testing.assert_array_equal(array(wrong(images)[1]["embeddings"]), array(wrong.patch_embedding(images)))
    assert wrong.position.path in {variable.path for variable in wrong.trainable_variables}, "it is there, for nothing"


def test_pixels_that_are_taken_for_positions_give_every_place_the_same() -> None:
    _, wrong = pair(PixelsAsPositionsViT)
    images = np.zeros((1, 28, 28, 3), np.uint8)
    images[0, :7, :7] = 255  # the first patch is white, which is number 1
    added = array(wrong(images)[1]["embeddings"]) - array(wrong.patch_embedding(images))
    table = array(wrong.position)[0]

    np.testing.assert_allclose(added[0, 0], table[1], atol=1e-5)
    np.testing.assert_allclose(added[0, 1:], np.tile(table[0], (15, 1)), atol=1e-5)


@pytest.mark.parametrize("network", [DrawnViT, RedrawnViT])
def test_with_drawn_queries_keys_and_values_only_the_first_patch_is_seen(network: type[ViT]) -> None:
    """The head reads the first token, and nothing of the others comes to it."""
    keras.utils.set_random_seed(1)
    _, wrong = pair(network)
    images = photos(1, CONFIG)
    others = images.copy()
    others[:, 7:, :] = 0
    one, same, other = (array(wrong(each)[0]) for each in (images, images, others))

    assert np.array_equal(one, same) == (network is DrawnViT), "drawn once, or anew at every call"
    assert np.array_equal(one, other) == (network is DrawnViT)


def test_matrices_that_are_drawn_at_every_call_still_project_the_input() -> None:
    _, wrong = pair(RedrawnMatrixViT)
    layer, zeros = wrong.blocks[0].attention.query, np.zeros((1, 4, 32), np.float32)

    assert not np.array_equal(array(layer(zeros + 1)), array(layer(zeros + 1)))
    np.testing.assert_array_equal(array(layer(zeros)), zeros)


def test_matrices_that_are_drawn_once_are_no_business_of_the_optimiser() -> None:
    right, wrong = pair(UntrainedMatrixViT)
    left_out = {v.path.split("/", 1)[1] for v in right.trainable_variables} - {
        v.path.split("/", 1)[1] for v in wrong.trainable_variables
    }

    assert len(left_out) == 3 * 2, "a kernel and a bias each"
    assert all("/query/" in path or "/key/" in path or "/value/" in path for path in left_out)


def test_scores_divided_by_the_width_are_smaller_by_the_root_of_the_heads() -> None:
    right, wrong = pair(WidthScaleViT)

    assert wrong.blocks[0].attention.score_factor == pytest.approx(32**-0.5)
    assert right.blocks[0].attention.score_factor == pytest.approx(8**-0.5)


def test_attention_across_the_batch_mixes_images_and_never_tokens() -> None:
    right, wrong = pair(AcrossBatchViT)
    images = photos(4, CONFIG)
    x = np.random.default_rng(0).normal(size=(4, 16, 32)).astype(np.float32)
    swapped = reference.multi_head(x.transpose(1, 0, 2).astype(np.float64), to_timm(right), "blocks.0.attn", CONFIG)[0]
    other_corner, other_rest = images.copy(), images.copy()
    other_corner[1:, :7, :7] = 0
    other_rest[:, 7:, :] = 0
    one, corner, rest = (array(wrong(each)[0])[0] for each in (images, other_corner, other_rest))

    np.testing.assert_allclose(array(wrong.blocks[0].attention(x)[0]), swapped.transpose(1, 0, 2), atol=1e-4)
    assert not np.allclose(corner, one, atol=1e-3), "the first patches of the others change the answer"
    np.testing.assert_allclose(rest, one, atol=1e-4, err_msg="its own other patches do not")


def test_a_class_token_with_attention_across_the_batch_never_sees_a_picture() -> None:
    """So the loss of such a network cannot fall below that of guessing: ln 10 for ten labels that are equally many."""
    _, wrong = pair(AcrossBatchViT, pooling="cls_token")
    one, other = (array(wrong(photos(4, CONFIG, seed=seed))[0]) for seed in (1, 2))

    np.testing.assert_allclose(other, one, atol=1e-4)
    np.testing.assert_allclose(one, np.tile(one[0], (4, 1)), atol=1e-4)


def test_a_normed_residual_forgets_the_length_of_its_input() -> None:
    right, wrong = pair(NormedResidualViT)
    x = np.random.default_rng(0).normal(size=(1, 16, 32)).astype(np.float32)

    np.testing.assert_allclose(array(wrong.blocks[0](3 * x)[0]), array(wrong.blocks[0](x)[0]), atol=1e-3)
    assert not np.allclose(array(right.blocks[0](3 * x)[0]), array(right.blocks[0](x)[0]), atol=0.1)


def test_a_first_branch_that_is_added_twice_leaves_the_mlp_unread() -> None:
    right, wrong = pair(FirstBranchTwiceViT)
    block, x = wrong.blocks[0], np.random.default_rng(0).normal(size=(1, 16, 32)).astype(np.float32)
    branch = array(block.attention(block.norm1(x))[0])
    before = array(block(x)[0])
    block.mlp.down.bias.assign(np.ones(32))

    np.testing.assert_allclose(before, x + 2 * branch, atol=1e-5)
    np.testing.assert_array_equal(array(block(x)[0]), before)
    assert not np.allclose(array(right.blocks[0](x)[0]), before, atol=1e-2)


def test_a_plain_norm_is_not_trained_and_stays_at_one_and_zero() -> None:
    network = PlainNormViT(CONFIG)
    weights, trained = to_timm(network), {variable.path for variable in network.trainable_variables}

    assert not [path for path in trained if path.split("/")[-2].startswith("norm")]
    assert any("output_projection" in path for path in trained)
    for name in ("blocks.0.norm1", "blocks.0.norm2", "norm"):
        np.testing.assert_array_equal(weights[f"{name}.weight"], 1.0)
        np.testing.assert_array_equal(weights[f"{name}.bias"], 0.0)


def test_a_softmax_before_the_loss_keeps_it_above_a_floor() -> None:
    right, wrong = answers(SoftmaxBeforeLossViT)
    best = reference.cross_entropy(np.eye(10)[:1], np.zeros(1, int))[0]

    np.testing.assert_allclose(wrong, reference.softmax(right), atol=1e-5)
    assert best == pytest.approx(np.log(1 + 9 / np.e))
    assert best == pytest.approx(1.461, abs=1e-3)


def test_dropout_that_is_left_on_gives_every_answer_anew() -> None:
    right, wrong = pair(DropoutInInferenceViT, dropout=0.1)
    images = photos(2, CONFIG)

    assert not np.array_equal(array(wrong(images)[0]), array(wrong(images)[0]))
    np.testing.assert_array_equal(array(right(images)[0]), array(right(images)[0]))


def test_every_row_has_a_right_network_that_differs_in_the_mistake_alone() -> None:
    rows = {row.name: row for row in MISTAKES}

    assert len({row.title for row in MISTAKES}) == len(rows) == len(MISTAKES)
    for row in WRONG:
        right = rows[row.against]
        assert right.is_right
        assert right.model == row.model
        assert right.network is ViT
        assert row.network is not ViT or row.train, "it changes something"
    assert MISTAKES[0].recipe(RECIPE, 1) == ABLATION_BASE.recipe(RECIPE, 1), (
        "of the network that the ablation starts from"
    )


def test_the_tests_that_rows_name_guard_the_product_against_them() -> None:
    tests = {name for name, _ in inspect.getmembers(test_circulating_mistakes, inspect.isfunction)}

    assert {row.test for row in WRONG if row.test} <= tests


def test_mistakes_are_chosen_by_name_and_their_right_networks_come_along() -> None:
    assert [row.name for row in with_right(["dropout-on", "strips"])] == ["base", "dropout", "strips", "dropout-on"]
    assert with_right([]) == MISTAKES
    with pytest.raises(UsageError, match="no mistake is called 'strip'; allowed: base, sincos"):
        with_right(["strip"])
