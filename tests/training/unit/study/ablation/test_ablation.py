import json
from dataclasses import asdict, replace
from pathlib import Path

import keras
import numpy as np
import pytest

from vitcam.errors import VitcamError
from vitcam_training.data.dataset import Dataset, Sample
from vitcam_training.fit.prepare import prepare
from vitcam_training.fit.session import Session
from vitcam_training.recipes.presets import count_parameters
from vitcam_training.recipes.recipe import Recipe, read_recipe
from vitcam_training.study.ablation import worker
from vitcam_training.study.ablation.page import findings, write_page
from vitcam_training.study.ablation.rows import BASE, ROWS, chosen
from vitcam_training.study.ablation.rows import RECIPE as BASE_RECIPE
from vitcam_training.study.ablation.shuffle import shuffled
from vitcam_training.study.ablation.sweep import AblationJob, Result, Sweep, jobs, unfinished
from vitcam_training.study.ablation.worker import run
from vitcam_training.study.runs import add_result, read_results
from vitcam_training.weights.checkpoints import read_weights

pytestmark = pytest.mark.slow("training/study/ablation", "training/fit")

RECIPE = read_recipe(BASE_RECIPE)


def digits(count: int = 24, seed: int = 0) -> Dataset:
    """Noise with a bright quarter: labels 0 to 3 say which."""
    rng = np.random.default_rng(seed)
    samples = []
    for i in range(count):
        pixels = rng.integers(0, 100, (28, 28, 3)).astype(np.uint8)
        top, left = 14 * (i % 4 // 2), 14 * (i % 2)
        pixels[top : top + 14, left : left + 14] += 150
        samples.append(Sample(Path(f"{i}.png"), i % 4, pixels))
    return Dataset("quarters", tuple("0123"), {"train": tuple(samples), "heldout": tuple(samples[:8])})


def short() -> Recipe:
    return replace(RECIPE, train=replace(RECIPE.train, epochs=2, batch_size=8))


def result(row: str, seed: int, accuracy: float, shuffled_accuracy: float = 0.5, settings: str = "same") -> Result:
    return Result(row, seed, settings, 40_618, 0.99, accuracy, 0.1, shuffled_accuracy, 60.0, 50.0)


def test_every_row_is_a_network_that_can_be_built_with_a_reason_to_be_asked() -> None:
    for row in ROWS:
        recipe = row.recipe(RECIPE, seed=3)
        changed = recipe != BASE.recipe(RECIPE, 3) or not row.scaled or row.convolution
        assert count_parameters(recipe.model.config(10)) > 10_000, row.name
        assert row is BASE or (changed and any(char.isdigit() for char in row.because)), "it names a source"


def test_a_finished_run_is_not_run_again_unless_its_settings_changed(tmp_path: Path) -> None:
    wanted = jobs(chosen(["relu"]), RECIPE, seeds=2)
    for job in wanted[:3]:
        add_result(tmp_path / "runs.jsonl", result(job.row.name, job.recipe.seed, 0.9, settings=job.settings))
    kept = read_results(tmp_path / "runs.jsonl", Result)
    longer = jobs(chosen(["relu"]), replace(RECIPE, train=replace(RECIPE.train, epochs=16)), seeds=2)

    assert unfinished(wanted, kept) == wanted[3:]
    assert unfinished(longer, kept) == longer
    assert len({job.name for job in wanted + longer}) == 8, "no two share a folder"


def test_a_line_that_was_cut_off_is_run_again_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    first, second = result("base", 1, 0.9), result("base", 2, 0.8)
    path.write_text(json.dumps(asdict(first)) + "\n" + json.dumps(asdict(second))[:30])

    assert read_results(path, Result) == [first]
    add_result(path, second)
    assert read_results(path, Result) == [first, second]


def test_the_page_has_a_line_and_a_mark_for_each_row_with_all_its_seeds(tmp_path: Path) -> None:
    shares = {"base": (0.96, 0.961, 0.962), "relu": (0.95, 0.951, 0.952), "heads-2": (0.9,)}
    results = [result(row, seed, share) for row, each in shares.items() for seed, share in enumerate(each, 1)]
    results[:2] = [replace(each, backend=backend) for each, backend in zip(results, ("torch", "jax"), strict=False)]
    found = findings(ROWS, results, seeds=3)
    write_page(tmp_path / "ablation.md", found, "the command", 7200.0)
    page = (tmp_path / "ablation.md").read_text()

    assert [each.row.name for each in found] == ["base", "relu"]
    assert "| ReLU | 40,618 | 95.10 ± 0.10 | -1.00 ± 0.23 | 99.00 | 50.00 |" in page
    assert "$ the command" in page
    assert "2.00 hours of processor time, each on one core, on jax and torch." in page
    assert (tmp_path / "ablation.svg").is_file()


def test_patches_are_shuffled_in_the_test_and_never_in_training(tmp_path: Path) -> None:
    data = digits()
    before = [sample.pixels.copy() for sample in data.parts["heldout"] if sample.pixels is not None]
    found = run(AblationJob(BASE, BASE.recipe(short(), 1)), tmp_path / "ablated", data)
    plain = prepare(BASE.recipe(short(), 1), None, tmp_path / "plain", data)
    plain.train(Session(quiet=True))
    expected = read_weights(tmp_path / "plain" / "weights.safetensors")

    for name, array in read_weights(tmp_path / "ablated" / "weights.safetensors").items():
        np.testing.assert_array_equal(array, expected[name], err_msg=name)
    assert found.accuracy == plain.score(data.parts["heldout"]).accuracy
    assert found.backend == keras.backend.backend()
    assert found.shuffled_accuracy == plain.score(shuffled(data.parts["heldout"], RECIPE.spec, 7)).accuracy
    for sample, pixels in zip(data.parts["heldout"], before, strict=True):
        np.testing.assert_array_equal(sample.pixels, pixels)


def test_a_run_that_fails_is_named_with_the_reason_and_the_place_of_the_rest(tmp_path: Path) -> None:
    sweep = Sweep(RECIPE, ("absent",), (BASE,), 1, tmp_path, Result, worker.__name__)

    with pytest.raises(VitcamError, match=r"base-1-.*'absent'.*base-1-\w+\.log"):
        list(sweep.run())
