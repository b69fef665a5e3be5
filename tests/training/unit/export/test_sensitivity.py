"""A network that is made to suffer from int8 in one place, and what is found of it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.training.unit.nets import SMALL, photos, small_about, small_vit
from vitcam_training.data.dataset import Dataset, Sample
from vitcam_training.export.layers import blocks_of, kinds_of
from vitcam_training.export.network import TrainedNetwork
from vitcam_training.export.quantise import Quantisation
from vitcam_training.export.sensitivity import loses_too_much, ranked, scan, scanning, spare
from vitcam_training.export.trial import Trial
from vitcam_training.weights.checkpoints import Weights, save_weights, to_timm

pytestmark = pytest.mark.slow("training/export", "training/vit.py")

SLOW = pytest.mark.slow("training/export")

TINY = replace(SMALL, depth=2, width=64, heads=1)
SICK = "block01/down"


def with_an_outlier(weights: Weights) -> Weights:
    """The same function; but one channel that `down` reads is so large that int8 has no steps left for the others."""
    weights = {name: array.copy() for name, array in weights.items()}
    weights["blocks.1.mlp.fc1.weight"][0] = 0
    weights["blocks.1.mlp.fc1.bias"][0] = 300
    weights["blocks.1.mlp.fc2.weight"][:, 0] = 0
    return weights


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Trial:
    folder = tmp_path_factory.mktemp("trial")
    about = small_about()
    save_weights(folder / "sick.safetensors", with_an_outlier(to_timm(small_vit(TINY))), about, "float32")
    samples = tuple(Sample(Path(f"{i}"), i % 5, image) for i, image in enumerate(photos(12)))
    dataset = Dataset("noise", about.labels, {"train": samples, "heldout": samples})
    return Trial(
        TrainedNetwork.read(folder / "sick.safetensors"), folder / "sick.safetensors", dataset, "heldout", folder
    )


@SLOW
def test_the_scan_names_the_kind_and_the_block_that_suffer(trial: Trial) -> None:
    small = scanning(trial, "train")
    kinds, blocks = scan(small, kinds_of(TINY)), scan(small, blocks_of(TINY))
    moved = {name: outcome.found["shift"] for name, outcome in {**kinds, **blocks}.items()}

    assert ranked(TINY, kinds, blocks)[0] == SICK
    assert moved["down"] > 3 * max(moved[name] for name in kinds if name != "down")
    assert moved["block01"] > 3 * moved["block00"]
    assert all(outcome.pieces.whole for outcome in kinds.values())


@SLOW
def test_sparing_keeps_the_layer_that_suffers_and_that_is_enough(trial: Trial) -> None:
    how = spare(trial, "train")
    before, after = trial.run("int8", Quantisation()), trial.run("spared", how)

    assert how.spared == (SICK,)
    assert after.found["shift"] < before.found["shift"] / 3
    assert after.pieces.whole


@pytest.mark.parametrize(
    ("float_top1", "top1", "photos", "too_much"),
    [(0.922, 0.922, 1040, False), (0.922, 0.910, 1040, True), (0.95, 0.94, 100, False), (0.90, 0.91, 1000, False)],
    ids=["nothing lost", "twelve photos", "one photo, which is chance", "gained"],
)
def test_a_loss_counts_beyond_a_fifth_of_a_point_and_beyond_chance(
    float_top1: float, top1: float, photos: int, too_much: bool
) -> None:
    assert loses_too_much({"float_top1": float_top1, "top1": top1, "n": photos}) is too_much


def test_photos_that_are_answered_differently_may_fall_to_one_side_by_chance() -> None:
    lost = {"float_top1": 0.805, "top1": 0.8, "n": 800}  # 4 photos

    assert loses_too_much(lost | {"agreement": 0.995})  # of 4 that differ, all were lost
    assert not loses_too_much(lost | {"agreement": 0.98})  # of 16, four more were lost than won


def test_the_shift_is_nothing_for_the_float_network_itself(trial: Trial) -> None:
    found = trial.run("float", Quantisation("float")).found

    assert found["shift"] == pytest.approx(0, abs=1e-5)
    assert found["agreement"] == 1
    assert np.isclose(found["attention_cosine_min"], 1)
