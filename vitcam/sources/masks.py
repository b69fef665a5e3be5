"""Privacy masks: parts of the picture that nobody gets, because they are black before the picture leaves its source."""

import math
from dataclasses import replace

from vitcam.errors import SourceError
from vitcam.frames import Detail, Frame, Image
from vitcam.look.areas import NO_AREAS, Areas, mask_rect
from vitcam.pictures.view import Region
from vitcam.rects import Rect

_BESIDE = 4
"""px of a detail: it may lie one px beside its rectangle, and px beside each other share a colour, in the camera's
picture and again where that was made smaller."""


class MaskRects:
    """What the masks cover of pictures of one size; computed again only when masks or size change."""

    def __init__(self) -> None:
        self._known: tuple[Areas, int, int] = (NO_AREAS, 0, 0)
        self._rects: tuple[Rect, ...] = ()

    def of(self, areas: Areas, height: int, width: int) -> tuple[Rect, ...]:
        """Raises SourceError for a mask or a zone that does not fit a picture of that size."""
        if self._known[0] is not areas or self._known[1:] != (height, width):
            _check_zones(areas, height, width)
            self._rects = tuple(mask_rect(region, height, width) for region in areas.masks)
            self._known = (areas, height, width)
        return self._rects


def blackened(picture: Image, masks: tuple[Rect, ...]) -> Image:
    """Make the masked parts black: in the picture itself where its source allows that, else in a copy.

    picture  (H, W, 3) uint8, RGB; its source allows it where it is writable
    returns  (H, W, 3) uint8, RGB; `picture` itself where there is no mask
    """
    if not masks:
        return picture
    out = picture if picture.flags.writeable else picture.copy()
    for mask in masks:
        out[mask.px] = 0
    out.setflags(write=False)
    return out


def blackened_detail(detail: Detail, masks: tuple[Rect, ...]) -> Detail:
    """Make the masked parts black: in its picture itself where its source allows that, else in a copy.

    masks  in px of the preview
    """
    height, width = detail.picture.shape[:2]
    inside = [_in_detail(mask, detail.rect, height, width) for mask in masks if mask.overlaps(_around(detail.rect))]
    return replace(detail, picture=blackened(detail.picture, tuple(inside))) if inside else detail


def _around(rect: Rect) -> Rect:
    return Rect(rect.x - _BESIDE, rect.y - _BESIDE, rect.width + 2 * _BESIDE, rect.height + 2 * _BESIDE)


def _in_detail(mask: Rect, rect: Rect, height: int, width: int) -> Rect:
    """What a mask covers of a detail of `height` × `width` px: every px that may show a part of what it hides."""
    x, across = _span(mask.x - rect.x, mask.width, width / rect.width, width)
    y, down = _span(mask.y - rect.y, mask.height, height / rect.height, height)
    return Rect(x, y, across, down)


def _span(start: int, length: int, scale: float, most: int) -> tuple[int, int]:
    first = min(max(0, math.floor(start * scale) - _BESIDE), most)
    last = min(max(0, math.ceil((start + length) * scale) + _BESIDE), most)
    return first, last - first


def masked(frame: Frame, masks: tuple[Region, ...]) -> Frame:
    """The frame with these masks, also where it was taken before they were drawn; itself if it has them already.

    raises  SourceError for a mask that does not fit its picture
    """
    if frame.masks is masks or set(masks) <= set(frame.masks):
        return frame
    height, width = frame.preview.shape[:2]
    rects = tuple(mask_rect(region, height, width) for region in masks)
    small = None if any(map(frame.crop.overlaps, rects)) else frame.model_input
    details = tuple(blackened_detail(Detail(each.rect, each.picture.copy()), rects) for each in frame.details)
    preview = blackened(frame.preview.copy(), rects)
    return replace(frame, preview=preview, model_input=small, masks=masks, details=details)


def _check_zones(areas: Areas, height: int, width: int) -> None:
    for zone in areas.zones:
        if not zone.region.in_fractions and (zone.region.x >= width or zone.region.y >= height):
            raise SourceError(
                f"the zone {zone.name} at {zone.region} lies outside the upright picture of {width}×{height} px; "
                "change its rect, or give fractions of the picture"
            )
