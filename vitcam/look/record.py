"""Zones and masks as JSON: what `/api/zones` gives and takes, and what is kept for the next start."""

from collections.abc import Callable
from typing import Any, cast, get_args

from vitcam.errors import UsageError
from vitcam.look.areas import MOST_LABELS, MOST_MASKS, MOST_ZONES, ZONE_NAME, Areas, Zone
from vitcam.pictures.view import Follow, Region
from vitcam.text import shortened

FORM = 'send {"zones": {"door": {"rect": [x, y, width, height], "labels": []}}, "masks": [[x, y, width, height]]}'
_SIDES = "four numbers from 0 to 1: x, y, width, height in fractions of the picture"
_KEYS = frozenset({"rect", "labels", "enter", "leave", "dwell_s", "follow"})
_LONGEST_LABEL = 100
_MOST_DWELL_S = 3600.0


def areas_record(areas: Areas, sides: Callable[[Region], list[float] | None]) -> dict[str, Any]:
    """Zones and masks.

    sides  x, y, width and height of a region in fractions; None where they cannot be said
    """
    return {
        "zones": {
            zone.name: {
                "rect": sides(zone.region),
                "labels": list(zone.labels),
                "enter": zone.enter,
                "leave": zone.leave,
                "dwell_s": zone.dwell_s,
                "follow": zone.follow,
            }
            for zone in areas.zones
        },
        "masks": [sides(mask) for mask in areas.masks],
    }


def own_sides(region: Region) -> list[float]:
    """The numbers of a region, in fractions or in px as they were given."""
    return [region.x, region.y, region.width, region.height]


def read_areas(body: Any, in_px: bool = False) -> Areas:
    """What `areas_record` made. Raises UsageError with one sentence.

    in_px  whether rectangles may be in px
    """
    if not isinstance(body, dict) or not isinstance(body.get("zones"), dict) or not isinstance(body.get("masks"), list):
        raise UsageError(f"zones and masks are needed; {FORM} in fractions of the picture")
    zones, masks = body["zones"], body["masks"]
    if len(zones) > MOST_ZONES or len(masks) > MOST_MASKS:
        raise UsageError(
            f"there are {len(zones):,} zones and {len(masks):,} masks; allowed are {MOST_ZONES} and {MOST_MASKS}"
        )
    return Areas(
        tuple(read_zone(name, zone, in_px) for name, zone in zones.items()),
        tuple(_region(f"mask {number}", mask, in_px) for number, mask in enumerate(masks, 1)),
    )


def read_zone(name: str, record: Any, in_px: bool = False) -> Zone:
    """One zone of `areas_record`; arguments and errors as in `read_areas`."""
    if not ZONE_NAME.fullmatch(name):
        raise UsageError(f"{shortened(repr(name))} cannot be the name of a zone; use up to 32 letters, digits, - and _")
    what = f"the zone {name}"
    if not isinstance(record, dict) or not record.keys() <= _KEYS:
        raise UsageError(
            f"{what} must be an object with rect, and labels, enter, leave, dwell_s and follow where they are set"
        )
    region = _region(what, record.get("rect"), in_px)
    enter, leave = (_number(what, key, record.get(key), 1.0) for key in ("enter", "leave"))
    if enter is not None and leave is not None and leave > enter:
        raise UsageError(f"{what}: leave is {leave:g} and enter {enter:g}; leave may be at most enter")
    dwell_s = _number(what, "dwell_s", record.get("dwell_s"), _MOST_DWELL_S)
    labels, follow = _labels(what, record.get("labels") or []), _follow(what, record.get("follow"))
    return Zone(name, region, labels, enter, leave, dwell_s, follow)


def _region(what: str, sides: Any, in_px: bool) -> Region:
    numbers = isinstance(sides, list) and len(sides) == 4 and all(type(side) in (int, float) for side in sides)
    if not numbers or not (in_px or all(abs(side) <= 1 for side in sides)):
        raise UsageError(f"{what} needs {_SIDES}")
    try:
        return Region(*(float(side) for side in sides))
    except (UsageError, OverflowError):
        raise UsageError(f"{what} is empty or reaches outside the picture; give {_SIDES}") from None


def _labels(what: str, labels: Any) -> tuple[str, ...]:
    good = isinstance(labels, list) and len(labels) <= MOST_LABELS
    if not good or not all(isinstance(label, str) and 0 < len(label.strip()) <= _LONGEST_LABEL for label in labels):
        raise UsageError(
            f"the labels of {what} must be a list of up to {MOST_LABELS} texts of 1 to {_LONGEST_LABEL} characters"
        )
    return tuple(label.strip() for label in labels)


def _follow(what: str, value: Any) -> Follow | None:
    if value is None:
        return None
    for follow in get_args(Follow):
        if value == follow:
            return cast(Follow, follow)
    raise UsageError(f'follow of {what} is {shortened(repr(value))}; "off" or "motion" is allowed, or null')


def _number(what: str, key: str, value: Any, most: float) -> float | None:
    if value is None:
        return None
    if type(value) not in (int, float) or not 0 <= value <= most:
        raise UsageError(
            f"{key} of {what} is {shortened(repr(value))}; a number from 0 to {most:g} is allowed, or null"
        )
    return float(value)
