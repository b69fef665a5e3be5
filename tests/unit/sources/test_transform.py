"""A source with its pictures upright and a part of them chosen."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Self

import cv2
import numpy as np
import pytest

from tests.frames import frame
from vitcam.errors import SourceError
from vitcam.frames import Frame, Image
from vitcam.pictures.resize import InputSpec, to_model_size
from vitcam.pictures.view import UPRIGHT, Orientation, Region
from vitcam.rects import Rect
from vitcam.sources import SourceOptions, open_source
from vitcam.sources.active_crop import ActiveCrop
from vitcam.sources.transform import OrientedSource

SPEC = InputSpec(8, 8)
ROTATED = Orientation.of(90, "none")


class Scaling:
    """A live source whose scaler delivers the model's input beside each picture."""

    def __init__(self, image: Image, options: SourceOptions) -> None:
        self.live = True
        self.left = self.stopped = False
        crop = options.crop(*image.shape[:2])
        small = np.ascontiguousarray(to_model_size(image, SPEC))
        self.given = replace(frame(0, image), model_input=small, crop=crop)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.left = True

    def stop(self) -> None:
        self.stopped = True

    def __iter__(self) -> Iterator[Frame]:
        yield self.given
        yield self.given


def picture(height: int = 40, width: int = 64) -> Image:
    return np.random.default_rng(0).integers(0, 256, (height, width, 3), np.uint8)


def seen_through(orientation: Orientation, region: str = "", size: tuple[int, int] = (40, 64)) -> tuple[Frame, Frame]:
    """What the source gave and what left the wrapper."""
    active_crop = ActiveCrop(Region.parse(region) if region else None)
    options = SourceOptions(input=SPEC, active_crop=active_crop)
    inner = Scaling(picture(*size), options)
    with OrientedSource(inner, orientation, options) as source:
        return inner.given, next(iter(source))


def test_a_frame_that_needs_nothing_passes_untouched() -> None:
    given, left = seen_through(UPRIGHT)

    assert left is given


@pytest.mark.parametrize(
    "orientation", [ROTATED, Orientation.of(180, "none"), Orientation.of(0, "h"), Orientation.of(270, "v")]
)
@pytest.mark.parametrize("width", [64, 63])  # the middle of 63 px lies half a px beside its mirror image
def test_the_scaler_s_picture_is_turned_and_kept(orientation: Orientation, width: int) -> None:
    _, left = seen_through(orientation, size=(40, width))
    mean = left.preview[left.crop.y : left.crop.y + left.crop.height, left.crop.x : left.crop.x + left.crop.width]

    assert left.preview.shape[:2] == ((width, 40) if orientation.rotate90 else (40, width))
    assert left.model_input is not None
    assert np.abs(cv2.resize(mean, (8, 8), interpolation=cv2.INTER_AREA).astype(int) - left.model_input).max() <= 1


def test_a_chosen_part_is_not_what_the_scaler_made() -> None:
    given, left = seen_through(UPRIGHT, "0,0,0.5,0.5")

    assert left.model_input is None
    assert left.preview is given.preview
    assert left.crop == Rect(6, 0, 20, 20)


def test_a_part_is_read_off_the_upright_picture() -> None:
    _, left = seen_through(ROTATED, "0,0,1,0.25")

    assert left.preview.shape[:2] == (64, 40)
    assert left.crop == Rect(12, 0, 16, 16)


def test_a_new_part_holds_from_the_next_frame_on() -> None:
    active_crop = ActiveCrop()
    options = SourceOptions(input=SPEC, active_crop=active_crop)
    with OrientedSource(Scaling(picture(), options), UPRIGHT, options) as source:
        frames = iter(source)
        before = next(frames)
        active_crop.replace(Region(0, 0, 0.5, 1))
        after = next(frames)

    assert before.crop == Rect(12, 0, 40, 40)
    assert after.crop == Rect(0, 4, 32, 32)


def test_pixels_that_the_camera_does_not_have_are_refused_at_the_first_frame() -> None:
    with pytest.raises(SourceError, match="64×40 px"):
        seen_through(UPRIGHT, "0,0,640,400")


def test_leaving_and_stopping_reach_the_source_itself() -> None:
    inner = Scaling(picture(), SourceOptions())
    source = OrientedSource(inner, ROTATED, SourceOptions())
    with source:
        source.stop()

    assert inner.stopped
    assert inner.left
    assert source.live


def test_a_photo_is_turned_where_its_source_is_asked_to(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), picture(10, 30))
    with open_source(str(tmp_path / "a.png"), SourceOptions(orientation=ROTATED)) as source:
        (only,) = list(source)

    assert only.preview.shape == (30, 10, 3)
    assert only.crop == Rect(0, 0, 10, 30)
