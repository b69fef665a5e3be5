from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.needs import need_data, need_model
from vitcam.model import bundle
from vitcam.pictures.resize import InputSpec
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.data.dataset import Dataset, Sample, photo_of
from vitcam_training.evaluation.calibration import fit_threshold
from vitcam_training.evaluation.model_file import ask_certainty, open_model
from vitcam_training.export.no_word import NO_WORD, UNTIDY_PHOTOS, between, least_familiarity, untidy

# Scores of ViT-Ti/16 AugReg, fine-tuned with smoothed labels (recipe cifar10-augreg), as 17 evenly spaced quantiles: of
# photos that calibrate, of these as a camera might show them, of `no-thing`, and of 208 photos of a camera that choose:
# airplanes, cars and ships of Caltech-101, and those of `ordinary` that show one of the labels.
TIDY = np.array([1.07, 1.58, 1.67, 1.72, 1.75, 1.77, 1.80, 1.81, 1.83, 1.84, 1.85, 1.87, 1.88, 1.90, 1.92, 1.94, 2.16])
UNTIDY = np.array(
    [0.45, 0.90, 1.13, 1.28, 1.36, 1.43, 1.52, 1.59, 1.65, 1.69, 1.72, 1.76, 1.79, 1.82, 1.86, 1.91, 2.08]
)
NOTHING = np.array(
    [0.12, 0.24, 0.29, 0.32, 0.36, 0.41, 0.44, 0.49, 0.54, 0.61, 0.64, 0.73, 0.92, 1.07, 1.15, 1.36, 1.67]
)
CAMERA = np.array(
    [0.21, 0.51, 0.80, 1.30, 1.42, 1.49, 1.52, 1.54, 1.57, 1.60, 1.63, 1.64, 1.66, 1.68, 1.70, 1.74, 1.84]
)


def share_from(scores: NDArray[np.float64], least: float) -> float:
    return float((scores >= least).mean())


def test_tidy_photos_that_all_score_alike_do_not_make_most_of_what_a_camera_shows_unknown() -> None:
    least = between(TIDY, UNTIDY, NOTHING)

    assert share_from(CAMERA, fit_threshold(TIDY, NO_WORD)) < 0.5  # what was done before
    assert share_from(CAMERA, least) > 0.75
    assert share_from(NOTHING, least) < 0.2


def test_the_threshold_leaves_as_much_room_below_what_is_known_as_above_what_is_nothing() -> None:
    tidy, nothing = np.linspace(9, 11, 50), np.linspace(2, 4, 50)

    assert between(tidy, tidy - 8, nothing) == pytest.approx(6.5)


def test_no_more_tidy_photos_are_lost_than_before_where_nothing_scores_high() -> None:
    tidy = np.random.default_rng(0).normal(8.5, 2.5, 1000)

    assert between(tidy, tidy - 1, tidy - 1) == fit_threshold(tidy, NO_WORD)


def test_few_photos_become_many_that_differ_and_are_the_same_every_time() -> None:
    photo = np.random.default_rng(0).integers(0, 255, (40, 60, 3), np.uint8)
    found = untidy([Sample(Path("a.png"), 1, photo), Sample(Path("b.png"), 0, photo)], InputSpec(32, 24))
    pictures = [photo_of(sample) for sample in found[:4]]

    assert len(found) == UNTIDY_PHOTOS
    assert {sample.label for sample in found} == {0, 1}
    assert pictures[0].shape == (32, 24, 3)
    assert not np.array_equal(pictures[0], pictures[2])
    again = untidy([Sample(Path("a.png"), 1, photo), Sample(Path("b.png"), 0, photo)], InputSpec(32, 24))
    assert np.array_equal(pictures[3], photo_of(again[3]))


def without_threshold(name: str, path: Path) -> bundle.Bundle:
    """A copy of a model that ships as `export` has it when it looks for the threshold."""
    found = bundle.read(need_model(name))
    assert found is not None
    card = replace(found.card, least_familiarity=None, score=1)
    bundle.write(path, bundle.flatbuffer(found.path), card, list(found.labels), [], found.groups)
    return found


@pytest.mark.slow("training/export/no_word.py", "training/data", "models/mnist.tflite")
def test_digits_are_familiar_to_the_digit_model_and_things_are_not(tmp_path: Path) -> None:
    need_data("mnist")
    found = without_threshold("mnist", tmp_path / "a.tflite")
    whole = open_dataset("mnist")
    few = Dataset("mnist", whole.labels, {"calibration": whole.parts["calibration"][:100]})
    least = least_familiarity(tmp_path / "a.tflite", few, found.card.temperature)
    assert least is not None

    model = open_model(tmp_path / "a.tflite", few)
    model.card = replace(model.card, least_familiarity=least, familiarity_temperature=found.card.temperature)
    assert share_from(ask_certainty(model, whole.parts["calibration"][100:200]), least) > 0.9
    assert share_from(ask_certainty(model, open_dataset("no-thing").parts["choose"][:60]), least) < 0.1


def test_without_photos_that_calibrate_there_is_no_threshold(tmp_path: Path) -> None:
    assert least_familiarity(tmp_path / "absent.tflite", None, 1.0) is None
    assert least_familiarity(tmp_path / "absent.tflite", Dataset("some", ("a",), {"train": ()}), 1.0) is None


@pytest.mark.slow("training/export/no_word.py", "training/data", "models/everyday.tflite")
def test_the_bundled_model_keeps_its_threshold(tmp_path: Path) -> None:
    for folder in ("imagenet_samples", "ordinary", "household", "caltech101"):
        need_data(folder)
    found = without_threshold("everyday", tmp_path / "a.tflite")
    least = least_familiarity(tmp_path / "a.tflite", open_dataset("everyday"), found.card.temperature)

    assert least == found.card.least_familiarity
