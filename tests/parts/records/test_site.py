"""The place is said as roughly as its owner wants, and the exact one lies within what is said."""

import math
import random
from dataclasses import replace
from pathlib import Path

import pytest

from tests.parts.records.made import BERLIN
from vitcam.config.load import load
from vitcam.config.settings import Settings
from vitcam.doctor.check import CheckContext
from vitcam.errors import ConfigError, UsageError
from vitcam.machine import Machine
from vitcam.parts.records.checks import place
from vitcam.parts.records.settings import PlaceSettings
from vitcam.parts.records.site import Site

_EARTH_M = 6_378_137  # the largest radius of WGS 84


def apart_m(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Between two places on a sphere that is a little larger than the Earth, by the haversine formula."""
    (lat, lon), (lat2, lon2) = (tuple(map(math.radians, each)) for each in (one, other))
    half = math.sin((lat2 - lat) / 2) ** 2 + math.cos(lat) * math.cos(lat2) * math.sin((lon2 - lon) / 2) ** 2
    return 2 * _EARTH_M * math.asin(math.sqrt(half))


@pytest.mark.parametrize("decimals", range(6))
def test_the_exact_place_lies_within_the_uncertainty(decimals: int) -> None:
    rng = random.Random(decimals)
    for _ in range(300):
        exact = rng.uniform(-90, 90), rng.uniform(-180, 180)
        site = Site.of(PlaceSettings(*exact, decimals=decimals), "")
        assert apart_m(exact, (float(site.latitude), float(site.longitude))) <= site.uncertainty_m
        assert site.uncertainty_m <= math.ceil(78_990 / 10**decimals)


def test_nothing_is_said_that_a_spreadsheet_takes_for_another_number() -> None:
    site = Site.of(PlaceSettings(-0.001, 180.0), "  the\nshed ")
    assert (site.latitude, site.longitude, site.name) == ("0.00", "180.00", "the shed")


def test_a_place_that_is_missing_or_wrong_is_refused_in_one_sentence() -> None:
    for given, lacks in ((PlaceSettings(), "latitude"), (PlaceSettings(1.0), "longitude")):
        with pytest.raises(UsageError, match=f"place.{lacks} is not set; write latitude and longitude below"):
            Site.of(given, "")
    with pytest.raises(UsageError, match=r"place\.time_zone is Europe/Atlantis, which this machine does not know"):
        Site.of(replace(BERLIN, time_zone="Europe/Atlantis"), "")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("place.latitude=91", "a number from -90 to 90"),
        ("place.latitude=nan", "a number from -90 to 90"),
        ("place.longitude=-180.5", "a number from -180 to 180"),
        ("place.decimals=6", "a whole number from 0 to 5"),
        ("place.country=Germany", "two capital letters"),
        ("place.time_zone=../../etc/passwd", "the name of a time zone"),
    ],
)
def test_settings_out_of_range_are_refused(given: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=says):
        load(None, [given], {}, {"HOME": str(tmp_path)})


def test_doctor_says_the_place_as_exports_would() -> None:
    def found(settings: PlaceSettings) -> tuple[str, str]:
        result = place(CheckContext(Settings().with_section("place", settings), Machine({})))
        return result.status, result.found

    assert found(PlaceSettings()) == ("ok", "none is set; `vitcam export` needs one")
    assert found(BERLIN) == ("ok", "exports say 52.52, 13.38, to 654 m")
    assert found(PlaceSettings(1.0))[0] == "warn"
