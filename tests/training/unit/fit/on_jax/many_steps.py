"""Many steps in one call, as an accelerator takes them: here the processor takes them, as slowly as ever."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.training.unit.fit.three_colours import assert_same, run, weights_of
from vitcam_training.fit import loop, many_steps
from vitcam_training.recipes.recipe import Recipe


def test_steps_of_one_call_train_what_single_steps_do(
    recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = replace(recipe, train=replace(recipe.train, epochs=2, warmup_epochs=1, clip_norm=1.0))
    run(short, tmp_path / "single").train()
    rooms = []

    def three(batch_bytes: int) -> int:
        rooms.append(batch_bytes)
        return 3  # no divisor of the steps of an epoch

    monkeypatch.setattr(loop, "batches_at_once", three)
    together = run(short, tmp_path / "together")
    assert together.stage.work.steps % 3
    together.train()

    assert len(rooms) == 2, "each epoch asks once"
    assert_same(weights_of(tmp_path / "together"), weights_of(tmp_path / "single"))
    columns = ("epoch", "train_loss", "train_accuracy", "test_loss", "learning_rate")
    logs = [
        [[line[name] for name in columns] for line in run(short, tmp_path / folder).log()]
        for folder in ("single", "together")
    ]
    assert logs[0] == logs[1]


def test_the_processor_takes_one_step_in_a_call() -> None:
    assert many_steps.batches_at_once(1000) == 1
