"""A training that fits into a given time."""

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.training.pictures import RECIPE, write_pictures
from vitcam.errors import UsageError
from vitcam_training.fit.budget import PLAN, MeasuredPace, effort, epochs_within, measured, seldom_scored, within_budget
from vitcam_training.fit.loop import WEIGHTS
from vitcam_training.fit.progress.remaining import StageWork
from vitcam_training.fit.session import parse_budget
from vitcam_training.fit.start import opened, train
from vitcam_training.recipes.recipe import Recipe, read_recipe


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    write_pictures(tmp_path / "photos", each=20, side=32)
    (tmp_path / "colours.toml").write_text(RECIPE.format(photos=tmp_path / "photos", epochs=8))
    return read_recipe(tmp_path / "colours.toml")


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("10m", 600), ("1.5h", 5400), (" 2m ", 120)])
def test_a_budget_is_a_number_and_a_unit(text: str, seconds: float) -> None:
    assert parse_budget(text) == seconds


@pytest.mark.parametrize("text", ["10", "0m", "-5m", "m", "ten minutes", ""])
def test_what_is_no_time_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UsageError, match="give a number and s, m or h, such as 10m"):
        parse_budget(text)


def test_scorings_and_the_beginning_take_their_part_of_the_time() -> None:
    work = StageWork(epochs=15, steps=50, photos=16, scored=200)
    pace = MeasuredPace(begin_s=20, step_s=0.4, score_s=0.01, save_s=1.0)

    assert epochs_within(600, pace, work) == 22, "(600 · 0.9 - 20) / (50 · 0.4 + 200 · 0.01 + 1)"
    assert epochs_within(600, pace, replace(work, score_every=5)) == 24
    assert epochs_within(45, pace, work) == 0


def test_scorings_of_many_photos_come_seldom() -> None:
    work = StageWork(epochs=15, steps=10, photos=16, scored=700)
    pace = MeasuredPace(begin_s=20, step_s=1.0, score_s=0.03, save_s=1.0)

    assert seldom_scored(pace, work) == 21, "21 s of scoring for 210 s of steps"
    assert seldom_scored(pace, replace(work, scored=20)) == 1
    assert seldom_scored(pace, replace(work, scored=20, score_every=5)) == 5


@pytest.mark.slow("training/fit")
def test_a_training_ends_within_its_budget_and_uses_most_of_it(recipe: Recipe, tmp_path: Path) -> None:
    budget_s = 40.0
    deadline_s = time.monotonic() + budget_s
    fitted = within_budget(recipe, None, tmp_path / "run", opened(recipe), deadline_s)
    train(fitted, None, tmp_path / "run", opened(recipe))

    assert fitted.train.epochs > recipe.train.epochs, "eight epochs take a few seconds"
    assert time.monotonic() < deadline_s + 0.5 * budget_s, "the tests beside this one may take the processor away"
    assert (tmp_path / "run" / WEIGHTS).exists()


def test_the_same_command_continues_with_the_epochs_of_the_beginning(recipe: Recipe, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    first = within_budget(recipe, None, folder, opened(recipe), time.monotonic() + 200)
    second = within_budget(recipe, None, folder, opened(recipe), time.monotonic() + 2000)

    assert json.loads((folder / PLAN).read_text())["epochs"] == first.train.epochs
    assert second == first


def test_the_learning_rate_rises_in_a_tenth_of_a_short_training(recipe: Recipe, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / PLAN).write_text('{"epochs": 4, "score_every": 2}')
    long = replace(recipe, train=replace(recipe.train, warmup_epochs=5.0))
    fitted = within_budget(long, None, tmp_path / "run", opened(recipe), 0.0)

    assert (fitted.train.epochs, fitted.train.warmup_epochs, fitted.train.score_every) == (4, 0.4, 2)


def test_a_time_in_which_no_epoch_fits_is_refused_and_says_how_long_one_takes(recipe: Recipe, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"one epoch of colours takes about \d+\.\d minutes here, and 0\.0 are left"):
        within_budget(recipe, None, tmp_path / "run", opened(recipe), time.monotonic() + 0.1)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("plan", ["", "{", "[]", "{}", '{"epochs": "many"}', '{"epochs": null}'])
def test_a_damaged_plan_is_one_sentence(recipe: Recipe, tmp_path: Path, plan: str) -> None:
    (tmp_path / PLAN).write_text(plan)

    with pytest.raises(UsageError, match=r"budget\.json cannot be read \(.*\); delete it"):
        within_budget(recipe, None, tmp_path, opened(recipe), time.monotonic() + 60)


def test_few_photos_that_an_epoch_shows_often_are_measured(recipe: Recipe) -> None:
    dataset = opened(recipe)
    few = replace(dataset, parts=dataset.parts | {"train": dataset.parts["train"][:4]})
    often = replace(recipe, train=replace(recipe.train, per_label=40))
    pace, work = measured(often, None, few, tried=3)

    assert len(few.parts["train"]) < recipe.train.batch_size <= work.steps * recipe.train.batch_size
    assert pace.step_s > 0


def test_too_few_photos_are_refused_with_their_number(recipe: Recipe) -> None:
    dataset = opened(recipe)
    few = replace(dataset, parts=dataset.parts | {"train": dataset.parts["train"][:3]})

    with pytest.raises(UsageError, match="3 photos to train on do not fill a batch"):
        measured(recipe, None, few)


def test_a_recipe_of_several_stages_is_refused(recipe: Recipe, tmp_path: Path) -> None:
    staged = replace(recipe, before=(recipe,))

    with pytest.raises(UsageError, match="has several stages; --budget is for recipes of one stage"):
        within_budget(staged, None, tmp_path / "run", opened(recipe), time.monotonic() + 60)


def test_measuring_leaves_nothing_behind(recipe: Recipe, tmp_path: Path) -> None:
    before = set(tmp_path.rglob("*"))
    pace, work = measured(recipe, None, opened(recipe))

    assert pace.begin_s > pace.step_s > 0
    assert pace.score_s > 0
    assert pace.save_s > 0
    assert work.epochs == recipe.train.epochs
    assert set(tmp_path.rglob("*")) == before


def test_a_dry_run_says_what_every_stage_and_all_would_take(recipe: Recipe, tmp_path: Path) -> None:
    before = set(tmp_path.rglob("*"))
    staged = replace(recipe, before=(replace(recipe, train=replace(recipe.train, epochs=2)),))
    found = effort(staged, None, opened(recipe))
    lines = found.text.splitlines()

    assert [stage.epochs for _, stage in found.stages] == [2, 8]
    assert len(lines) == 3
    assert lines[1].endswith("steps, 8 epochs")
    assert lines[2].startswith("about ")
    assert found.memory_bytes > 1e8
    assert set(tmp_path.rglob("*")) == before
