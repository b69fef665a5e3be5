from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from tests.refusals import naming
from tests.training.unit.fit.three_colours import run, weights_of
from tests.training.unit.nets import small_about
from tests.training.unit.pictures import write_pictures
from vitcam.errors import UsageError
from vitcam_training.data.dataset import Dataset
from vitcam_training.fit.prepare import prepare, start
from vitcam_training.recipes.recipe import AboutRecipe, Recipe, on_photos
from vitcam_training.vit import ViT
from vitcam_training.weights.checkpoints import save_weights, to_timm

pytestmark = pytest.mark.slow("training/fit", "training/vit.py")


def test_fine_tuning_drops_what_its_own_recipe_says(recipe: Recipe, whole: Path) -> None:
    dropping = replace(recipe, model=replace(recipe.model, dropout=0.1, attention_dropout=0.2, drop_path=0.0))
    found = start(dropping, Dataset("photos", ("blue", "green", "red"), {}), whole / "weights.safetensors").config

    assert (found.dropout, found.attention_dropout, found.drop_path) == (0.1, 0.2, 0.0)


@pytest.mark.slow("training/fit", "training/vit.py")
def test_random_positions_stay_as_they_were_drawn_and_another_seed_draws_others(recipe: Recipe, tmp_path: Path) -> None:
    random = replace(recipe, model=replace(recipe.model, position="random"), train=replace(recipe.train, epochs=1))
    drawn, found = {}, {}
    for seed in (1, 2):
        fit = run(replace(random, seed=seed), tmp_path / str(seed))
        drawn[seed] = to_timm(fit.stage.vit)["pos_embed"]
        fit.train()
        found[seed] = weights_of(tmp_path / str(seed))["pos_embed"]

    for seed in (1, 2):
        np.testing.assert_array_equal(found[seed], drawn[seed])
    assert drawn[1].std() == pytest.approx(0.5**0.5, rel=0.2)
    assert not np.allclose(drawn[1], drawn[2], atol=0.1)


@pytest.mark.slow("training/fit", "training/vit.py")
def test_a_new_head_has_a_hidden_layer_where_the_recipe_says_so_and_an_old_one_stays(
    recipe: Recipe, tmp_path: Path, whole: Path
) -> None:
    known, others = (Dataset("photos", labels, {}) for labels in (("blue", "green", "red"), ("cup", "dog", "tree")))
    hidden = replace(recipe, model=replace(recipe.model, head_hidden=24), train=replace(recipe.train, epochs=1))
    run(hidden, tmp_path / "hidden").train()
    plain, bent = whole / "weights.safetensors", tmp_path / "hidden" / "weights.safetensors"

    assert start(hidden, known, plain).config.head_hidden == 0
    assert start(hidden, others, plain).config.head_hidden == 24
    assert start(recipe, known, bent).config.head_hidden == 24
    assert start(recipe, others, bent).config.head_hidden == 0


def test_weights_that_a_recipe_does_not_fit_are_refused_by_what_does_not_fit(recipe: Recipe, tmp_path: Path) -> None:
    straight = replace(recipe.model, residual=False, drop_path=0.0)
    about = replace(small_about(3), labels=("blue", "green", "red"), network=asdict(straight.config(3)))
    save_weights(tmp_path / "net.safetensors", to_timm(ViT(straight.config(3))), about)

    with pytest.raises(UsageError, match=naming("recipe colours", "drop_path")):
        start(recipe, Dataset("photos", about.labels, {}), tmp_path / "net.safetensors")


def test_other_labels_get_a_new_head_though_there_are_as_many(recipe: Recipe, tmp_path: Path, whole: Path) -> None:
    trained = whole / "weights.safetensors"
    kept = start(recipe, Dataset("photos", ("blue", "green", "red"), {}), trained)
    other = start(recipe, Dataset("photos", ("cup", "dog", "tree"), {}), trained)
    wanted = weights_of(whole)["head.weight"]

    np.testing.assert_array_equal(to_timm(kept)["head.weight"], wanted)
    assert not np.allclose(to_timm(other)["head.weight"], wanted, atol=1e-3)


def test_a_model_of_ones_own_photos_says_what_it_was_trained_on(recipe: Recipe, tmp_path: Path, whole: Path) -> None:
    about = AboutRecipe(description="three colours", trained_on=({"data": "drawn pictures"},))
    first = replace(recipe, about=about, train=replace(recipe.train, epochs=1))
    prepare(first, None, tmp_path / "first").train()
    mine = on_photos(first, str(write_pictures(tmp_path / "mine", each=12, side=32)))
    made = prepare(mine, tmp_path / "first" / "weights.safetensors", tmp_path / "second").stage.metadata

    assert (made.name, made.description) == ("mine", "blue, green, red")
    assert [photos["data"] for photos in made.trained_on][1:] == ["drawn pictures"]
    assert made.trained_on[0]["data"].startswith("mine, ")
