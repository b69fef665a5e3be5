"""A training that fits into a given time."""

import json
import logging
import math
import os
import signal
import time
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from tests.refusals import naming
from tests.training.unit.nets import SMALL, small_vit
from tests.training.unit.pictures import RECIPE, write_pictures
from vitcam.errors import UsageError, VitcamError
from vitcam.frames import Image
from vitcam.pictures.resize import InputSpec
from vitcam_training.data.dataset import Dataset, Sample
from vitcam_training.fit.budget import (
    PLAN,
    MeasuredPace,
    TooSlow,
    effort,
    epochs_within,
    measured,
    seldom_scored,
    within_budget,
)
from vitcam_training.fit.logs import read_log
from vitcam_training.fit.loop import WEIGHTS
from vitcam_training.fit.prepare import opened, train
from vitcam_training.fit.remaining import StageWork
from vitcam_training.fit.session import Deadline, Session, parse_budget
from vitcam_training.recipes.recipe import Recipe, read_recipe
from vitcam_training.weights.checkpoints import save_weights, to_timm
from vitcam_training.weights.metadata import Metadata

pytestmark = pytest.mark.slow("training/fit", "training/vit.py")


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
    fitted, deadline = within_budget(recipe, None, tmp_path / "run", opened(recipe), deadline_s)
    train(fitted, None, tmp_path / "run", opened(recipe), Session(deadline=deadline))

    assert len(read_log(tmp_path / "run")) > recipe.train.epochs, "eight epochs take a few seconds"
    assert time.monotonic() < deadline_s + 0.5 * budget_s, "the tests beside this one may take the processor away"
    assert (tmp_path / "run" / WEIGHTS).exists()


def test_the_same_command_continues_with_the_epochs_of_the_beginning(recipe: Recipe, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    first, _ = within_budget(recipe, None, folder, opened(recipe), time.monotonic() + 200)
    second, _ = within_budget(recipe, None, folder, opened(recipe), time.monotonic() + 2000)

    assert json.loads((folder / PLAN).read_text())["epochs"] == first.train.epochs
    assert second == first


def test_the_learning_rate_rises_in_a_tenth_of_a_short_training(recipe: Recipe, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / PLAN).write_text('{"epochs": 4, "score_every": 2}')
    long = replace(recipe, train=replace(recipe.train, warmup_epochs=5.0))
    fitted, _ = within_budget(long, None, tmp_path / "run", opened(recipe), 0.0)

    assert (fitted.train.epochs, fitted.train.warmup_epochs, fitted.train.score_every) == (4, 0.4, 2)


def test_where_no_epoch_fits_pretrained_weights_get_a_new_head_alone(
    recipe: Recipe, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    weights = pretrained(tmp_path)
    ends_s = time.monotonic() + 0.1
    fitted, deadline = within_budget(recipe, weights, tmp_path / "run", opened(recipe), ends_s)
    again, _ = within_budget(recipe, weights, tmp_path / "run", opened(recipe), ends_s)

    assert fitted.train.frozen_blocks == SMALL.depth
    assert "the head alone is trained" in caplog.text
    assert again == fitted
    assert deadline.ends_s == ends_s


def test_where_no_epoch_fits_and_nothing_is_pretrained_a_part_of_the_photos_is_trained_on(
    recipe: Recipe, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    fitted, deadline = within_budget(recipe, None, tmp_path / "run", opened(recipe), time.monotonic() + 0.1)
    with caplog.at_level(logging.INFO):
        train(fitted, None, tmp_path / "run", opened(recipe), Session(deadline=deadline))
    rows = read_log(tmp_path / "run")

    assert fitted.train.frozen_blocks == 0
    assert "as many photos as there is time for" in caplog.text
    assert "the time is up in the midst of epoch 1" in caplog.text
    assert (tmp_path / "run" / WEIGHTS).exists()
    assert len(rows) == 1
    assert rows[0]["test_accuracy"], "it is scored"


def test_a_run_that_was_cut_short_is_over_for_the_same_command(
    recipe: Recipe, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(2):
        fitted, deadline = within_budget(recipe, None, tmp_path / "run", opened(recipe), time.monotonic() + 0.1)
        with caplog.at_level(logging.INFO):
            train(fitted, None, tmp_path / "run", opened(recipe), Session(deadline=deadline))

    assert len(read_log(tmp_path / "run")) == 1
    assert "nothing is left to train" in caplog.text
    assert "other settings" not in caplog.text


def test_a_run_that_becomes_slower_than_planned_has_fewer_epochs(recipe: Recipe, tmp_path: Path) -> None:
    noted: list[int] = []
    long = replace(recipe, train=replace(recipe.train, epochs=100_000))
    deadline = Deadline(time.monotonic() + 8, 0.5, noted.append)
    train(long, None, tmp_path / "run", opened(recipe), Session(deadline=deadline))

    assert 1 <= len(read_log(tmp_path / "run")) == noted[-1] < 100_000


@pytest.mark.parametrize(
    ("behind", "left_s", "expected"),
    [
        (1, 90.0, 10), (1, 180.0, 6), (1, 1e6, 2), (1, 45.0, 21), (6, 20.0, 10), (5, 50.0, 10), (6, 80.0, 8),
        (10, 0.0, 10), (3, None, 10),
    ],
)  # fmt: skip
def test_epochs_are_planned_again_by_the_time_that_those_to_come_would_take(
    behind: int, left_s: float | None, expected: int
) -> None:
    deadline = Deadline(ends_s=100.0, finish_s=1.0, note=lambda _: None)

    assert deadline.epochs(10, behind, left_s, now_s=0.0 if behind < 5 else 50.0) == expected


def pretrained(folder: Path) -> Path:
    """A network as `vitcam-train import` writes it."""
    path = folder / "pretrained.safetensors"
    about = Metadata("p", "", tuple("abcde"), InputSpec(*SMALL.image_size), network=asdict(SMALL))
    save_weights(path, to_timm(small_vit()), about)
    return path


def test_measuring_gives_up_after_its_time(recipe: Recipe) -> None:
    with pytest.raises(TooSlow):
        measured(recipe, None, opened(recipe), limit_s=time.monotonic())


def interrupting(recipe: Recipe) -> Dataset:
    """The photos of a recipe, the first of which to be shown is answered by Ctrl-C."""
    dataset = opened(recipe)

    first = iter([signal.SIGINT])

    def render() -> Image:
        for number in first:
            os.kill(os.getpid(), number)
        return np.zeros((32, 32, 3), np.uint8)

    samples = tuple(Sample(each.path, each.label, render=render) for each in dataset.parts["train"])
    return replace(dataset, parts=dataset.parts | {"train": samples})


@pytest.mark.parametrize("limit_s", [math.inf, 0.0])
def test_an_interrupt_while_the_pace_is_measured_is_one_sentence(recipe: Recipe, limit_s: float) -> None:
    with pytest.raises(VitcamError, match=naming("interrupted", "the pace", "nothing is kept")) as raised:
        measured(recipe, None, interrupting(recipe), limit_s=limit_s)

    assert raised.value.exit_code == 1


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

    with pytest.raises(UsageError, match=naming("several stages", "--budget")):
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
