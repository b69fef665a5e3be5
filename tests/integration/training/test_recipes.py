"""One step of every recipe that ships, on a few small pictures instead of its data."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.unit.training.pictures import write_pictures
from vitcam_training.fit.start import prepare
from vitcam_training.recipes.recipe import read_recipe, shipped_recipes


def recipes() -> list[object]:
    """Every recipe; those of networks that take long to compile are left to the long tests, one of each kind is not."""
    quick = {"mnist", "folder"}
    return [pytest.param(name, marks=() if name in quick else pytest.mark.long) for name in shipped_recipes()]


@pytest.mark.parametrize("name", recipes())
def test_one_step_of_the_recipe_trains_and_saves(name: str, tmp_path: Path) -> None:
    recipe = read_recipe(name)
    few = replace(recipe.train, batch_size=3, per_label=1, epochs=1, warmup_epochs=0.0)
    shallow = replace(recipe.model, depth=2)  # twelve blocks take a minute to compile, and are no more than two again
    photos = write_pictures(tmp_path / "photos", each=12)
    run = prepare(replace(recipe, data=str(photos), model=shallow, train=few), None, tmp_path / "run")
    before = {name: array.copy() for name, array in run.learner.weights().items()}
    run.train()
    changed = {name for name, array in run.learner.weights().items() if not np.array_equal(array, before[name])}

    assert run.stage.work.steps == 1
    assert "head.weight" in changed
    assert (tmp_path / "run" / "weights.safetensors").is_file()
