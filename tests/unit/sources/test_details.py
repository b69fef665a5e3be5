"""No detail shows a masked px, and each lies where it should, whatever is followed, masked, cropped and turned."""

from collections.abc import Iterator
from functools import partial
from typing import Self

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vitcam.frames import Detail, Frame, Image
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import Areas, Zone, mask_rect
from vitcam.pictures.resize import InputSpec
from vitcam.pictures.view import Flip, Orientation, Region, Rotate
from vitcam.rects import Box, Rect
from vitcam.sources.active_crop import ActiveCrop
from vitcam.sources.masks import masked
from vitcam.sources.picamera.details import parts_of, write_detail
from vitcam.sources.picamera.streams import GrantedStream
from vitcam.sources.source import SourceOptions
from vitcam.sources.transform import OrientedSource, rects_before_turning, reorient, reorient_rect

SPEC = InputSpec(16, 16)
ROTATIONS: tuple[Rotate, ...] = (0, 90, 180, 270)
FLIPS: tuple[Flip, ...] = ("none", "h", "v", "hv")
ABSURD = (float("nan"), float("inf"), -1.0, 0.0, 1.0, 1e-9, 1e300, 0.999999)


class One:
    """Gives one frame."""

    def __init__(self, given: Frame) -> None:
        self.live = True
        self.given = given

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def stop(self) -> None: ...

    def __iter__(self) -> Iterator[Frame]:
        yield self.given


def picture_with(shown: list[Region], orientation: Orientation, height: int, width: int) -> Image:
    """(H, W, 3) as the camera takes it, height and width as it takes it: bright where the upright one has these."""
    upright = (width, height) if orientation.rotate90 else (height, width)
    picture = np.zeros((*upright, 3), np.uint8)
    for region in shown:
        rect = mask_rect(region, *upright)
        picture[rect.y : rect.y + rect.height, rect.x : rect.x + rect.width] = (255, 255, 0)
    if orientation.rotate90:
        picture = np.asarray(cv2.rotate(picture, cv2.ROTATE_90_COUNTERCLOCKWISE), np.uint8)
    return reorient(Orientation(orientation.hflip, orientation.vflip), picture)


def planes_of(picture: Image, padding: int) -> NDArray[np.uint8]:
    """Y, U and V of a picture, with padded rows."""
    height, width = picture.shape[:2]
    rows = np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2YUV_I420), np.uint8)
    padded = np.full((height * 3 // 2, width + 2 * padding), 0xAA, np.uint8)
    padded[:height, :width] = rows[:height]
    padded[height:].reshape(height, -1)[:, : width // 2] = rows[height:].reshape(height, width // 2)
    return padded


def taken(options: SourceOptions, large: Image, preview: Image, padding: int, room: int) -> Frame:
    """What the Pi's camera gives of a view: its preview, and what is followed in px of the large picture."""
    (height, width), (rows, columns) = preview.shape[:2], large.shape[:2]
    rects = rects_before_turning(options.boxes(), options.orientation, height, width)
    small = GrantedStream("lores", "BGR888", width, height)
    stream, planes, details = GrantedStream("main", "YUV420", columns, rows), planes_of(large, padding), []
    for part in parts_of(rects, small, stream, room):
        detail = np.zeros((part.cut.rows, part.cut.columns, 3), np.uint8)
        write_detail(planes, stream, part, detail)
        details.append(Detail(part.cut.rect, detail))
    return Frame(preview, None, options.crop(height, width), 0, 0, "test", details=tuple(details))


def random_box(random: np.random.Generator) -> Box:
    if random.random() < 0.1:
        return Box(*(float(random.choice(ABSURD)) for _ in range(4)))
    x, y = random.uniform(0, 0.7, 2)
    return Box(x, y, (1 - x) * random.uniform(0.1, 0.9), (1 - y) * random.uniform(0.1, 0.9))


def random_region(random: np.random.Generator) -> Region:
    x, y = random.uniform(0, 0.95, 2)
    return Region(x, y, (1 - x) * random.uniform(0.01, 0.5), (1 - y) * random.uniform(0.01, 0.5))


def test_no_masked_px_is_in_any_detail_and_every_box_is_inside() -> None:
    random = np.random.default_rng(45)
    bright, details = 0, 0
    for _ in range(10_000):
        masks = [random_region(random) for _ in range(random.integers(1, 4))]
        boxes = tuple(random_box(random) for _ in range(random.integers(1, 5)))
        zones = tuple(Zone(f"zone{n}", random_region(random)) for n in range(random.integers(0, 3)))
        orientation = Orientation.of(ROTATIONS[random.integers(4)], FLIPS[random.integers(4)])
        height, width = 2 * random.integers(12, 32, 2)
        scale = random.uniform(1.1, 3.5)
        rows, columns = 2 * int(height * scale / 2), 2 * int(width * scale / 2)
        areas = ActiveAreas(Areas(zones, tuple(masks)))
        crop = ActiveCrop(random_region(random) if random.random() < 0.5 else None)
        options = SourceOptions(
            SPEC, orientation=orientation, active_areas=areas, active_crop=crop, boxes=partial(tuple, boxes)
        )
        large, preview = (
            picture_with(masks, orientation, *size) for size in ((rows, columns), (int(height), int(width)))
        )
        room = int(3 * height * width * random.uniform(0.2, 3))
        given = taken(options, large, preview, int(random.integers(0, 9)), room)
        bright += sum(int(detail.picture.max()) > 100 for detail in given.details)

        (frame,) = OrientedSource(One(given), orientation, options)

        details += len(frame.details)
        assert int(frame.preview.max()) == 0
        assert len(frame.details) == len(given.details) <= 3
        for detail in frame.details:
            up, across = frame.preview.shape[:2]
            rect = detail.rect
            assert int(detail.picture.max()) == 0, (masks, rect, orientation)
            assert rect.x >= 0 <= rect.y
            assert 1 <= rect.width <= across - rect.x
            assert 1 <= rect.height <= up - rect.y
            assert frame.part(rect) is detail.picture
    assert details > 4_000
    assert bright > 2_000  # else nothing was hidden


@pytest.mark.parametrize("flip", FLIPS)
@pytest.mark.parametrize("rotate", ROTATIONS)
def test_a_detail_shows_what_lies_there_in_the_upright_picture(rotate: Rotate, flip: Flip) -> None:
    orientation, box = Orientation.of(rotate, flip), Box(0.25, 0.5, 0.25, 0.125)
    options = SourceOptions(SPEC, orientation=orientation, active_areas=ActiveAreas(), boxes=lambda: (box,))
    shown = [Region(box.x, box.y, box.width / 2, box.height / 2)]  # the upper left quarter is bright
    pictures = (picture_with(shown, orientation, *size) for size in ((320, 480), (160, 240)))
    large, preview = pictures
    (frame,) = OrientedSource(One(taken(options, large, preview, 0, 10**6)), orientation, options)
    up, across = frame.preview.shape[:2]
    (detail,) = frame.details
    rows, columns = detail.picture.shape[:2]
    bright = detail.picture[:, :, 0] > 100

    assert detail.rect == box.rect((across, up))
    assert (rows, columns) == (2 * detail.rect.height, 2 * detail.rect.width)
    assert bright[: rows // 2 - 2, : columns // 2 - 2].all()
    assert not bright[rows // 2 + 2 :].any()
    assert not bright[:, columns // 2 + 2 :].any()


def test_what_no_mask_touches_stays_and_a_detail_is_blackened_in_its_own_memory() -> None:
    white = np.full((40, 40, 3), 255, np.uint8)
    given = Frame(
        np.full((60, 80, 3), 255, np.uint8),
        None,
        Rect(0, 0, 80, 60),
        0,
        0,
        "test",
        details=(Detail(Rect(40, 20, 20, 20), white), Detail(Rect(0, 40, 20, 20), white.copy())),
    )
    options = SourceOptions(active_areas=ActiveAreas(Areas(masks=(Region(0.5, 0, 0.125, 1),))))
    (frame,) = OrientedSource(One(given), Orientation(), options)
    first, second = frame.details

    assert first.picture is white
    assert first.picture[:, :24].max() == 0  # 10 of 20 px, and four beside them
    assert first.picture[:, 24:].min() == 255
    assert second.picture.min() == 255


def test_a_mask_that_was_drawn_later_is_black_in_details_too_and_the_frame_before_is_left_alone() -> None:
    detail = Detail(Rect(40, 20, 20, 20), np.full((40, 40, 3), 255, np.uint8))
    before = Frame(np.full((60, 80, 3), 255, np.uint8), None, Rect(0, 0, 80, 60), 0, 0, "test", details=(detail,))
    after = masked(before, (Region(0.5, 0, 0.5, 1),))

    assert after.details[0].picture.max() == 0
    assert detail.picture.min() == 255


@pytest.mark.parametrize("flip", FLIPS)
@pytest.mark.parametrize("rotate", ROTATIONS)
def test_a_rectangle_is_turned_back_to_where_it_was(rotate: Rotate, flip: Flip) -> None:
    orientation = Orientation.of(rotate, flip)
    for rect in (Rect(0, 0, 3, 5), Rect(7, 2, 33, 11), Rect(59, 39, 5, 1)):
        upright = reorient_rect(orientation, rect, 40, 64)
        size = (40, 64) if orientation.rotate90 else (64, 40)

        assert rects_before_turning([Box.around(upright, size)], orientation, 40, 64) == (rect,)
