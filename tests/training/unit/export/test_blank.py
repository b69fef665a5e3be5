import logging
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.needs import need_model
from vitcam.frames import Image
from vitcam.model import bundle
from vitcam.model.out_of_distribution import LEAST_CONTRAST, contrast
from vitcam.pictures.resize import InputSpec
from vitcam_training.data.dataset import Dataset, Sample
from vitcam_training.export.blank import blank_images, least_contrast

pytestmark = pytest.mark.slow("training/export", "training/vit.py")

SPEC = InputSpec(64, 64)


def dataset(*photos: Image) -> Dataset:
    return Dataset("some", ("a",), {"train": tuple(Sample(Path(f"{i}.png"), 0, each) for i, each in enumerate(photos))})


def blocks(high: int) -> Image:
    """(64, 64, 3): blocks of 8 px."""
    small = np.random.default_rng(0).integers(0, high, (8, 8, 1), np.uint8).repeat(3, 2)
    return (small.repeat(8, 0).repeat(8, 1) + np.uint8(150)).astype(np.uint8)


def copy_of_mnist(path: Path, **card: float | None) -> Path:
    found = bundle.read(need_model("mnist"))
    assert found is not None
    changed = replace(found.card, **card)  # type: ignore[arg-type]
    bundle.write(path, bundle.flatbuffer(found.path), changed, list(found.labels), [])
    return path


def test_photos_of_the_usual_contrast_leave_the_usual_threshold() -> None:
    assert least_contrast(SPEC, dataset(blocks(100))) == LEAST_CONTRAST
    assert least_contrast(SPEC, None) == LEAST_CONTRAST


def test_pale_photos_lower_the_threshold_below_their_own_contrast() -> None:
    pale = blocks(12)
    found = least_contrast(SPEC, dataset(pale))

    assert 0 < found < contrast(pale) < LEAST_CONTRAST


def test_a_photo_that_cannot_be_read_decides_nothing(tmp_path: Path) -> None:
    broken = Dataset("some", ("a",), {"train": (Sample(tmp_path / "absent.png", 0),)})

    assert least_contrast(SPEC, broken) == LEAST_CONTRAST


def test_the_blank_images_of_a_file_are_called_unknown_by_it(tmp_path: Path) -> None:
    found = blank_images(copy_of_mnist(tmp_path / "a.tflite"))

    assert [golden.name for golden in found] == ["lens_cap", "wall", "covered"]
    assert {golden.image.shape for golden in found} == {(28, 28, 3)}
    assert all(contrast(golden.image) < LEAST_CONTRAST / 2 for golden in found)


def test_a_blank_image_that_a_file_calls_known_is_left_out_and_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    model = tmp_path / "a.tflite"
    found = bundle.read(copy_of_mnist(model, least_contrast=0.0, threshold=0.0, least_familiarity=None))
    assert found is not None
    bundle.write(model, bundle.flatbuffer(model), found.card, list(found.labels), [])
    with caplog.at_level(logging.WARNING):
        assert blank_images(model) == []

    assert "a calls a blank image known, as " in caplog.text
