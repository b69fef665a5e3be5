import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.refusals import naming
from tests.training.unit.fit.three_colours import After, assert_same, run, weights_of, without_seconds
from vitcam.errors import UsageError
from vitcam.frames import Image
from vitcam_training.data import batches
from vitcam_training.data.dataset import Sample, photo_of
from vitcam_training.fit.prepare import train
from vitcam_training.fit.session import Session, Stopped
from vitcam_training.recipes.recipe import Recipe
from vitcam_training.weights.metadata import PLANNED, read_metadata

pytestmark = pytest.mark.slow("training/fit", "training/vit.py")
SLOW = pytest.mark.slow("training/fit")


@pytest.mark.parametrize("times", [1, 6, *(pytest.param(times, marks=SLOW) for times in (3, 5, 8))])
def test_a_run_stopped_anywhere_goes_on_to_exactly_the_same_weights_and_log(
    recipe: Recipe, tmp_path: Path, whole: Path, times: int
) -> None:
    """Asked once before each epoch, after each of its 4 steps, and after each batch that is scored."""
    with pytest.raises(Stopped, match=naming("enough", "of 3", "of 4", "saved in")):
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


def test_a_folder_of_another_network_is_not_gone_on_with(recipe: Recipe, whole: Path) -> None:
    wider = replace(recipe, model=replace(recipe.model, width=128, heads=2))

    with pytest.raises(UsageError, match="of another network or optimiser"):
        run(wider, whole)


def test_a_damaged_state_is_refused_with_what_to_do(recipe: Recipe, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "state.npz").write_bytes(b"PK\x03\x04 no archive")

    with pytest.raises(UsageError, match=r"state\.npz cannot be read .*; delete it to start again"):
        run(recipe, tmp_path / "run")


def test_a_stopped_epoch_is_not_gone_on_with_other_batches(recipe: Recipe, tmp_path: Path) -> None:
    with pytest.raises(Stopped):
        run(recipe, tmp_path / "run").train(Session(stop=After(2)))
    larger = replace(recipe, train=replace(recipe.train, batch_size=12))

    with pytest.raises(UsageError, match=naming("step 2", "of 4", "has 2")):
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
