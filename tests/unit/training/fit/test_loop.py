import csv
import os
import shutil
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import keras
import numpy as np
import pytest

from tests.unit.training.nets import small_about
from tests.unit.training.pictures import write_pictures
from vitcam.errors import UsageError, VitcamError
from vitcam.frames import Image
from vitcam_training.data import batches
from vitcam_training.data.augment import Augment
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.data.dataset import Dataset, Sample
from vitcam_training.data.photos import photo_of
from vitcam_training.fit.loop import FitRun
from vitcam_training.fit.progress.csv_log import COLUMNS
from vitcam_training.fit.scoring import cross_entropy
from vitcam_training.fit.session import Session, Stop, Stopped
from vitcam_training.fit.start import prepare, start, train
from vitcam_training.recipes.recipe import AboutRecipe, ModelRecipe, Recipe, TrainRecipe, on_photos
from vitcam_training.vit import ViT
from vitcam_training.weights.checkpoints import Weights, read_weights, save_weights, to_timm
from vitcam_training.weights.metadata import PLANNED, read_metadata


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


def run(recipe: Recipe, folder: Path) -> FitRun:
    return prepare(recipe, None, folder)


def test_training_learns_to_tell_three_colours_apart(recipe: Recipe, tmp_path: Path) -> None:
    longer = replace(recipe, train=replace(recipe.train, epochs=6))
    trained = run(longer, tmp_path / "run")
    before = trained.score(trained.stage.dataset.parts["heldout"])
    trained.train()
    after = trained.score(trained.stage.dataset.parts["heldout"])

    assert after.loss < 0.6 * before.loss
    assert after.accuracy > 0.9


@pytest.mark.parametrize("precision", ["float32", pytest.param("mixed_bfloat16", marks=pytest.mark.long)])
def test_the_seed_alone_decides_every_weight_in_either_precision(
    recipe: Recipe, tmp_path: Path, precision: str
) -> None:
    short = replace(recipe, train=replace(recipe.train, epochs=1, precision=precision))
    for name, seed in (("one", 1), ("again", 1), ("other", 2)):
        run(replace(short, seed=seed), tmp_path / name).train()

    assert_same(weights_of(tmp_path / "again"), weights_of(tmp_path / "one"))
    assert not np.array_equal(
        weights_of(tmp_path / "other")["head.weight"], weights_of(tmp_path / "one")["head.weight"]
    )


class After(Stop):
    """Stops a run when it has asked so many times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.left = times

    def check(self, gained: bool) -> None:
        self.left -= 1
        if self.left < 0:
            raise Stopped("enough", 0)


@pytest.mark.parametrize("times", [1, 3, 5, 6, 8])
def test_a_run_stopped_anywhere_goes_on_to_exactly_the_same_weights_and_log(
    recipe: Recipe, tmp_path: Path, whole: Path, times: int
) -> None:
    """Asked once before each epoch, after each of its 4 steps, and after each batch that is scored."""
    with pytest.raises(Stopped, match=r"enough: stopped in epoch . of 3 after step . of 4, saved in .*run the same"):
        run(recipe, tmp_path / "parts").train(Session(stop=After(times)))
    resumed = run(recipe, tmp_path / "parts")
    resumed.train()

    assert_same(weights_of(tmp_path / "parts"), weights_of(whole))
    assert without_seconds(tmp_path / "parts") == without_seconds(whole)


def test_weights_of_a_run_that_was_stopped_early_say_how_many_epochs_were_planned(
    recipe: Recipe, tmp_path: Path, trained: Path
) -> None:
    whole = replace(recipe, before=(replace(recipe, train=replace(recipe.train, epochs=1)),))
    with pytest.raises(Stopped):
        train(whole, None, tmp_path / "run", session=Session(stop=After(8)))  # in the second stage's first epoch
    with pytest.raises(Stopped):
        train(whole, None, tmp_path / "run", session=Session(stop=After(8)))
    first, second = (read_metadata(tmp_path / "run" / name / "weights.safetensors") for name in ("stage1", ""))

    assert (first.provenance["epochs"], first.provenance[PLANNED]) == (1, 4)
    assert (second.provenance["epochs"], second.provenance[PLANNED]) == (2, 4)
    assert PLANNED not in read_metadata(trained / "weights.safetensors").provenance


def test_a_step_that_was_resumed_reads_no_photo_of_the_steps_before(
    recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Stopped):
        run(recipe, tmp_path / "run").train(Session(stop=After(3)))
    read: list[Path] = []

    def noted(sample: Sample) -> Image:
        read.append(sample.path)
        return photo_of(sample)

    monkeypatch.setattr(batches, "photo_of", noted)
    resumed = run(recipe, tmp_path / "run")
    for _ in resumed.epoch_steps():
        pass

    assert (resumed.position.step, len(read)) == (4, recipe.train.batch_size)


def test_every_epoch_leaves_a_line_in_the_log_and_a_checkpoint(recipe: Recipe, tmp_path: Path) -> None:
    run(recipe, tmp_path / "run").train()
    with (tmp_path / "run" / "log.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    about = read_metadata(tmp_path / "run" / "weights.safetensors")

    assert tuple(rows[0]) == COLUMNS
    assert [row["epoch"] for row in rows] == ["1", "2", "3"]
    assert about.labels == ("blue", "green", "red")
    assert about.provenance["epochs"] == 3
    assert about.provenance["began_with"] == "random weights"
    assert about.history["test_loss"] == [float(row["test_loss"]) for row in rows]


def test_lines_of_an_epoch_that_was_not_saved_leave_the_log(recipe: Recipe, tmp_path: Path) -> None:
    run(recipe, tmp_path / "run").train()
    log = tmp_path / "run" / "log.csv"
    log.write_text(log.read_text() + "4,0,0,0,0,0,0\n")
    run(recipe, tmp_path / "run")

    assert [line.split(",")[0] for line in log.read_text().splitlines()] == ["epoch", "1", "2", "3"]


def test_a_folder_of_another_network_is_not_gone_on_with(recipe: Recipe, tmp_path: Path) -> None:
    run(replace(recipe, train=replace(recipe.train, epochs=1)), tmp_path / "run").train()
    wider = replace(recipe, model=replace(recipe.model, width=128, heads=2))

    with pytest.raises(UsageError, match="of another network or optimiser"):
        run(wider, tmp_path / "run")


@pytest.mark.long
def test_a_stage_at_a_larger_size_goes_on_with_the_weights_of_the_one_before(recipe: Recipe, tmp_path: Path) -> None:
    small = replace(recipe, train=replace(recipe.train, epochs=2))
    still = replace(recipe.train, epochs=1, learning_rate=0.0, average=0.0)
    large = replace(recipe, model=replace(recipe.model, image_size=(64, 64)), train=still, before=(small,))
    first, last = train(large, None, tmp_path / "run")
    about = read_metadata(tmp_path / "run" / "weights.safetensors")
    before, after = weights_of(tmp_path / "run" / "stage1"), weights_of(tmp_path / "run")

    assert (first.stage.folder.name, last.stage.folder.name) == ("stage1", "run")
    assert after["pos_embed"].shape == (1, 17, 64)
    np.testing.assert_array_equal(after["blocks.0.mlp.fc1.weight"], before["blocks.0.mlp.fc1.weight"])
    np.testing.assert_array_equal(after["head.weight"], before["head.weight"])
    assert (about.provenance["epochs"], about.provenance["began_with"]) == (3, "random weights")
    assert about.history["epoch"] == [1, 2, 3]
    assert (about.input.height, about.network["image_size"]) == (64, [64, 64])


def test_too_few_photos_for_one_batch_are_refused(recipe: Recipe, tmp_path: Path) -> None:
    large = replace(recipe, train=replace(recipe.train, batch_size=500))

    with pytest.raises(UsageError, match="do not fill a batch of 500"):
        run(large, tmp_path / "run").train()


def test_cross_entropy_of_certain_and_of_undecided_answers_is_known() -> None:
    logits = np.array([[0.0, 0.0], [100.0, 0.0]], np.float32)

    np.testing.assert_allclose(cross_entropy(logits, np.array([[1, 0], [1, 0]], np.float32)), [np.log(2), 0], atol=1e-6)


def test_gradients_are_shortened_together_to_the_length_asked_for(recipe: Recipe, tmp_path: Path) -> None:
    """Seen in Adam's first moments: its steps do not depend on the length."""
    short = replace(recipe.train, clip_norm=1e-3, epochs=1)
    clipped = run(replace(recipe, train=short), tmp_path / "run")
    next(clipped.epoch_steps())
    moments = [v for v in clipped.learner.optimizer.variables if v.path.endswith("_momentum")]
    length = np.sqrt(sum(float((keras.ops.convert_to_numpy(v).astype(float) ** 2).sum()) for v in moments))

    assert len(moments) == len(clipped.stage.vit.trainable_variables)
    assert length == pytest.approx(0.1 * 1e-3, rel=1e-3), "Adam takes a tenth of the first gradient"


def test_training_that_came_apart_says_so_and_keeps_the_state_before(recipe: Recipe, tmp_path: Path) -> None:
    wild = replace(recipe.train, learning_rate=1e30, warmup_epochs=0.0)

    with pytest.raises(VitcamError, match=r"the loss is (nan|inf) in epoch 1 at step \d.*with clip_norm"):
        run(replace(recipe, train=wild), tmp_path / "run").train(Session(save_every_s=0))
    with np.load(tmp_path / "run" / "state.npz") as state:
        assert np.isfinite(state["loss"])


def with_calibration(recipe: Recipe) -> Dataset:
    """The recipe's photos, half of the held-out ones as a part `calibration`."""
    found = open_dataset(recipe.data)
    heldout = found.parts["heldout"]
    return replace(found, parts=found.parts | {"heldout": heldout[::2], "calibration": heldout[1::2]})


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


def test_training_goes_on_while_the_calibration_photos_say_it_pays(recipe: Recipe, tmp_path: Path) -> None:
    patient = replace(recipe.train, epochs=4, patience=3)
    trained = prepare(replace(recipe, train=patient), None, tmp_path / "run", with_calibration(recipe))
    trained.train()
    losses = [float(row["calibration_loss"]) for row in trained.log()]

    assert len(losses) == 4
    assert trained.position.best_epoch == 1 + losses.index(min(losses))


def test_patience_without_calibration_photos_is_refused_and_heldout_is_no_stand_in(
    recipe: Recipe, tmp_path: Path
) -> None:
    found = with_calibration(recipe)
    without = replace(found, parts={name: found.parts[name] for name in ("train", "heldout")})
    patient = replace(recipe, train=replace(recipe.train, patience=1))

    with pytest.raises(UsageError, match="a part 'calibration', which photos does not have; split one off"):
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


def test_a_damaged_state_is_refused_with_what_to_do(recipe: Recipe, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "state.npz").write_bytes(b"PK\x03\x04 no archive")

    with pytest.raises(UsageError, match=r"state\.npz cannot be read .*; delete it to start again"):
        run(recipe, tmp_path / "run")


def test_a_stopped_epoch_is_not_gone_on_with_other_batches(recipe: Recipe, tmp_path: Path) -> None:
    with pytest.raises(Stopped):
        run(recipe, tmp_path / "run").train(Session(stop=After(2)))
    larger = replace(recipe, train=replace(recipe.train, batch_size=12))

    with pytest.raises(UsageError, match="stands at step 2 of an epoch of 4, and now an epoch has 2"):
        run(larger, tmp_path / "run")


def test_going_on_with_other_settings_is_said_and_with_the_same_is_not(
    recipe: Recipe, whole: Path, caplog: pytest.LogCaptureFixture
) -> None:
    run(replace(recipe, data=os.path.relpath(recipe.data)), whole)
    same = caplog.text
    run(replace(recipe, train=replace(recipe.train, learning_rate=1e-3)), whole)

    assert "other settings" not in same
    assert f"{whole} was started with other settings" in caplog.text


def test_a_run_that_is_done_says_that_nothing_is_left(
    recipe: Recipe, whole: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = weights_of(whole)
    with caplog.at_level("INFO"):
        run(recipe, whole).train()

    assert f"{whole}: nothing is left to train; another folder (--out) starts a new run" in caplog.text
    assert_same(weights_of(whole), before)


def test_fine_tuning_drops_what_its_own_recipe_says(recipe: Recipe, whole: Path) -> None:
    dropping = replace(recipe, model=replace(recipe.model, dropout=0.1, attention_dropout=0.2, drop_path=0.0))
    found = start(dropping, Dataset("photos", ("blue", "green", "red"), {}), whole / "weights.safetensors").config

    assert (found.dropout, found.attention_dropout, found.drop_path) == (0.1, 0.2, 0.0)


@pytest.mark.long
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


@pytest.mark.long
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

    with pytest.raises(UsageError, match="the recipe colours does not fit the weights: drop_path skips a block"):
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


def test_training_on_jax_imports_neither_tensorflow_nor_torch() -> None:
    code = (
        "import sys, vitcam_training.fit.start, vitcam_training.fit.loop; "
        "print([name for name in ('tensorflow', 'torch') if name in sys.modules])"
    )
    environment = os.environ | {"KERAS_BACKEND": "jax"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=120)

    assert done.stdout.strip() == "[]", done.stderr


def weights_of(folder: Path) -> Weights:
    return read_weights(folder / "weights.safetensors")


def without_seconds(folder: Path) -> list[list[str]]:
    with (folder / "log.csv").open(newline="") as file:
        return [[value for name, value in row.items() if name != "seconds"] for row in csv.DictReader(file)]


def assert_same(weights: Weights, wanted: Weights) -> None:
    assert weights.keys() == wanted.keys()
    for name in wanted:
        np.testing.assert_array_equal(weights[name], wanted[name], err_msg=name)
