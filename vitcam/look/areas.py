"""Zones and masks as plain values, and where they lie in a picture of a certain size."""

import math
import re
from dataclasses import dataclass

from vitcam.errors import SourceError
from vitcam.pictures.view import Follow, Region
from vitcam.rects import Rect

MOST_ZONES = 64
MOST_MASKS = 64
MOST_LABELS = 64
ZONE_NAME = re.compile(r"[\w-]{1,32}")
_NOTHING_PX = 0.01  # fractions are saved with six digits, so a side may seem to reach this far into the next px


@dataclass(frozen=True, slots=True)
class Zone:
    """A part of the upright picture that is classified by itself, and when an event begins there."""

    name: str
    region: Region
    labels: tuple[str, ...] = ()
    """Labels and groups that begin an event, and `unknown`; empty: every one."""
    enter: float | None = None
    """As in the rules of events; None: the same as everywhere."""
    leave: float | None = None
    dwell_s: float | None = None
    follow: Follow | None = None
    """Whether what moves there is followed; None: the same as everywhere."""


@dataclass(frozen=True, slots=True)
class Areas:
    """All zones and masks in force. Without zones the whole view is classified."""

    zones: tuple[Zone, ...] = ()
    masks: tuple[Region, ...] = ()
    """Parts of the upright picture that are black before anybody gets it."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the zones, in their order."""
        return tuple(zone.name for zone in self.zones)

    @property
    def watched_labels(self) -> list[tuple[str, str]]:
        """Each label that a zone watches, and who asks for it."""
        return [(label, f"the zone {zone.name} watches") for zone in self.zones for label in zone.labels]


NO_AREAS = Areas()


def zone_rect(region: Region, height: int, width: int) -> Rect:
    """Where a zone lies in a picture of `height` × `width` px; what reaches outside is cut off, but never all of it."""
    return Rect.between(*region.sides(height, width), height, width)


def mask_rect(region: Region, height: int, width: int) -> Rect:
    """What a mask covers of a picture of `height` × `width` px: every px that it touches, and at least one.

    raises  SourceError if it reaches outside the picture: what it should hide is then nobody's guess
    """
    across, down = (width, height) if region.in_fractions else (1, 1)
    left, right = _touched(region.x * across, (region.x + region.width) * across)
    top, bottom = _touched(region.y * down, (region.y + region.height) * down)
    if region.in_fractions:  # a fraction may seem to reach a little beyond the border, or to begin on it
        left, top, right, bottom = min(left, width - 1), min(top, height - 1), min(right, width), min(bottom, height)
    elif left >= width or top >= height or right > width or bottom > height:
        raise SourceError(
            f"the mask {region} does not fit the upright picture of {width}×{height} px, so no picture is shown; "
            "change camera.masks, or give fractions of the picture"
        )
    return Rect(left, top, right - left, bottom - top)


def _touched(start: float, end: float) -> tuple[int, int]:
    """The first px between two places, and the one after the last; never none.

    What is not larger than the error of a saved place counts as a part of both px beside it.
    """
    first, last = math.floor(start + _NOTHING_PX), math.ceil(end - _NOTHING_PX)
    return (first, last) if first < last else (math.floor(start), max(math.ceil(end), math.floor(start) + 1))
