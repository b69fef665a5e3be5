"""Zones and masks as plain values, and where they lie in a picture of a certain size."""

import math
import re
from dataclasses import dataclass

from vitcam.errors import SourceError
from vitcam.frames import Rect
from vitcam.pictures.view import Region

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


NO_AREAS = Areas()


def zone_rect(region: Region, height: int, width: int) -> Rect:
    """Where a zone lies in a picture of `height` × `width` px; what reaches outside is cut off, but never all of it."""
    across, down = (width, height) if region.in_fractions else (1, 1)
    left, top = min(round(region.x * across), width - 1), min(round(region.y * down), height - 1)
    right, bottom = round((region.x + region.width) * across), round((region.y + region.height) * down)
    return Rect(left, top, max(1, min(right, width) - left), max(1, min(bottom, height) - top))


def mask_rect(region: Region, height: int, width: int) -> Rect:
    """What a mask covers of a picture of `height` × `width` px: every px that it touches.

    raises  SourceError if it reaches outside the picture: what it should hide is then nobody's guess
    """
    across, down = (width, height) if region.in_fractions else (1, 1)
    left, top = (math.floor(side + _NOTHING_PX) for side in (region.x * across, region.y * down))
    right = math.ceil((region.x + region.width) * across - _NOTHING_PX)
    bottom = math.ceil((region.y + region.height) * down - _NOTHING_PX)
    if right > width or bottom > height:
        raise SourceError(
            f"the mask {region} does not fit the upright picture of {width}×{height} px, so no picture is shown; "
            "change camera.masks, or give fractions of the picture"
        )
    return Rect(left, top, max(1, right - left), max(1, bottom - top))
