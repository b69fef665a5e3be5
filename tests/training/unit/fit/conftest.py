import shutil
from pathlib import Path

import pytest

from tests.training.unit.fit.three_colours import run
from tests.training.unit.pictures import write_pictures
from vitcam_training.data.augment import Augment
from vitcam_training.recipes.recipe import ModelRecipe, Recipe, TrainRecipe


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> Recipe:
    return Recipe(
        name="colours",
        data=str(write_pictures(tmp_path_factory.mktemp("colours") / "photos", each=12, side=32)),
        model=ModelRecipe(image_size=(32, 32), patch_size=16, width=64, depth=2, heads=1, drop_path=0.2),
        augment=Augment(mix=0.3),
        train=TrainRecipe(epochs=3, batch_size=6, per_label=8, learning_rate=2e-3, average=0.5),
    )


@pytest.fixture(scope="module")
def trained(recipe: Recipe, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that nothing disturbed, for all to read."""
    folder = tmp_path_factory.mktemp("trained") / "run"
    run(recipe, folder).train()
    return folder


@pytest.fixture
def whole(trained: Path, tmp_path: Path) -> Path:
    """A copy of that folder of one's own."""
    return Path(shutil.copytree(trained, tmp_path / "whole"))
