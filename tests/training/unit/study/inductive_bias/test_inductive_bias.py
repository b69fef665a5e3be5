"""The figures of inductive-bias.md: what is equal is found to be equal, and what is far is found to be far."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from tests.training.unit.nets import SMALL, photos, small_about, small_vit
from tests.unit.docs.pages import ROOT
from vitcam_training.data.dataset import Dataset, Sample
from vitcam_training.recipes.presets import count_parameters, preset
from vitcam_training.study.ablation.rows import ROWS
from vitcam_training.study.convolution.config import ConvolutionConfig
from vitcam_training.study.inductive_bias.distance import attention_distances, mean_distances
from vitcam_training.study.inductive_bias.measure import BiasMeasurement, plan
from vitcam_training.study.inductive_bias.parts import part_errors
from vitcam_training.study.inductive_bias.plots import draw_distances
from vitcam_training.study.inductive_bias.runs import (
    CONTESTANTS,
    SHIFTS,
    BiasJob,
    BiasResult,
    jobs_of,
)
from vitcam_training.study.inductive_bias.worker import run
from vitcam_training.study.marked import fill
from vitcam_training.weights.checkpoints import save_weights, to_timm

pytestmark = pytest.mark.slow("training/study/inductive_bias", "training/study/convolution", "training/fit")


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


def test_a_page_keeps_everything_but_what_stands_between_the_markers(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Prose\n\n<!-- measured: curve -->\nold\n<!-- end -->\n\nMore.\n")
    fill(page, {"curve": "| new |"})
    fill(own := tmp_path / "own" / "new.md", {"moved": "| table |"})
    fill(own, {"parts": "| errors |"})

    assert page.read_text() == "# Prose\n\n<!-- measured: curve -->\n\n| new |\n\n<!-- end -->\n\nMore.\n"
    assert own.read_text().index("| table |") < own.read_text().index("| errors |"), "a new part stands at the end"


def test_a_measurement_whose_runs_are_all_there_starts_no_process_and_writes_the_page(tmp_path: Path) -> None:
    measurement: BiasMeasurement = plan(["curve"], 2, tmp_path / "out", tmp_path / "page.md")
    measurement.folder.mkdir()
    lines = [asdict(trained(job.contestant.name, job.share, job.seed, 0.5)) for job in jobs_of("curve", 2)]
    measurement.results.write_text("".join(json.dumps(line) + "\n" for line in lines))

    assert list(measurement.run()) == []
    assert (
        "| 1% | 480 | 50.00 ± 0.00 | 50.00 ± 0.00 | +0.00 ± 0.00, within the spread |"
        in (tmp_path / "page.md").read_text()
    )
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
