"""Each network with a mistake differs from the right one in the way that its name says, and in no other."""

import inspect
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from keras import ops

from tests.training.unit import test_circulating_mistakes
from tests.training.unit.nets import Floats, photos, small_vit
from vitcam.errors import UsageError
from vitcam_training.config import ViTConfig
from vitcam_training.fit.learner import Logits
from vitcam_training.study import reference
from vitcam_training.study.ablation.rows import BASE as ABLATION_BASE
from vitcam_training.study.mistakes.networks import (
    AcrossBatchViT,
)
from vitcam_training.study.mistakes.rows import MISTAKES, Mistake, base, with_right
from vitcam_training.vit import ViT
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


def test_attention_across_the_batch_takes_batches_of_any_size_as_a_training_does() -> None:
    _, wrong = pair(AcrossBatchViT)
    images = photos(5, CONFIG)
    said = Logits(wrong).predict(images, batch_size=3, verbose=0)  # two pictures are left over

    np.testing.assert_allclose(said, np.concatenate([array(wrong(images[i : i + 3])[0]) for i in (0, 3)]), atol=1e-4)


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
