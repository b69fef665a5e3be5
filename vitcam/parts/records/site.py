"""The place of a camera as records give it: rounded, with how far the camera may be from it, and in its own time."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from vitcam.errors import UsageError
from vitcam.parts.records.settings import PlaceSettings

_DEGREE_M = 111_700  # of latitude near the poles; elsewhere, and of longitude, a degree is shorter


@dataclass(frozen=True, slots=True)
class Site:
    """One place, of which no more is said than its owner wants."""

    latitude: str
    """In degrees, rounded."""
    longitude: str
    decimals: int
    zone: tzinfo | None
    """None: that of the machine."""
    name: str
    country: str
    state: str

    @classmethod
    def of(cls, place: PlaceSettings, camera: str) -> Self:
        """The place that the settings give.

        camera  the name of the camera, where the place has none
        raises  UsageError where they give none, or a time zone that this machine does not know
        """
        if not (place.latitude and place.longitude):
            lacks = "longitude" if place.latitude else "latitude"
            raise UsageError(
                f"records need the place of the camera, and place.{lacks} is not set; write latitude and longitude "
                "below [place] of a configuration file, or add --set place.latitude=52.52 --set place.longitude=13.38"
            )
        latitude, longitude = (_rounded(degrees, place.decimals) for degrees in (place.latitude, place.longitude))
        name = " ".join((place.name or camera).split())
        return cls(latitude, longitude, place.decimals, _zone(place.time_zone), name, place.country, place.state)

    @property
    def uncertainty_m(self) -> int:
        """The radius of a circle around the rounded place in which the exact one lies."""
        half = 0.5 * 10.0**-self.decimals
        nearest_to_equator = max(0.0, abs(float(self.latitude)) - half)
        return math.ceil(half * _DEGREE_M * math.hypot(1, math.cos(math.radians(nearest_to_equator))))

    def time(self, wall_ms: int, up: bool = False) -> datetime:
        """The local time, which knows its offset, in whole seconds.

        up  a part of a second counts as a whole one
        """
        whole = -(-wall_ms // 1000) if up else wall_ms // 1000
        return datetime.fromtimestamp(whole, UTC).astimezone(self.zone)


def _rounded(degrees: float, decimals: int) -> str:
    return f"{round(degrees, decimals) + 0.0:.{decimals}f}"  # + 0.0: no -0.00


def _zone(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, OSError, ValueError) as error:
        raise UsageError(
            f"place.time_zone is {name}, which this machine does not know; `timedatectl list-timezones` lists the "
            "names, such as Europe/Berlin"
        ) from error
