import io
import zipfile
from collections import Counter
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.needs import need_data
from tests.refusals import naming
from vitcam.errors import UsageError
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.data.dataset import photo_of
from vitcam_training.data.published.cifar10 import read_strips


def strips(path: Path, count: int, labels: int | None = None) -> Path:
    """A zip file of grey photos that tell their place, ten a strip."""
    path.parent.mkdir(parents=True, exist_ok=True)
    photos = np.zeros((count, 32, 32, 3), np.uint8) + np.arange(count).astype(np.uint8)[:, None, None, None]
    with zipfile.ZipFile(path, "w") as archive:
        for i in range(0, count, 10):
            strip = np.ascontiguousarray(photos[i : i + 10].reshape(-1, 32, 3))
            archive.writestr(
                f"{i // 10:03}.webp", cv2.imencode(".webp", strip, [cv2.IMWRITE_WEBP_QUALITY, 101])[1].tobytes()
            )
        held = io.BytesIO()
        np.save(held, (np.arange(labels or count) % 10).astype(np.uint8))
        archive.writestr("labels.npy", held.getvalue())
    return path


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data root with 2,010 photos to train on and 20 to test on."""
    strips(tmp_path / "cifar10" / "train.zip", 2010)
    strips(tmp_path / "cifar10" / "test.zip", 20)
    monkeypatch.setenv("VITCAM_DATA", str(tmp_path))
    return tmp_path


@pytest.mark.usefixtures("root")
def test_the_last_two_thousand_training_photos_calibrate_and_are_not_trained_on() -> None:
    found = open_dataset("cifar10")
    calibration = found.parts["calibration"]

    assert {name: len(part) for name, part in found.parts.items()} == {"train": 10, "calibration": 2000, "heldout": 20}
    np.testing.assert_array_equal(photo_of(calibration[1]), np.full((32, 32, 3), 11))
    assert found.labels[calibration[1].label] == "automobile"


def test_the_published_photos_are_all_there_six_thousand_of_each_label() -> None:
    need_data("cifar10")
    found = open_dataset("cifar10")

    assert {name: len(part) for name, part in found.parts.items()} == {
        "train": 48000,
        "calibration": 2000,
        "heldout": 10000,
    }
    assert set(Counter(s.label for s in found.parts["heldout"]).values()) == {1000}
    assert set(Counter(s.label for name in ("train", "calibration") for s in found.parts[name]).values()) == {5000}


def test_missing_data_are_said_with_the_place_and_the_source(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no data at .*train\.zip: get it from .* in VITCAM_DATA"):
        read_strips(tmp_path / "train.zip")


def test_photos_without_labels_and_a_damaged_file_are_refused_in_one_sentence(root: Path) -> None:
    held_out = root / "cifar10" / "test.zip"
    strips(held_out, 20, labels=19)
    with pytest.raises(UsageError, match="holds 20 photos and 19 labels"):
        open_dataset("cifar10")

    held_out.write_bytes(held_out.read_bytes()[:-40])
    with pytest.raises(UsageError, match=naming("test.zip", "download")):
        open_dataset("cifar10")
