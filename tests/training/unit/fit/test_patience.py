from dataclasses import replace
from pathlib import Path

import pytest

from tests.refusals import naming
from tests.training.unit.fit.three_colours import run, with_calibration
from vitcam.errors import UsageError
from vitcam_training.fit.prepare import prepare
from vitcam_training.recipes.recipe import Recipe
from vitcam_training.weights.metadata import PLANNED, read_metadata

pytestmark = pytest.mark.slow("training/fit", "training/vit.py")


def test_patience_ends_training_and_keeps_the_weights_of_the_best_epoch(recipe: Recipe, tmp_path: Path) -> None:
    still = replace(recipe.train, epochs=9, learning_rate=0.0, average=0.0, patience=2)
    trained = prepare(replace(recipe, train=still), None, tmp_path / "run", with_calibration(recipe))
    trained.train()
    log, about = trained.log(), read_metadata(tmp_path / "run" / "weights.safetensors")

    assert [row["epoch"] for row in log] == ["1", "2", "3"], "nothing became better after the first"
    assert len({row["calibration_loss"] for row in log}) == 1
    assert about.provenance["epochs"] == 1
    assert PLANNED not in about.provenance, "it ended as the recipe says"
    assert about.history["epoch"] == [1, 2, 3]


def test_patience_without_calibration_photos_is_refused_and_heldout_is_no_stand_in(
    recipe: Recipe, tmp_path: Path
) -> None:
    found = with_calibration(recipe)
    without = replace(found, parts={name: found.parts[name] for name in ("train", "heldout")})
    patient = replace(recipe, train=replace(recipe.train, patience=1))

    with pytest.raises(UsageError, match=naming("part 'calibration'", "photos")):
        prepare(patient, None, tmp_path / "run", without).train()


def test_scoring_every_second_epoch_leaves_cells_empty_but_never_the_last(recipe: Recipe, tmp_path: Path) -> None:
    seldom = run(replace(recipe, train=replace(recipe.train, score_every=2)), tmp_path / "run")
    seldom.train()
    about = read_metadata(tmp_path / "run" / "weights.safetensors")

    assert [bool(row["test_loss"]) for row in seldom.log()] == [False, True, True]
    assert all(row["train_loss"] and row["seconds"] for row in seldom.log())
    assert about.history["epoch"] == [2, 3]


def test_the_curve_is_scored_on_photos_that_choose_where_there_are_some(recipe: Recipe, tmp_path: Path) -> None:
    found = with_calibration(recipe)
    choosing = replace(found, parts=found.parts | {"choose": found.parts["calibration"][:1]})
    runs = {name: prepare(recipe, None, tmp_path / name, each) for name, each in (("a", choosing), ("b", found))}

    assert (runs["a"].stage.tested, runs["b"].stage.tested) == ("choose", "heldout")
    assert runs["b"].stage.work.scored - runs["a"].stage.work.scored == len(found.parts["heldout"]) - 1
