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


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_both_versions_train_the_same_sizes_on_the_same_photos(run: SourceRun) -> None:
    stated, corrected = (run.recipe(version, 1) for version in ("as-stated", "corrected"))

    assert stated.data == corrected.data
    assert stated.train.epochs == corrected.train.epochs
    assert (stated.model.width, stated.model.depth) == (corrected.model.width, corrected.model.depth)
    assert stated != corrected
