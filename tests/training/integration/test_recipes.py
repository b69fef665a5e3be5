"""One step of every recipe that ships, on a few small pictures instead of its data."""

from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from tests.training.unit.nets import SMALL, small_about, small_vit
from tests.training.unit.pictures import write_pictures
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.fit.prepare import prepare
from vitcam_training.recipes.recipe import read_recipe, shipped_recipes
from vitcam_training.weights.checkpoints import save_weights, to_timm


def recipes() -> list[object]:
    """Every recipe; all but the smallest are left to the slow tests, since their networks take long to compile."""
    return [
        pytest.param(name, marks=() if name == "mnist" else pytest.mark.slow("training/recipes", "training/fit"))
        for name in shipped_recipes()
    ]


def save_teacher(labels: tuple[str, ...], out: Path) -> Path:
    """A small network of random weights that has these labels."""
    network = small_vit(replace(SMALL, classes=len(labels)))
    save_weights(out, to_timm(network), replace(small_about(), labels=labels, network=asdict(network.config)))
    return out


@pytest.mark.parametrize("name", recipes())
def test_one_step_of_the_recipe_trains_and_saves(name: str, tmp_path: Path) -> None:
    recipe = read_recipe(name)
    few = replace(recipe.train, batch_size=3, per_label=1, epochs=1, warmup_epochs=0.0)
    shallow = replace(recipe.model, depth=2)  # twelve blocks take a minute to compile, and are no more than two again
    photos = write_pictures(tmp_path / "photos", each=12)
    dataset = open_dataset(str(photos))
    dataset = replace(dataset, parts={**dataset.parts, **dict.fromkeys(("replay", "blank"), dataset.part("train"))})
    teacher = save_teacher(dataset.labels, tmp_path / "teacher.safetensors") if recipe.distil else None
    run = prepare(replace(recipe, model=shallow, train=few), None, tmp_path / "run", dataset, teacher=teacher)
    before = {name: array.copy() for name, array in run.learner.weights().items()}
    run.train()
    changed = {name for name, array in run.learner.weights().items() if not np.array_equal(array, before[name])}

    assert run.stage.work.steps == 1
    assert "head.weight" in changed
    assert (tmp_path / "run" / "weights.safetensors").is_file()
