"""What a training takes here, said before it and after its first steps, and how many epochs it shall have."""

import logging
from dataclasses import replace
from pathlib import Path

import pytest

from tests.refusals import naming
from tests.training.unit.pictures import RECIPE, write_pictures
from vitcam.errors import UsageError
from vitcam_training.fit.effort import MeasuredPace, effort
from vitcam_training.fit.logs import read_log
from vitcam_training.fit.optimiser import learning_rate
from vitcam_training.fit.prepare import lasting, opened, train
from vitcam_training.fit.remaining import StageWork
from vitcam_training.recipes.recipe import Recipe, read_recipe

pytestmark = pytest.mark.slow("training/fit", "training/vit.py")


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    write_pictures(tmp_path / "photos", each=20, side=32)
    (tmp_path / "colours.toml").write_text(RECIPE.format(photos=tmp_path / "photos", epochs=8))
    return read_recipe(tmp_path / "colours.toml")


def test_an_epoch_takes_its_steps_and_its_share_of_the_scorings() -> None:
    work = StageWork(epochs=15, steps=50, photos=16, scored=200)
    pace = MeasuredPace(begin_s=20, step_s=0.4, score_s=0.01)

    assert pace.epoch_s(work) == pytest.approx(22)
    assert pace.epoch_s(replace(work, score_every=5)) == pytest.approx(20.4)


def test_a_dry_run_says_what_every_stage_and_all_would_take_and_leaves_nothing(recipe: Recipe, tmp_path: Path) -> None:
    before = set(tmp_path.rglob("*"))
    dataset = opened(recipe)
    short = replace(recipe, train=replace(recipe.train, epochs=2, batch_size=len(dataset.parts["train"])))
    found = effort(replace(recipe, before=(short,)), None, dataset)
    lines = found.text.splitlines()

    assert [stage.epochs for _, stage in found.stages] == [2, 8]
    assert found.stages[0][1].steps == 1, "a stage of one step is measured, too"
    assert all(pace.begin_s > pace.step_s > 0 for pace, _ in found.stages)
    assert all(pace.score_s > 0 for pace, _ in found.stages)
    assert lines[1].endswith("steps, 8 epochs")
    assert lines[2].startswith("about ")
    assert found.memory_bytes > 1e8
    assert set(tmp_path.rglob("*")) == before


def test_too_few_photos_are_refused_with_their_number(recipe: Recipe) -> None:
    dataset = opened(recipe)
    few = replace(dataset, parts=dataset.parts | {"train": dataset.parts["train"][:3]})

    with pytest.raises(UsageError, match="3 photos to train on do not fill a batch"):
        effort(recipe, None, few)


def test_a_run_says_once_after_its_first_steps_how_long_it_takes(
    recipe: Recipe, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        train(lasting(recipe, 2), None, tmp_path / "run", opened(recipe))
    told = [line for line in caplog.messages if line.startswith("an epoch takes about ")]

    assert len(told) == 1
    assert told[0].endswith(" left in all")
    assert len(read_log(tmp_path / "run")) == 2


def test_the_learning_rate_has_the_same_course_in_another_number_of_epochs(recipe: Recipe) -> None:
    usual = replace(recipe, train=replace(recipe.train, warmup_epochs=2.0, schedule_epochs=16))
    longer = lasting(usual, 80)

    assert (longer.train.epochs, longer.train.warmup_epochs, longer.train.schedule_epochs) == (80, 20.0, 160)
    for step in (1, 15, 40, 79):
        assert learning_rate(10 * step + 9, 10, longer.train) == pytest.approx(
            learning_rate(step, 10, usual.train), rel=0.02
        )
    assert lasting(usual, None) == usual
    with pytest.raises(UsageError, match=naming("several stages", "--epochs", "a copy of its file")):
        lasting(replace(recipe, before=(recipe,)), 3)
