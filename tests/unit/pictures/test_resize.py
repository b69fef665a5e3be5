import cv2
import numpy as np
import pytest

from vitcam.errors import ModelError
from vitcam.pictures.resize import InputSpec, brightened, crop_of, shrunk, to_model_size
from vitcam.rects import Rect


def test_the_crop_is_the_central_square_of_a_wide_picture() -> None:
    assert crop_of(InputSpec(224, 224), 720, 1280) == Rect(280, 0, 720, 720)
    assert crop_of(InputSpec(224, 224), 1280, 720) == Rect(0, 280, 720, 720)


@pytest.mark.parametrize("interpolation", ["area", "linear", "bicubic"])
@pytest.mark.parametrize("size", [(720, 1280), (100, 90), (224, 224), (1, 5000)])
def test_any_picture_becomes_exactly_the_models_size(interpolation: str, size: tuple[int, int]) -> None:
    spec = InputSpec(224, 224, interpolation=interpolation)  # type: ignore[arg-type]
    out = to_model_size(np.full((*size, 3), 77, np.uint8), spec)

    assert out.shape == (224, 224, 3)
    assert (out == 77).all()


def test_a_picture_that_fits_is_not_copied() -> None:
    image = np.zeros((224, 300, 3), np.uint8)

    assert np.shares_memory(to_model_size(image, InputSpec(224, 224)), image)


@pytest.mark.parametrize("interpolation", ["area", "bicubic"])
@pytest.mark.parametrize("side", [448, 896])
def test_area_and_bicubic_average_where_linear_would_alias(interpolation: str, side: int) -> None:
    stripes = np.zeros((side, side, 3), np.uint8)
    stripes[:, ::2] = 255

    assert to_model_size(stripes, InputSpec(224, 224, interpolation=interpolation)).std() < 1  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"resize": "stretch"}, "crop, squash"),
        ({"interpolation": "lanczos"}, "area, linear, bicubic"),
        ({"crop_fraction": 0}, "more than 0"),
        ({"brighten": 1.5}, "less than 1"),
        ({"height": 0}, "1 to 4096"),
    ],
)
def test_what_no_model_can_mean_is_refused_in_words(changed: dict[str, object], message: str) -> None:
    values: dict[str, object] = {"height": 224, "width": 224} | changed

    with pytest.raises(ModelError, match=message):
        InputSpec(**values)  # type: ignore[arg-type]


def test_a_dark_picture_is_raised_to_the_brightness_that_is_asked_for() -> None:
    dark = np.random.default_rng(0).integers(10, 60, (8, 8, 3), np.uint8)
    found = brightened(dark, InputSpec(8, 8, brighten=0.3))

    assert cv2.cvtColor(found, cv2.COLOR_RGB2GRAY).mean() / 255 == pytest.approx(0.3, abs=0.01)
    assert np.corrcoef(found.ravel(), dark.ravel())[0, 1] > 0.999


def test_a_bright_picture_stays_and_a_black_one_is_raised_by_four_at_most() -> None:
    bright, black = np.full((8, 8, 3), 200, np.uint8), np.full((8, 8, 3), 2, np.uint8)

    assert brightened(bright, InputSpec(8, 8, brighten=0.3)) is bright
    assert (brightened(black, InputSpec(8, 8, brighten=0.3)) == 8).all()
    assert brightened(black, InputSpec(8, 8)) is black


@pytest.mark.parametrize("width", [160, 240, 333, 960])
@pytest.mark.parametrize("rect", [Rect(280, 0, 720, 720), Rect(0, 0, 1280, 720), Rect(1279, 719, 1, 1)])
def test_a_crop_of_a_smaller_picture_lies_inside_it_and_is_not_empty(width: int, rect: Rect) -> None:
    scale = width / 1280
    image = shrunk(np.zeros((720, 1280, 3), np.uint8), scale)
    found = rect.scaled(scale, *image.shape[:2])

    assert image.shape == (round(720 * scale), width, 3)
    assert min(found.width, found.height) >= 1
    assert found.x + found.width <= image.shape[1]
    assert found.y + found.height <= image.shape[0]


def test_a_picture_is_never_enlarged() -> None:
    image = np.zeros((72, 128, 3), np.uint8)

    assert shrunk(image, 1.5) is image
