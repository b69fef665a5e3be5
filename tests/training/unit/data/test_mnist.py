import gzip
import struct
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests.needs import need_data
from vitcam.errors import UsageError
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.data.dataset import photo_of, read_photo
from vitcam_training.data.folder import lay_out
from vitcam_training.data.published.mnist import read_idx


def idx(path: Path, array: np.ndarray[tuple[int, ...], np.dtype[np.uint8]], kind: int = 8) -> Path:
    """Write an array of bytes as the format has it."""
    header = struct.pack(f">HBB{array.ndim}I", 0, kind, array.ndim, *array.shape)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(header + array.tobytes()))
    return path


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data root with 2,010 digits to train on and 20 to test on, each one grey that tells its place."""
    for name, count in (("train", 2010), ("t10k", 20)):
        images = np.zeros((count, 28, 28), np.uint8) + np.arange(count, dtype=np.uint8)[:, None, None]
        idx(tmp_path / "mnist" / f"{name}-images-idx3-ubyte.gz", images)
        idx(tmp_path / "mnist" / f"{name}-labels-idx1-ubyte.gz", np.arange(count).astype(np.uint8) % 10)
    monkeypatch.setenv("VITCAM_DATA", str(tmp_path))
    return tmp_path


@pytest.mark.usefixtures("root")
def test_the_last_two_thousand_training_digits_calibrate_and_are_not_trained_on() -> None:
    found = open_dataset("mnist")
    calibration = found.parts["calibration"]

    assert {name: len(part) for name, part in found.parts.items()} == {"train": 10, "calibration": 2000, "heldout": 20}
    assert [sample.path.name for sample in calibration[:2]] == ["00010.png", "00011.png"]
    np.testing.assert_array_equal(photo_of(calibration[0]), np.full((28, 28, 3), 10))
    assert found.labels[calibration[3].label] == "3"


def test_the_published_digits_are_all_there_and_every_label_occurs() -> None:
    need_data("mnist")
    found = open_dataset("mnist")
    labels = Counter(sample.label for sample in found.parts["heldout"])

    assert {name: len(part) for name, part in found.parts.items()} == {
        "train": 58_000, "calibration": 2000, "heldout": 10_000,
    }  # fmt: skip
    assert [labels[i] for i in range(10)] == [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]
    assert photo_of(found.parts["train"][0]).shape == (28, 28, 3)


def test_digits_laid_out_as_files_read_back_as_the_same_pixels(root: Path) -> None:
    found = open_dataset("mnist")
    count = lay_out(found, "heldout", root / "tree")
    sample = found.parts["heldout"][13]

    assert count == len(list((root / "tree").glob("*/*.png"))) == 20
    np.testing.assert_array_equal(read_photo(root / "tree" / "3" / sample.path.name), photo_of(sample))


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-40]), "is not a gzipped IDX file"),
        (lambda path: path.write_bytes(b"<html>not found</html>"), "is not a gzipped IDX file"),
        (lambda path: path.write_bytes(gzip.compress(b"")), "is not a gzipped IDX file"),
        (lambda path: idx(path, np.zeros((20, 28, 28), np.uint8), kind=13), "it begins with 00000d03"),
        (lambda path: idx(path, np.zeros((19, 28, 28), np.uint8)), r"images of \(19, 28, 28\) and labels"),
        (lambda path: path.unlink(), "no data at .* VITCAM_DATA"),
    ],
)
def test_files_that_are_not_those_published_are_refused(root: Path, spoil: object, message: str) -> None:
    assert callable(spoil)
    spoil(root / "mnist" / "t10k-images-idx3-ubyte.gz")

    with pytest.raises(UsageError, match=message):
        open_dataset("mnist")


def test_an_array_comes_back_from_its_file_as_it_was(tmp_path: Path) -> None:
    array = np.random.default_rng(0).integers(0, 256, (3, 5, 7)).astype(np.uint8)

    np.testing.assert_array_equal(read_idx(idx(tmp_path / "some.gz", array)), array)
