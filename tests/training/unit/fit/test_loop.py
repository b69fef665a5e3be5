import csv
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import keras
import numpy as np
import pytest

from tests.training.unit.fit.three_colours import assert_same, run, weights_of
from vitcam.errors import VitcamError
from vitcam_training.fit.logs import COLUMNS
from vitcam_training.fit.prepare import train
from vitcam_training.fit.session import Session
from vitcam_training.recipes.recipe import Recipe
from vitcam_training.weights.metadata import read_metadata

SLOW = pytest.mark.slow("training/fit")


def test_training_learns_to_tell_three_colours_apart(recipe: Recipe, tmp_path: Path) -> None:
    longer = replace(recipe, train=replace(recipe.train, epochs=6))
    trained = run(longer, tmp_path / "run")
    before = trained.score(trained.stage.dataset.parts["heldout"])
    trained.train()
    after = trained.score(trained.stage.dataset.parts["heldout"])

    assert after.loss < 0.6 * before.loss
    assert after.accuracy > 0.9


@pytest.mark.parametrize("precision", ["float32", pytest.param("mixed_bfloat16", marks=SLOW)])
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


@pytest.mark.slow("training/fit")
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


def test_training_on_jax_imports_neither_tensorflow_nor_torch() -> None:
    code = (
        "import sys, vitcam_training.fit.prepare, vitcam_training.fit.loop; "
        "print([name for name in ('tensorflow', 'torch') if name in sys.modules])"
    )
    environment = os.environ | {"KERAS_BACKEND": "jax"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=120)

    assert done.stdout.strip() == "[]", done.stderr
