"""Pictures become files."""

import re
from pathlib import Path

import numpy as np
import pytest

from tests.frames import picture
from vitcam.errors import UsageError
from vitcam.pictures.decode import decode_image
from vitcam.pictures.encode import encode_by_ending, encode_jpeg, encode_png

ROOT = Path(__file__).parents[3]
NOISE = np.random.default_rng(0).integers(0, 256, (20, 30, 3), np.uint8)


def test_red_stays_red_on_its_way_into_a_jpeg() -> None:
    image = picture()
    image[:] = (250, 10, 10)

    assert np.abs(decode_image(encode_jpeg(image, 90)).astype(int) - image).max() < 8


@pytest.mark.parametrize("name", ["a.png", "a.bmp", "folder.x/a.PNG"])
def test_the_ending_of_a_name_chooses_the_format(name: str) -> None:
    assert (decode_image(encode_by_ending(NOISE, name)) == NOISE).all()


@pytest.mark.parametrize("name", ["photo", "photo.", "photo.docx"])
def test_an_ending_that_means_no_format_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=r"no ending that says an image format; try .png or .jpg"):
        encode_by_ending(NOISE, name)


def test_no_other_module_encodes_pictures() -> None:
    modules = (path for folder in ("vitcam", "training", "docs", "examples") for path in (ROOT / folder).rglob("*.py"))
    found = [str(path.relative_to(ROOT)) for path in modules if re.search(r"cv2\.im(encode|write)\b", path.read_text())]

    assert found == ["vitcam/pictures/encode.py"]


def test_a_png_keeps_every_pixel() -> None:
    assert (decode_image(encode_png(NOISE)) == NOISE).all()
