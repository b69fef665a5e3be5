"""Cuts what is followed out of the camera's large picture. Runs in the camera's process only."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Image
from vitcam.rects import Rect
from vitcam.sources.picamera.messages import MOST_DETAILS, DetailCut
from vitcam.sources.picamera.streams import GrantedStream

_LEAST_PX = 8
"""A side in the preview: fewer tell a model nothing, and even sides would not fit them."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the large picture, in its px, and the detail that is made of it."""

    inside: Rect
    cut: DetailCut


def parts_of(rects: Iterable[Rect], preview: GrantedStream, large: GrantedStream, room: int) -> Iterator[Part]:
    """What is cut out: of at most three rectangles, each in no more px than its share of the room.

    rects  in px of the preview
    room   bytes for all details
    """
    most = room // (MOST_DETAILS * 3)
    for rect in list(rects)[:MOST_DETAILS]:
        if min(rect.width, rect.height) < _LEAST_PX:
            continue
        factor = 1
        while (inside := _in_large(rect, preview, large, factor)).width * inside.height > most * factor**2:
            factor += 1  # a whole number, which takes a tenth of the time of any other
        rows, columns = inside.height // factor, inside.width // factor
        if columns > rect.width and rows > rect.height:  # else the preview has as many
            yield Part(inside, DetailCut(rect.x, rect.y, rect.width, rect.height, rows, columns))


def write_detail(planes: NDArray[np.uint8], large: GrantedStream, part: Part, out: Image) -> None:
    """Cut a part out of the large picture and convert it to RGB.

    planes  the buffer as MappedArray gives it, uint8: Y, and below it U and V, with the padding of their rows
    out     (rows, columns, 3) uint8, RGB: where the detail is written
    """
    rows, columns = out.shape[:2]
    small = np.empty((rows * 3 // 2, columns), np.uint8)
    chroma = small[rows:].reshape(2, rows // 2, columns // 2)
    luma, blue, red = _planes(planes, large)
    x, y, width, height = part.inside.x, part.inside.y, part.inside.width, part.inside.height
    _write(luma[y : y + height, x : x + width], small[:rows])
    x, y, width, height = x // 2, y // 2, width // 2, height // 2
    for plane, target in zip((blue, red), chroma, strict=True):
        _write(plane[y : y + height, x : x + width], target)
    cv2.cvtColor(small, cv2.COLOR_YUV2RGB_I420, dst=out)


def _in_large(rect: Rect, preview: GrantedStream, large: GrantedStream, factor: int) -> Rect:
    """The nearest part of the large picture whose sides stay even and whole when they are divided by `factor`."""
    x, width = _span(rect.x, rect.width, large.width / preview.width, large.width, 2 * factor)
    y, height = _span(rect.y, rect.height, large.height / preview.height, large.height, 2 * factor)
    return Rect(x, y, width, height)


def _span(start: int, length: int, scale: float, most: int, step: int) -> tuple[int, int]:
    first, last = (step * min(round(side * scale / step), most // step) for side in (start, start + length))
    return first, last - first


def _planes(array: NDArray[np.uint8], large: GrantedStream) -> tuple[NDArray[np.uint8], ...]:
    """Y (H, W), U and V (H / 2, W / 2): views without the padding. A row of U or V is half as long as one of Y."""
    chroma = array[large.height :].reshape(2, large.height // 2, array.shape[1] // 2)
    return array[: large.height, : large.width], *chroma[:, :, : large.width // 2]


def _write(plane: NDArray[np.uint8], out: NDArray[np.uint8]) -> None:
    if plane.shape == out.shape:
        np.copyto(out, plane)
    else:
        cv2.resize(plane, out.shape[::-1], dst=out, interpolation=cv2.INTER_AREA)
