"""A photo becomes a picture of a label: upright, small, once, and with its recording."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.exif import photo, scene
from vitcam.errors import UsageError
from vitcam.parts.teach.datasets.intake import LARGEST_PX, PhotoIntake
from vitcam.parts.teach.datasets.recordings import recording_of
from vitcam.parts.teach.datasets.store import DataSets
from vitcam.pictures.decode import Limits, decode


@pytest.fixture
def data_sets(tmp_path: Path) -> DataSets:
    return DataSets(tmp_path, 10.0)


@pytest.fixture
def intake(data_sets: DataSets) -> PhotoIntake:
    return PhotoIntake(data_sets, lambda data: decode(data, Limits(40_000_000)))


def test_a_photo_is_kept_upright_and_small_and_without_what_the_camera_wrote(
    intake: PhotoIntake, data_sets: DataSets
) -> None:
    image = scene(1, 960, 1280)
    image[:, :320] = (0, 0, 255)  # red at the left, which is the top once it is turned
    brought = intake.take("mine", "cup", photo(image, orientation=6, taken="2026:01:02 03:04:05"))
    kept = data_sets.picture("mine", "cup", brought.picture).read_bytes()
    seen = cv2.imdecode(np.frombuffer(kept, np.uint8), cv2.IMREAD_COLOR)

    assert seen.shape == (LARGEST_PX, 480, 3)
    assert seen[:100].reshape(-1, 3).mean(0).argmax() == 2
    assert b"Exif" not in kept
    assert "s20260102T030405" in recording_of(brought.picture)


def test_the_same_photo_is_kept_once_whatever_its_label(intake: PhotoIntake, data_sets: DataSets) -> None:
    first = intake.take("mine", "cup", photo(scene(1)))
    again = [intake.take("mine", label, photo(scene(1))) for label in ("cup", "mug")]

    assert [each.picture for each in again] == ["", ""]
    assert all(first.picture in each.note and "'cup'" in each.note for each in again)
    assert data_sets.all()[0].labels == {"cup": 1}


def test_a_photo_that_looks_almost_like_another_one_is_kept_and_told(intake: PhotoIntake, data_sets: DataSets) -> None:
    noisy = np.clip(scene(1).astype(int) + np.random.default_rng(0).integers(-9, 9, (480, 640, 1)), 0, 255)
    first = intake.take("mine", "cup", photo(scene(1)))
    other = intake.take("mine", "cup", photo(scene(2)))
    like = intake.take("mine", "cup", photo(noisy.astype(np.uint8)))
    after_a_restart = PhotoIntake(data_sets, decode).take("mine", "cup", photo(255 - (255 - scene(1)) // 8 * 8))

    assert other.note == ""
    assert like.picture
    assert first.picture in like.note
    assert after_a_restart.picture
    assert "looks almost like" in after_a_restart.note


@pytest.mark.parametrize("data", [b"", b"PK\3\4 a zip in a zip", b"%PDF-1.7", photo(scene(1))[:500]])
def test_what_is_no_photo_is_refused_and_nothing_is_kept(intake: PhotoIntake, data_sets: DataSets, data: bytes) -> None:
    with pytest.raises(UsageError):
        intake.take("mine", "cup", data)

    assert data_sets.all() == []


@pytest.mark.parametrize("label", ["", "..", "a/b", ".hidden", "x" * 61, "none of these", "a\nb"])
def test_a_label_that_cannot_be_one_is_refused_before_the_photo_is_decoded(data_sets: DataSets, label: str) -> None:
    def decoded(_: bytes) -> None:
        pytest.fail("it was decoded")

    with pytest.raises(UsageError):
        PhotoIntake(data_sets, decoded).take("mine", label, photo(scene(1)))  # type: ignore[arg-type]


def test_what_else_lies_in_the_folder_of_a_label_does_no_harm(intake: PhotoIntake, data_sets: DataSets) -> None:
    intake.take("mine", "cup", photo(scene(1)))
    folder = data_sets.path("mine") / "cup"
    (folder / "zeros.jpg").write_bytes(bytes(1000))
    (folder / "gone.jpg").symlink_to("/nowhere")
    (folder / "folder.jpg").mkdir()

    assert intake.take("mine", "cup", photo(scene(2))).picture
