"""Makes the pictures of any source upright, blackens its masks, and cuts out the part that was chosen for the model."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from types import TracebackType
from typing import Self

import cv2
import numpy as np

from vitcam.errors import MasksUnknown, SourceError, UsageError
from vitcam.frames import Detail, Frame, Image
from vitcam.look.areas import Areas
from vitcam.pictures.resize import InputSpec, rect_of
from vitcam.pictures.view import Orientation, Region
from vitcam.rects import Box, Rect
from vitcam.sources.masks import MaskRects, blackened, blackened_detail
from vitcam.sources.source import Source, SourceOptions

_ROUNDING_PX = 1  # the middle of an odd number of px lies beside the middle of their mirror image
_IN_ONE_PASS: dict[Orientation, Callable[[Image], cv2.typing.MatLike]] = {
    Orientation(hflip=True): lambda picture: cv2.flip(picture, 1),
    Orientation(vflip=True): lambda picture: cv2.flip(picture, 0),
    Orientation(hflip=True, vflip=True): lambda picture: cv2.rotate(picture, cv2.ROTATE_180),
    Orientation(rotate90=True): lambda picture: cv2.rotate(picture, cv2.ROTATE_90_CLOCKWISE),
    Orientation(hflip=True, vflip=True, rotate90=True): lambda picture: cv2.rotate(
        picture, cv2.ROTATE_90_COUNTERCLOCKWISE
    ),
    Orientation(vflip=True, rotate90=True): cv2.transpose,
    Orientation(hflip=True, rotate90=True): lambda picture: cv2.rotate(cv2.transpose(picture), cv2.ROTATE_180),
}


class OrientedSource:
    """Wraps a source. The model input that its scaler made is kept while it shows the chosen part, and no masked one.

    Every picture of every source leaves it here and nowhere else: so the masks are drawn here.

    orientation  what the source has not done itself
    options      of the source; its crop and its masks are read for every frame
    """

    def __init__(self, source: Source, orientation: Orientation, options: SourceOptions) -> None:
        self.live = source.live
        self._source = source
        self._orientation = orientation
        self._options = options
        self._crop = Rect(0, 0, 0, 0)
        self._crop_of: tuple[int, int, Region | None, InputSpec | None] = (0, 0, None, None)
        """Height, width, region and model's input that `_crop` was computed for."""
        self._masks = MaskRects()

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
        delivered = reorient_rect(self._orientation, frame.crop, height, width)
        preview = reorient(self._orientation, frame.preview)
        areas = self._known_areas()
        masks = self._masks.of(areas, *preview.shape[:2])
        preview = blackened(preview, masks)
        wanted = self._wanted(*preview.shape[:2])
        small = self._small(frame, delivered, wanted)
        if any(map(delivered.overlaps, masks)):  # a scaler mixes what lies beside each other
            small = None
        if not masks and small is frame.model_input and preview is frame.preview and wanted == frame.crop:
            return frame
        crop = wanted if small is None else delivered
        details = tuple(blackened_detail(self._turned(each, height, width), masks) for each in frame.details)
        return replace(frame, preview=preview, model_input=small, crop=crop, masks=areas.masks, details=details)

    def _turned(self, detail: Detail, height: int, width: int) -> Detail:
        rect = reorient_rect(self._orientation, detail.rect, height, width)
        return Detail(rect, reorient(self._orientation, detail.picture))

    def _known_areas(self) -> Areas:
        """Raises MasksUnknown where nobody knows what must stay hidden."""
        active = self._options.active_areas
        if active is not None and active.unknown:
            raise MasksUnknown(active.unknown)
        return self._options.areas

    def _wanted(self, height: int, width: int) -> Rect:
        active = self._options.active_crop
        region = None if active is None else active.region
        asked = height, width, region, self._options.spec
        if asked != self._crop_of:
            try:
                within = None if region is None else rect_of(region, height, width)
            except UsageError as error:
                raise SourceError(str(error)) from error
            self._crop, self._crop_of = self._options.crop(height, width, within), asked
        return self._crop

    def _small(self, frame: Frame, delivered: Rect, wanted: Rect) -> Image | None:
        spec = self._options.spec
        if frame.model_input is None or spec is None or not _nearly(delivered, wanted):
            return None
        small = reorient(self._orientation, frame.model_input)
        return small if small.shape[:2] == (spec.height, spec.width) else None


def reorient(orientation: Orientation, picture: Image) -> Image:
    """Make a picture upright.

    picture  (H, W, 3) uint8, RGB
    returns  (H, W, 3) uint8, RGB, or (W, H, 3) after a rotation by 90°; `picture` itself where nothing is to be done
    """
    if orientation not in _IN_ONE_PASS:
        return picture
    return np.asarray(_IN_ONE_PASS[orientation](picture), dtype=np.uint8)


def reorient_rect(orientation: Orientation, rect: Rect, height: int, width: int) -> Rect:
    """Where a rectangle of a picture of `height` × `width` px lies once the picture is upright."""
    x = width - rect.x - rect.width if orientation.hflip else rect.x
    y = height - rect.y - rect.height if orientation.vflip else rect.y
    if not orientation.rotate90:
        return Rect(x, y, rect.width, rect.height)
    return Rect(height - y - rect.height, x, rect.height, rect.width)


def rects_before_turning(boxes: Iterable[Box], orientation: Orientation, height: int, width: int) -> tuple[Rect, ...]:
    """Where parts of an upright picture lie in one that is still to be turned. What is not a part of it is left out.

    boxes          in fractions of the upright picture
    height, width  of the picture that is still to be turned, in px
    """
    size = (height, width) if orientation.rotate90 else (width, height)
    upright = [box.rect(size) for box in boxes if _is_part(box)]
    return tuple(_turned_back(orientation, rect, height, width) for rect in upright)


def _is_part(box: Box) -> bool:
    return 0 <= box.x < 1 and 0 <= box.y < 1 and 0 < box.width <= 1 and 0 < box.height <= 1


def _turned_back(orientation: Orientation, rect: Rect, height: int, width: int) -> Rect:
    """The opposite of `reorient_rect`."""
    if orientation.rotate90:
        rect = Rect(rect.y, height - rect.x - rect.width, rect.height, rect.width)
    return reorient_rect(Orientation(orientation.hflip, orientation.vflip), rect, height, width)


def _nearly(one: Rect, other: Rect) -> bool:
    pairs = ((one.x, other.x), (one.y, other.y), (one.width, other.width), (one.height, other.height))
    return all(abs(a - b) <= _ROUNDING_PX for a, b in pairs)
