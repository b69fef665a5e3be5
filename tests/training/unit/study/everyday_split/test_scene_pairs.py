"""Photos of the same scene are found by what they show, however they are cut."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from vitcam.frames import Image
from vitcam_training.data.dataset import read_photo
from vitcam_training.study.everyday_split.scene_pairs import SceneMatch, local_features, match_scenes

GOLDEN = Path(__file__).parents[5] / "models" / "golden"


@pytest.fixture(scope="module")
def photo() -> Image:
    return read_photo(GOLDEN / "coffee.jpg")


def compared(one: Image, other: Image) -> SceneMatch:
    return match_scenes(local_features(one), local_features(other))


def scaled(photo: Image, factor: float) -> Image:
    return np.asarray(cv2.resize(photo, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), np.uint8)


def test_a_crop_a_darker_copy_and_a_turned_one_are_the_same_scene(photo: Image) -> None:
    height, width = photo.shape[:2]
    crop = photo[height // 6 : height, width // 5 : width]
    dark = (photo * 0.6).astype(np.uint8)
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), 12, 0.9)
    turned = np.asarray(cv2.warpAffine(photo, turn, (width, height)), np.uint8)

    for name, other in {"crop": crop, "dark": dark, "turned": turned, "small": scaled(photo, 0.7)}.items():
        assert compared(photo, other).same, name


def test_a_mirror_image_is_found_in_the_mirror(photo: Image) -> None:
    mirror = np.ascontiguousarray(photo[:, ::-1])

    assert not compared(photo, mirror).same
    assert compared(mirror, np.ascontiguousarray(mirror[20:, 30:])).same


def test_photos_of_other_things_are_not_the_same_scene(photo: Image) -> None:
    others = [path for path in sorted(GOLDEN.glob("*.jpg")) if path.stem != "coffee"]

    assert others
    assert not any(compared(photo, read_photo(path)).same for path in others)


def test_a_picture_without_keypoints_resembles_nothing(photo: Image) -> None:
    plain = np.full((200, 200, 3), 128, np.uint8)

    assert compared(plain, photo) == SceneMatch()
    assert compared(plain, plain) == SceneMatch()
