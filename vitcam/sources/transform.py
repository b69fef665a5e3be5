"""Any source, its pictures made upright and the model shown the part of them that was chosen."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from types import TracebackType
from typing import Self

import cv2
import numpy as np

from vitcam.errors import SourceError, UsageError
from vitcam.frames import Frame, Image, Rect
from vitcam.pictures.resize import rect_of
from vitcam.pictures.view import Turn
from vitcam.sources.source import Source, SourceOptions

_ROUNDING_PX = 1  # the middle of an odd number of px lies beside the middle of their mirror image
_IN_ONE_PASS: dict[Turn, Callable[[Image], cv2.typing.MatLike]] = {
    Turn(mirrored=True): lambda picture: cv2.flip(picture, 1),
    Turn(upturned=True): lambda picture: cv2.flip(picture, 0),
    Turn(mirrored=True, upturned=True): lambda picture: cv2.rotate(picture, cv2.ROTATE_180),
    Turn(quarter=True): lambda picture: cv2.rotate(picture, cv2.ROTATE_90_CLOCKWISE),
    Turn(mirrored=True, upturned=True, quarter=True): lambda picture: cv2.rotate(
        picture, cv2.ROTATE_90_COUNTERCLOCKWISE
    ),
    Turn(upturned=True, quarter=True): cv2.transpose,
    Turn(mirrored=True, quarter=True): lambda picture: cv2.rotate(cv2.transpose(picture), cv2.ROTATE_180),
}


class Turned:
    """Wraps a source. What its scaler made for the model is kept while it shows what the model is to see.

    turn     what the source has not done itself
    options  of the source; `region` is asked for every frame
    """

    def __init__(self, source: Source, turn: Turn, options: SourceOptions) -> None:
        self.live = source.live
        self._source = source
        self._turn = turn
        self._options = options

    def __enter__(self) -> Self:
        self._source.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._source.__exit__(kind, error, trace)

    def stop(self) -> None:
        self._source.stop()

    def __iter__(self) -> Iterator[Frame]:
        """As the source's own; raises SourceError for a region that does not fit its pictures."""
        for frame in self._source:
            yield self._view(frame)

    def _view(self, frame: Frame) -> Frame:
        height, width = frame.preview.shape[:2]
        delivered = turn_rect(self._turn, frame.crop, height, width)
        preview = turned(self._turn, frame.preview)
        wanted = self._wanted(*preview.shape[:2])
        small = self._small(frame, delivered, wanted)
        if small is frame.model_input and preview is frame.preview and wanted == frame.crop:
            return frame
        return replace(frame, preview=preview, model_input=small, crop=wanted if small is None else delivered)

    def _wanted(self, height: int, width: int) -> Rect:
        region = self._options.region()
        try:
            within = None if region is None else rect_of(region, height, width)
        except UsageError as error:
            raise SourceError(str(error)) from error
        return self._options.crop(height, width, within)

    def _small(self, frame: Frame, delivered: Rect, wanted: Rect) -> Image | None:
        spec = self._options.input
        if frame.model_input is None or spec is None or not _nearly(delivered, wanted):
            return None
        small = turned(self._turn, frame.model_input)
        return small if small.shape[:2] == (spec.height, spec.width) else None


def turned(turn: Turn, picture: Image) -> Image:
    """(H, W, 3) uint8, or (W, H, 3) after a quarter turn; `picture` itself where there is nothing to do."""
    if turn not in _IN_ONE_PASS:
        return picture
    return np.asarray(_IN_ONE_PASS[turn](picture), dtype=np.uint8)


def turn_rect(turn: Turn, rect: Rect, height: int, width: int) -> Rect:
    """Where a rectangle of a picture of `height` × `width` px lies once that is turned."""
    x = width - rect.x - rect.width if turn.mirrored else rect.x
    y = height - rect.y - rect.height if turn.upturned else rect.y
    if not turn.quarter:
        return Rect(x, y, rect.width, rect.height)
    return Rect(height - y - rect.height, x, rect.height, rect.width)


def _nearly(one: Rect, other: Rect) -> bool:
    pairs = ((one.x, other.x), (one.y, other.y), (one.width, other.width), (one.height, other.height))
    return all(abs(a - b) <= _ROUNDING_PX for a, b in pairs)
