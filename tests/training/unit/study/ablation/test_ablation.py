import json
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import numpy as np
import pytest

from tests.training.unit.nets import Floats, small_vit
from vitcam.errors import UsageError, VitcamError
from vitcam_training.data.dataset import Dataset, Sample
from vitcam_training.fit.prepare import prepare
from vitcam_training.fit.session import Session
from vitcam_training.recipes.presets import count_parameters
from vitcam_training.recipes.recipe import Recipe, read_recipe
from vitcam_training.study.ablation import worker
from vitcam_training.study.ablation.findings import (
    VERDICTS,
    AblationFinding,
    effect,
    findings,
    margin,
    sentence,
    shuffling,
)
from vitcam_training.study.ablation.page import write_page
from vitcam_training.study.ablation.rows import BASE, ROWS, chosen
from vitcam_training.study.ablation.rows import RECIPE as BASE_RECIPE
from vitcam_training.study.ablation.shuffle import shuffle, shuffled
from vitcam_training.study.ablation.sweep import AblationJob, Conditions, Result, Sweep, jobs, unfinished
from vitcam_training.study.ablation.worker import run
from vitcam_training.study.convolution.config import ConvolutionConfig
from vitcam_training.study.runs import add_result, read_results
from vitcam_training.weights.checkpoints import read_weights

pytestmark = pytest.mark.slow("training/study/ablation", "training/fit")

RECIPE = read_recipe(BASE_RECIPE)
ROW = {row.name: row for row in ROWS}


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


def found(row: str, *accuracies: float, shuffled_accuracy: float = 50.0) -> AblationFinding:
    return AblationFinding(ROW[row], 40_618, accuracies, 99.0, shuffled_accuracy)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_row_is_a_network_that_can_be_built_with_a_reason_to_be_asked(row: object) -> None:
    assert isinstance(row, type(BASE))
    recipe = row.recipe(RECIPE, seed=3)

    assert count_parameters(recipe.model.config(10)) > 10_000
    assert recipe.seed == 3
    assert row is BASE or recipe != BASE.recipe(RECIPE, 3) or not row.scaled or row.convolution, "it changes something"
    assert row is BASE or any(char.isdigit() for char in row.because), "it names a source"


def test_the_table_asks_every_question_that_the_page_promises() -> None:
    changed = {name for row in ROWS for name in (*row.model, *row.train)} | {"scaled" for row in ROWS if not row.scaled}

    assert len({row.name for row in ROWS}) == len({row.title for row in ROWS}) == len(ROWS)
    assert changed >= {"position", "norm", "activation", "decoupled", "scaled", "dropout", "label_smoothing", "heads"}
    assert changed >= {"attention_dropout", "qkv_bias", "head_hidden", "schedule", "residual", "head_width"}
    assert {row.model["position"] for row in ROWS if "position" in row.model} == {"none", "sincos", "random"}
    assert {row.model["norm"] for row in ROWS if "norm" in row.model} == {"post", "none"}
    assert {row.model["dropout"] for row in ROWS if "dropout" in row.model} == {0.1, 0.2}
    assert {row.model["depth"] for row in ROWS if "depth" in row.model} >= {1, 2, 6}


def test_rows_are_chosen_by_name_and_the_base_always_comes_along() -> None:
    assert [row.name for row in chosen(["relu"])] == ["base", "relu"]
    assert chosen() == ROWS
    with pytest.raises(UsageError, match=r"no row is called 'rleu'; allowed: base, position-none"):
        chosen(["rleu"])


def test_a_finished_run_is_not_run_again_unless_its_settings_changed(tmp_path: Path) -> None:
    wanted = jobs(chosen(["relu"]), RECIPE, seeds=2)
    for job in wanted[:3]:
        add_result(tmp_path / "runs.jsonl", result(job.row.name, job.recipe.seed, 0.9, settings=job.settings))
    kept = read_results(tmp_path / "runs.jsonl", Result)
    longer = jobs(chosen(["relu"]), replace(RECIPE, train=replace(RECIPE.train, epochs=16)), seeds=2)

    assert unfinished(wanted, kept) == wanted[3:]
    assert unfinished(longer, kept) == longer
    assert len({job.name for job in wanted + longer}) == 8, "no two share a folder"


def test_an_option_that_was_added_since_and_left_alone_makes_no_run_another() -> None:
    @dataclass(frozen=True)
    class Later(Recipe):
        added: float = 0.0

    values = {f.name: getattr(RECIPE, f.name) for f in fields(RECIPE)}
    before, after, used = (
        AblationJob(BASE, recipe) for recipe in (RECIPE, Later(**values), Later(**values, added=1.0))
    )

    assert after.settings == before.settings
    assert used.settings != before.settings


def test_a_line_that_was_cut_off_is_run_again_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    first, second = result("base", 1, 0.9), result("base", 2, 0.8)
    path.write_text(json.dumps(asdict(first)) + "\n" + json.dumps(asdict(second))[:30])

    assert read_results(path, Result) == [first]
    add_result(path, second)
    assert read_results(path, Result) == [first, second]


@pytest.mark.parametrize("line", ["no JSON", '{"row": "base"}', "3"])
def test_a_file_of_something_else_is_refused_and_not_overwritten(tmp_path: Path, line: str) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text(line + "\n")

    with pytest.raises(UsageError, match="holds a line that is not a result"):
        read_results(path, Result)
    assert path.read_text() == line + "\n"


def test_a_difference_counts_only_where_the_seeds_can_show_it() -> None:
    base = found("base", 96.0, 96.1, 96.2)

    assert margin(found("relu", 95.0, 95.1, 95.2), base) == pytest.approx(2.776 * np.sqrt(2 * 0.01 / 3))
    assert effect(found("relu", 95.0, 95.1, 95.2), base) == "below"
    assert effect(found("relu", 97.0, 97.1, 97.2), base) == "above"
    assert effect(found("relu", 94.0, 96.0, 97.0), base) == "alike"


def test_the_sentence_follows_from_the_figures_and_says_where_they_disagree() -> None:
    base = found("base", 96.0, 96.1, 96.2)  # ReLU is expected below it, sin-cos alike, label smoothing above

    assert sentence(base, base) == "96.10 ± 0.10 %."
    assert sentence(found("relu", 95.0, 95.1, 95.2), base) == "1.00 ± 0.23 points below the base: as expected."
    assert sentence(found("relu", 97.0, 97.1, 97.2), base).endswith(
        "above the base: the opposite of what was expected."
    )
    assert sentence(found("position-sincos", 96.0, 96.1, 96.3), base) == (
        "within the spread of 3 seeds (+0.03 ± 0.29 points): no difference was expected, and none showed."
    )
    assert sentence(found("position-sincos", 97.0, 97.1, 97.2), base).endswith("better, against the expectation.")
    assert sentence(found("smoothing", 95.8, 96.1, 96.3), base).endswith("the expected gain did not show.")


def test_a_training_that_was_to_fail_is_judged_by_what_it_learned_and_not_by_its_place() -> None:
    base, place = found("base", 94.0, 94.1, 94.2), (92.6, 92.7, 92.8)
    learned = found("norm-post-cold", *place)
    lost = replace(found("norm-post-cold", 11.0, 9.8, 10.1), trained=11.2)

    assert sentence(learned, base) == (
        "1.40 ± 0.23 points below the base: it did not fail, the last epoch had 99.00 % of its training photos right."
    )
    assert sentence(lost, base).endswith(
        "below the base: it failed, as expected, the last epoch had 11.20 % of its training photos right."
    )
    assert sentence(replace(learned, accuracies=(94.0, 94.1, 94.3)), base).startswith("within the spread of 3 seeds")


def test_as_expected_is_said_of_a_difference_alone() -> None:
    assert {pair for pair, verdict in VERDICTS.items() if verdict == "as expected"} == {
        ("below", "below"), ("above", "above"),
    }  # fmt: skip


def test_there_is_a_verdict_on_every_pair_of_expected_and_found() -> None:
    kinds = ("below", "alike", "above")

    assert set(VERDICTS) == {(expected, seen) for expected in kinds for seen in kinds}


def test_a_row_is_reported_only_when_all_its_seeds_are_there() -> None:
    results = [result("base", 2, 0.96), result("base", 1, 0.95), result("relu", 1, 0.9)]
    (only,) = findings(ROWS, results, seeds=2)

    assert only.row is BASE
    assert only.accuracies == (95.0, 96.0), "in the order of the seeds"
    assert only.shuffled == 50.0
    assert shuffling(only) == "Shuffled patches leave 50.00 %."
    assert shuffling(found("mean-none", 95.0, 96.0, shuffled_accuracy=95.5)) == "Shuffled patches change nothing."


def test_the_page_and_its_plot_are_the_same_for_the_same_figures(tmp_path: Path) -> None:
    rows = [found("base", 96.0, 96.1, 96.2), found("relu", 95.0, 95.1, 95.2), found("heads-2", 96.0, 96.1, 96.3)]
    conditions = Conditions("the command", "2026-01-02", "a machine", 15, 3, 10_000, 1.2, 2)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write_page(tmp_path / name / "ablation.md", rows, conditions)
    page = (tmp_path / "one" / "ablation.md").read_text()

    assert "| ReLU | 40,618 | 95.10 ± 0.10 | -1.00 | 99.00 | 50.00 |" in page
    assert "36 minutes on 2 cores" in page
    assert f"These are 3 of {len(ROWS)} rows; without `--rows` the command runs all." in page
    assert page.index("## Activation") < page.index("Hendrycks") < page.index("## Heads and blocks")
    for name in ("ablation.md", "ablation.svg"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_shuffling_keeps_every_patch_and_moves_those_of_each_picture_differently() -> None:
    image = np.repeat(np.arange(28 * 28, dtype=np.uint16).reshape(28, 28, 1) % 251, 3, axis=-1).astype(np.uint8)
    rng = np.random.default_rng(0)
    one, two = (shuffle(image, 7, rng) for _ in range(2))

    def patches(picture: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> list[bytes]:
        return [picture[y : y + 7, x : x + 7].tobytes() for y in range(0, 28, 7) for x in range(0, 28, 7)]

    assert sorted(patches(one)) == sorted(patches(two)) == sorted(patches(image))
    assert len({b"".join(patches(picture)) for picture in (image, one, two)}) == 3


def test_the_convolutional_row_is_as_large_as_the_base_and_has_runs_of_its_own() -> None:
    row = ROW["convolution"]
    assert row.convolution is not None
    config = RECIPE.model.config(10)
    parameters = ConvolutionConfig(row.convolution, config).parameters
    job, base = (AblationJob(each, each.recipe(RECIPE, 1)) for each in (row, BASE))

    assert parameters == pytest.approx(count_parameters(config), rel=0.02)
    assert job.settings != base.settings


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
    assert found.shuffled_accuracy == plain.score(shuffled(data.parts["heldout"], RECIPE.spec, 7)).accuracy
    for sample, pixels in zip(data.parts["heldout"], before, strict=True):
        np.testing.assert_array_equal(sample.pixels, pixels)


def test_a_convolutional_run_is_trained_by_the_same_loop_and_continues_where_it_stopped(tmp_path: Path) -> None:
    job = AblationJob(ROW["convolution"], ROW["convolution"].recipe(short(), 1))
    assert job.row.convolution is not None
    expected = ConvolutionConfig(job.row.convolution, RECIPE.model.config(4)).parameters
    whole = run(job, tmp_path / "whole", digits())
    first = AblationJob(job.row, replace(job.recipe, train=replace(job.recipe.train, epochs=1)))
    run(first, tmp_path / "halved", digits())
    run(job, tmp_path / "halved", digits())
    names = set(read_weights(tmp_path / "whole" / "weights.safetensors"))

    assert whole.parameters == expected
    assert (tmp_path / "halved" / "log.csv").read_text().count("\n") == 3
    assert {"convolution0/kernel", "norm3/gamma", "head/bias"} <= names


def test_without_positions_and_with_mean_pooling_the_order_of_patches_cannot_matter() -> None:
    def answers(row: str) -> tuple[Floats, Floats]:
        vit = small_vit(ROW[row].recipe(RECIPE, 1).model.config(10))
        images = np.stack([s.pixels for s in digits().parts["heldout"] if s.pixels is not None])
        rng = np.random.default_rng(0)
        mixed = np.stack([shuffle(image, 7, rng) for image in images])
        return np.asarray(vit(images)[0]), np.asarray(vit(mixed)[0])

    np.testing.assert_allclose(*answers("mean-none"), atol=1e-4)
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(*answers("mean"), atol=1e-2)


def test_scores_that_are_not_scaled_are_plain_products_of_queries_and_keys() -> None:
    config = RECIPE.model.config(10)
    vit, folded = small_vit(config, scaled=False), small_vit(config)
    images = np.stack([s.pixels for s in digits().parts["heldout"] if s.pixels is not None])
    scaled = np.asarray(folded(images)[0])
    for block in folded.blocks:  # the same by other means: queries √d_k longer, scaled as ever
        block.attention.query.kernel.assign(block.attention.query.kernel * 8**0.5)
        block.attention.query.bias.assign(block.attention.query.bias * 8**0.5)

    np.testing.assert_allclose(np.asarray(vit(images)[0]), np.asarray(folded(images)[0]), atol=1e-4)
    assert np.abs(np.asarray(vit(images)[0]) - scaled).max() > 0.01


def test_a_run_that_fails_is_named_with_the_reason_and_the_place_of_the_rest(tmp_path: Path) -> None:
    sweep = Sweep(RECIPE, ("absent",), (BASE,), 1, tmp_path, Result, worker.__name__)

    with pytest.raises(VitcamError, match=r"base-1-.*'absent'.*base-1-\w+\.log"):
        list(sweep.run())


def test_a_table_without_work_left_starts_no_process(tmp_path: Path) -> None:
    assert list(Sweep(RECIPE, ("absent",), (), 1, tmp_path, Result, worker.__name__).run()) == []
