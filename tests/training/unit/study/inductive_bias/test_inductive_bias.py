"""The figures of inductive-bias.md: what is equal is found to be equal, and what is far is found to be far."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from tests.refusals import naming
from tests.training.unit.nets import SMALL, photos, small_about, small_vit
from tests.unit.docs.pages import ROOT
from vitcam.errors import UsageError
from vitcam_training.data.dataset import Dataset, Sample
from vitcam_training.recipes.presets import count_parameters, preset
from vitcam_training.study.ablation.rows import ROWS
from vitcam_training.study.convolution.config import ConvolutionConfig
from vitcam_training.study.inductive_bias.distance import attention_distances, between_patches, mean_distances
from vitcam_training.study.inductive_bias.findings import FoundByRuns, difference_text, spread_text
from vitcam_training.study.inductive_bias.measure import BiasMeasurement, plan
from vitcam_training.study.inductive_bias.page import BiasConditions, curve_block, fill, moved_block
from vitcam_training.study.inductive_bias.parts import layer_errors, part_errors, reach
from vitcam_training.study.inductive_bias.plots import draw_curve, draw_distances, draw_moved
from vitcam_training.study.inductive_bias.runs import (
    BARE,
    CNN,
    CONTESTANTS,
    FINETUNED,
    SHARES,
    SHIFTS,
    VIT,
    BiasJob,
    BiasResult,
    jobs_of,
    unfinished,
)
from vitcam_training.study.inductive_bias.worker import moved, part_of, run
from vitcam_training.weights.checkpoints import save_weights, to_timm

pytestmark = pytest.mark.slow("training/study/inductive_bias", "training/study/convolution", "training/fit")

CONDITIONS = BiasConditions("python -m vitcam_training.study.inductive_bias", "2026-01-02", "a machine")


def trained(name: str, share: float, seed: int, accuracy: float) -> BiasResult:
    kept = [1.0, *[0.9] * len(SHIFTS)]
    changed = {"accuracy": kept, "agreement": kept} if share == 1.0 else {}
    settings = BiasJob(CONTESTANTS[name], share, seed).settings
    size = round(48_000 * share)
    return BiasResult(name, share, seed, settings, 81_850, size, 1125, 0.9, accuracy, 0.5, changed, 60.0, 50.0)


def colours(count: int = 40) -> Dataset:
    """Two labels of noise, one darker."""
    rng = np.random.default_rng(0)
    pictures = [rng.integers(0, 120 + 120 * (i % 2), (32, 32, 3)).astype(np.uint8) for i in range(count)]
    samples = tuple(Sample(Path(f"{i}.png"), i % 2, picture) for i, picture in enumerate(pictures))
    return Dataset("colours", ("dark", "light"), {"train": samples, "heldout": samples[:8]})


def test_attention_to_itself_is_no_distance_and_to_everything_the_mean_of_all() -> None:
    grid, count = (3, 4), 12
    itself = np.eye(count + 1)[None, None]
    everywhere = np.full((1, 1, count + 1, count + 1), 1 / (count + 1))

    assert mean_distances(itself, grid) == pytest.approx(0)
    assert mean_distances(everywhere, grid) == pytest.approx(between_patches(grid).mean())


def test_attention_to_the_neighbour_on_the_right_is_a_patch_far_in_shares_of_the_side() -> None:
    right = np.zeros((1, 1, 16, 16))
    for token in range(16):
        right[0, 0, token, token + 1 if token % 4 < 3 else token] = 1

    assert mean_distances(right, (4, 4)) == pytest.approx(0.25 * 12 / 16), "three of four have such a neighbour"


def test_the_distances_of_a_checkpoint_are_those_of_its_heads_block_by_block(tmp_path: Path) -> None:
    vit = small_vit()
    about = replace(small_about(), network=asdict(vit.config))
    save_weights(tmp_path / "net.safetensors", to_timm(vit), about)
    samples = [Sample(Path(f"{i}.png"), 0, image) for i, image in enumerate(photos(3))]
    found = attention_distances(tmp_path / "net.safetensors", "small", samples)
    draw_distances(tmp_path / "plot.svg", [found])

    expected = mean_distances(np.asarray(vit(photos(3))[1]["block01/attention"]), (4, 4)).mean(0)
    np.testing.assert_allclose(found.distances[1], expected, rtol=1e-4)
    assert found.distances.shape == (3, 2)
    assert (tmp_path / "plot.svg").is_file()


def test_the_parts_of_a_vit_are_equivariant_as_the_equations_say_and_positions_are_not() -> None:
    vit = small_vit(SMALL)
    errors = {(e.part, e.change): e for e in part_errors(photos(1), to_timm(vit), SMALL)}
    keeping = {key for key, error in errors.items() if error.equivariant}
    other_order = "tokens in another order"

    assert keeping == {
        ("patch embedding", "picture shifted by 8 px"),
        ("LayerNorm", other_order),
        ("attention", other_order),
        ("MLP", other_order),
        ("whole encoder without positions", "picture shifted by 8 px"),
    }
    assert errors["position encoding", other_order].error > 0.01
    assert errors["whole encoder", "picture shifted by 8 px"].error > 0.01


def test_a_convolution_is_equivariant_to_shifts_of_its_stride_and_to_no_smaller_ones() -> None:
    errors = {(e.part, e.change): e.equivariant for e in layer_errors(photos(2))}

    assert errors == {
        ("3 × 3 convolution, stride 1", "picture shifted by 1 px"): True,
        ("3 × 3 convolution, stride 2", "picture shifted by 1 px"): False,
        ("3 × 3 convolution, stride 2", "picture shifted by 2 px"): True,
    }


def test_one_patch_reaches_one_token_by_embedding_and_mlp_and_all_by_attention() -> None:
    weights = to_timm(small_vit(SMALL))
    weights["blocks.0.attn.qkv.weight"] *= 0.1  # else some weights of attention are too small to be seen
    found = reach(photos(1), weights, SMALL)

    assert found == {"patch embedding": 1, "MLP": 1, "attention": 17}


def test_a_moved_picture_is_the_same_some_pixels_to_the_right() -> None:
    image = photos(1)[0]

    np.testing.assert_array_equal(moved(image, 3)[:, 3:], image[:, :-3])
    np.testing.assert_array_equal(moved(image, 3)[:, :3], image[:, 3:0:-1])
    assert moved(image, 0) is image


def test_a_share_of_the_photos_has_as_many_of_each_label_and_lies_within_a_larger_one() -> None:
    tenth, half = (part_of(colours(), share, seed=1) for share in (0.1, 0.5))
    other = part_of(colours(), 0.1, seed=2)
    names = [{sample.path for sample in each.parts["train"]} for each in (tenth, half, other)]

    assert [sample.label for sample in tenth.parts["train"]] == [0, 0, 1, 1]
    assert names[0] < names[1]
    assert names[0] != names[2]
    assert tenth.parts["heldout"] == colours().parts["heldout"]
    assert part_of(colours(), 1.0, seed=1) == colours()


def test_the_networks_from_scratch_are_equally_large_and_no_positions_change_nothing_else() -> None:
    sizes = [count_parameters(each.recipe.model.config(10)) for each in (VIT, BARE)]
    assert CNN.convolution is not None
    convolutional = ConvolutionConfig(CNN.convolution, CNN.recipe.model.config(10)).parameters

    assert convolutional == pytest.approx(sizes[0], rel=0.02)
    assert sizes[0] - sizes[1] == 64 * 48


def test_the_page_gives_the_parameters_that_are_counted() -> None:
    (row,) = (each for each in ROWS if each.convolution)
    assert row.convolution is not None
    sizes = [replace(preset("digits", 10), image_size=(side, side)) for side in (28, 56, 224)]
    counts = [
        [ConvolutionConfig(row.convolution, size).parameters for size in sizes],
        list(map(count_parameters, sizes)),
    ]
    page = (ROOT / "training" / "study" / "inductive_bias" / "inductive-bias.md").read_text("utf-8")

    for numbers in counts:
        assert " | ".join(f"{number:,}" for number in numbers) in page


def test_every_share_of_the_photos_is_trained_for_as_many_steps() -> None:
    train = VIT.recipe.train

    assert train.per_label * 10 // train.batch_size * train.epochs == 1125
    assert train.score_every == train.epochs, "test photos are looked at in the end only"
    assert FINETUNED.recipe.train.per_label * 10 // FINETUNED.recipe.train.batch_size == 300


def test_a_finished_run_is_not_run_again_and_no_run_is_asked_for_twice() -> None:
    both = [*jobs_of("shift", 3), *jobs_of("curve", 3)]
    left = unfinished(both, [trained("vit", 1.0, 1, 0.6)])
    names = [job.name for job in left]

    assert len(jobs_of("shift", 3)) == 9
    assert len(jobs_of("curve", 3)) == 3 * (5 + 5 + 4), "the shipped model is the fine-tuned one of all photos"
    assert len(names) == len(set(names)) == 42 + 3 - 1
    assert (jobs_of("curve", 3)[0].seed, jobs_of("curve", 3)[0].share) == (1, SHARES[0]), "small shares come first"


def test_the_tables_name_what_is_not_measured_yet_and_say_where_seeds_show_nothing(tmp_path: Path) -> None:
    results = [
        trained(name, 1.0, seed, 0.5 + 0.1 * (name == "cnn") + 0.01 * seed)
        for name in ("vit", "cnn")
        for seed in (1, 2)
    ]
    found = FoundByRuns((*results, trained("vit", 0.01, 1, 0.3)))
    left = unfinished(jobs_of("curve", 2), results)
    draw_curve(tmp_path / "c.svg", found, 96.87)
    draw_moved(tmp_path / "m.svg", found)
    curve = curve_block(found, left, 96.87, tmp_path / "c.svg", CONDITIONS)
    shift = moved_block(found, [], tmp_path / "m.svg", CONDITIONS)

    assert "| 1% | 480 | 30.00 (one seed) | not measured yet |" in curve
    assert "| 51.50 ± 0.71 | 61.50 ± 0.71 | +10.00 ± 3.04 | 96.87 (the shipped model) |" in curve
    assert "ViT from scratch (1% of the photos, seeds 1, 2; 3% of the photos, seeds 1, 2;" in curve
    assert "| ViT from scratch | 81,850 | 51.50 ± 0.71 | 50.00 ± 0.00 | 90.0 |" in shift
    assert "Not measured yet" not in shift


def test_a_part_without_any_run_names_what_is_missing_and_shows_no_empty_table_or_plot(tmp_path: Path) -> None:
    for block in (
        moved_block(FoundByRuns(()), jobs_of("shift", 3), tmp_path / "m.svg", CONDITIONS),
        curve_block(FoundByRuns(()), jobs_of("curve", 3), 96.87, tmp_path / "c.svg", CONDITIONS),
    ):
        assert "Not measured yet: " in block
        assert "$ python -m vitcam_training.study.inductive_bias" in block
        assert "|" not in block
        assert "svg" not in block


def test_a_difference_within_the_spread_of_the_seeds_is_said_to_be_so() -> None:
    assert difference_text([60.0, 62.0], [59.0, 61.0]) == "+1.00 ± 6.09, within the spread"
    assert difference_text([60.0], [50.0]) == "+10.00"
    assert spread_text([50.0, 52.0]) == "51.00 ± 1.41"


def test_a_page_keeps_everything_but_what_stands_between_the_markers(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Prose\n\n<!-- measured: curve -->\nold\n<!-- end -->\n\nMore.\n")
    fill(page, {"curve": "| new |"})
    fill(own := tmp_path / "own" / "new.md", {"moved": "| table |"})
    fill(own, {"parts": "| errors |"})

    assert page.read_text() == "# Prose\n\n<!-- measured: curve -->\n\n| new |\n\n<!-- end -->\n\nMore.\n"
    assert own.read_text().index("| errors |") < own.read_text().index("| table |"), "a new page has a place for each"
    with pytest.raises(UsageError, match="has no place for moved"):
        fill(page, {"moved": "x"})


def test_an_unknown_part_or_a_single_seed_is_refused_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=naming("'shfit'", "attention", "shift", "curve")):
        plan(["shfit"], 3, tmp_path, tmp_path / "page.md")
    with pytest.raises(UsageError, match="1 seeds were given; 2 to 10 are allowed"):
        plan([], 1, tmp_path, tmp_path / "page.md")


def test_a_measurement_whose_runs_are_all_there_starts_no_process_and_writes_the_page(tmp_path: Path) -> None:
    measurement: BiasMeasurement = plan(["curve"], 2, tmp_path / "out", tmp_path / "page.md")
    measurement.folder.mkdir()
    lines = [asdict(trained(job.contestant.name, job.share, job.seed, 0.5)) for job in jobs_of("curve", 2)]
    measurement.results.write_text("".join(json.dumps(line) + "\n" for line in lines))

    assert list(measurement.run()) == []
    assert "not measured yet" not in (tmp_path / "page.md").read_text()
    assert (tmp_path / "page-curve.svg").is_file()


@pytest.mark.parametrize("name", ["vit", "cnn"])
def test_a_run_trains_measures_and_tests_moved_and_shuffled_pictures(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = replace(CONTESTANTS[name].recipe.train, epochs=1, score_every=1, per_label=8, batch_size=8)
    job = BiasJob(CONTESTANTS[name], 1.0, 1)
    recipe = replace(job.recipe, train=short)
    monkeypatch.setattr(BiasJob, "recipe", property(lambda _: recipe))
    found = run(job, tmp_path, colours())

    assert found.steps == 2
    assert found.photos == 40
    assert found.moved["agreement"][0] == 1.0
    assert len(found.moved["accuracy"]) == len(SHIFTS) + 1
    assert found.shuffled_accuracy is not None
