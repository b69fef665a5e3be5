"""What is cut out of the large picture is the same place of the whole, to the rounding of colours that px share."""

import json

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.fake_picamera2 import ColorSpace, MappedArray, Picamera2, Transform
from tests.unit.sources.picamera.test_larger import EVERY_PX, config
from vitcam.frames import Image
from vitcam.rects import Rect
from vitcam.sources.picamera.details import Part, parts_of, write_detail
from vitcam.sources.picamera.larger import configure_for_boxes
from vitcam.sources.picamera.streams import GrantedStream

PREVIEW = GrantedStream("lores", "BGR888", 320, 180)
LARGE = GrantedStream("main", "YUV420", 1152, 648)
ROOM = 3 * 320 * 180


def planes(monkeypatch: pytest.MonkeyPatch, align: int) -> tuple[NDArray[np.uint8], Image, GrantedStream]:
    """The large picture as picamera2 gives it, all of it as RGB, and its stream."""
    monkeypatch.setenv("FAKE_PICAMERA2", json.dumps({"modes": [EVERY_PX], "align": align}))
    camera = Picamera2()
    streams = configure_for_boxes(camera, config(10, width=300, height=222), ColorSpace.Smpte170m(), Transform())
    assert streams.large is not None
    camera.start()
    request = camera.capture_request(wait=1)
    with MappedArray(request, "main") as mapped:
        assert mapped.array is not None
        array = mapped.array
    whole = np.asarray(cv2.cvtColor(array, cv2.COLOR_YUV2RGB_I420), np.uint8)[:, : streams.large.width]
    return array, whole, streams.large


@pytest.mark.parametrize("align", [64, 512])
@pytest.mark.parametrize("rect", [Rect(0, 0, 30, 30), Rect(101, 57, 41, 39), Rect(269, 191, 31, 31)], ids=str)
def test_a_detail_is_the_same_place_of_the_whole_picture(
    monkeypatch: pytest.MonkeyPatch, align: int, rect: Rect
) -> None:
    array, whole, large = planes(monkeypatch, align)
    (part,) = parts_of([rect], GrantedStream("lores", "BGR888", 300, 222), large, 10**9)
    out = np.zeros((part.cut.rows, part.cut.columns, 3), np.uint8)
    write_detail(array, large, part, out)
    inside = part.inside

    assert array.shape[1] > large.width or align == 64  # rows are padded
    assert out.shape[:2] == (inside.height, inside.width)
    assert np.array_equal(out, whole[inside.y : inside.y + inside.height, inside.x : inside.x + inside.width])
    scale = large.width / 300
    assert abs(inside.x - rect.x * scale) <= 1
    assert abs(inside.x + inside.width - (rect.x + rect.width) * scale) <= 1


def test_a_detail_that_has_too_many_px_is_halved_before_it_is_converted(monkeypatch: pytest.MonkeyPatch) -> None:
    array, whole, large = planes(monkeypatch, 64)
    rect = Rect(100, 50, 100, 100)
    (part,) = parts_of([rect], GrantedStream("lores", "BGR888", 300, 222), large, 3 * 3 * 250 * 250)
    out = np.zeros((part.cut.rows, part.cut.columns, 3), np.uint8)
    write_detail(array, large, part, out)
    x, y, width, height = part.inside.x, part.inside.y, part.inside.width, part.inside.height
    rows, columns = out.shape[:2]
    expected = cv2.resize(whole[y : y + height, x : x + width], (columns, rows), interpolation=cv2.INTER_AREA)

    assert (rows, columns) == (height // 2, width // 2)
    assert 200 < min(rows, columns) <= max(rows, columns) < 250
    assert np.abs(out.astype(int) - expected).mean() < 3


def parts(*rects: Rect, room: int = ROOM) -> list[Part]:
    return list(parts_of(rects, PREVIEW, LARGE, room))


def test_three_details_at_most_are_cut_and_they_fit_into_the_room() -> None:
    found = parts(*(Rect(10 * n, 5, 90, 90) for n in range(5)))

    assert [part.cut.rect.x for part in found] == [0, 10, 20]
    assert sum(3 * part.cut.rows * part.cut.columns for part in found) <= ROOM


def test_what_has_as_many_px_in_the_preview_is_not_cut() -> None:
    assert not parts(Rect(0, 0, 320, 180))
    assert not parts(Rect(0, 0, 120, 120))  # 432 px a side, of which a quarter has room
    assert len(parts(Rect(0, 0, 60, 60))) == 1


@pytest.mark.parametrize("rect", [Rect(0, 0, 8, 8), Rect(312, 172, 8, 8), Rect(311, 0, 9, 180), Rect(7, 9, 11, 13)])
def test_a_small_rectangle_is_a_detail_with_even_sides_inside_the_picture(rect: Rect) -> None:
    (part,) = parts(rect)
    inside = part.inside

    assert {inside.x % 2, inside.y % 2, inside.width % 2, inside.height % 2} == {0}
    assert inside.x >= 0 <= inside.y
    assert 2 <= inside.width <= LARGE.width - inside.x
    assert 2 <= inside.height <= LARGE.height - inside.y


def test_what_is_too_small_to_be_seen_is_not_cut() -> None:
    assert not parts(Rect(0, 0, 1, 1), Rect(319, 0, 1, 180), Rect(5, 5, 100, 7))
