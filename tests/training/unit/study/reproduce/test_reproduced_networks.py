"""Each network that circulates has exactly the slips that its name says, and begins as PyTorch draws it."""

from dataclasses import replace
from typing import Any

import keras
import numpy as np
import pytest

from tests.training.unit.nets import Floats, learned
from vitcam_training.study.reproduce.measure import NETWORKS
from vitcam_training.study.reproduce.sources import RUNS, SourceRun, Version, runs_of
from vitcam_training.vit import ViT

pytestmark = pytest.mark.slow("training/study/reproduce")


def network(name: str, version: Version, seed: int = 1, **changes: Any) -> ViT:
    (run,) = runs_of([name])
    keras.utils.set_random_seed(seed)
    return NETWORKS[name, version](replace(run.recipe(version, seed).model.config(10), **changes))


def array(tensor: Any) -> Floats:
    return np.asarray(keras.ops.convert_to_numpy(tensor))


def digits(count: int) -> Floats:
    grey = np.random.default_rng(3).integers(0, 256, (count, 28, 28, 1))
    return np.repeat(grey, 3, axis=-1).astype(np.uint8)


@pytest.mark.parametrize(
    ("name", "version", "parameters"),
    [("photos", "as-stated", 24_390_922), ("lite", "as-stated", 3_195_146), ("lite", "corrected", 3_195_146)],
)
def test_a_network_has_the_parameters_that_others_state(name: str, version: Version, parameters: int) -> None:
    assert learned(network(name, version)) == parameters


def test_the_stated_digits_get_probabilities_and_the_corrected_ones_logits() -> None:
    stated, corrected = (array(network("digits", version)(digits(4))[0]) for version in ("as-stated", "corrected"))

    np.testing.assert_allclose(stated.sum(axis=-1), 1.0, atol=1e-5)
    assert np.abs(corrected.sum(axis=-1) - 1.0).min() > 0.01


def test_without_places_the_later_patches_of_a_digit_may_come_in_any_order() -> None:
    images = digits(2)
    moved = images.copy()
    moved[:, 7:14], moved[:, 14:21] = images[:, 14:21], images[:, 7:14]  # rows of patches; the first patch stays
    answers = {
        version: [array(vit(each)[0]) for each in (images, moved)]
        for version in ("as-stated", "corrected")
        for vit in [network("digits", version)]
    }

    np.testing.assert_allclose(answers["as-stated"][0], answers["as-stated"][1], atol=1e-5)
    assert np.abs(np.subtract(*answers["corrected"])).max() > 1e-4


def test_in_the_stated_run_the_other_photos_of_a_batch_change_an_answer_and_the_own_pixels_do_not() -> None:
    small: dict[str, Any] = {"image_size": (32, 32), "depth": 2, "width": 64, "mlp_width": 64}
    vit = network("photos", "as-stated", **small)
    photos = np.random.default_rng(5).integers(0, 256, (3, 32, 32, 3)).astype(np.uint8)
    others = photos.copy()
    others[0] = 255 - others[0]
    before, after = (array(vit(each)[0]) for each in (photos, others))

    np.testing.assert_allclose(before[1:], after[1:], atol=1e-4)  # class tokens are alike, and see class tokens alone
    np.testing.assert_allclose(before[0], after[0], atol=1e-4)
    corrected = [array(network("photos", "corrected", **small)(each)[0]) for each in (photos, others)]
    assert np.abs(corrected[0][0] - corrected[1][0]).max() > 1e-3


def test_weights_begin_as_pytorch_draws_them() -> None:
    vit = network("lite", "as-stated")
    up = array(vit.blocks[0].mlp.up.kernel)  # (256, 512)

    assert np.abs(up).max() == pytest.approx(256**-0.5, rel=0.01)
    assert up.std() == pytest.approx(256**-0.5 / 3**0.5, rel=0.02)
    assert array(vit.position).std() == pytest.approx(1.0, rel=0.05)
    assert array(network("lite", "corrected").position).std() == pytest.approx(0.02, rel=0.05)
    query = array(
        network("photos", "as-stated", depth=1).blocks[0].attention.query.kernel
    )  # (768, 768), a third of a matrix
    assert np.abs(query).max() == pytest.approx((6 / (4 * 768)) ** 0.5, rel=0.01)


def test_another_seed_begins_elsewhere_and_the_same_one_at_the_same_place() -> None:
    first, again, other = (array(network("digits", "corrected", seed).position) for seed in (1, 1, 2))

    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 1e-3


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_both_versions_train_the_same_sizes_on_the_same_photos(run: SourceRun) -> None:
    stated, corrected = (run.recipe(version, 1) for version in ("as-stated", "corrected"))

    assert stated.data == corrected.data
    assert stated.train.epochs == corrected.train.epochs
    assert (stated.model.width, stated.model.depth) == (corrected.model.width, corrected.model.depth)
    assert stated != corrected
