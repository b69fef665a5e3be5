"""Where the camera stands, as records of what was seen say it."""

import re
from dataclasses import dataclass
from typing import Annotated

from vitcam.config.option import Rule, Why

_ZONE = re.compile(r"[A-Za-z][\w+-]*(/[A-Za-z][\w+-]*){0,2}", re.ASCII)


def is_country(text: str) -> bool:
    """Whether a text may be a country's code of ISO 3166."""
    return re.fullmatch("[A-Z]{2}", text) is not None


def is_state(text: str) -> bool:
    """Whether a text may be the code of a part of a country, as ISO 3166-2 has it behind the country's."""
    return re.fullmatch("[A-Z0-9]{1,3}", text) is not None


def is_zone(text: str) -> bool:
    """Whether a text may be the name of a time zone."""
    return _ZONE.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class PlaceSettings:
    """Where the camera stands. Only what is exported says it."""

    latitude: Annotated[
        float,
        Rule(
            "Latitude of the camera in degrees of WGS 84; north is positive. 0: not set; on the equator itself, write "
            "0.000001",
            low=-90,
            high=90,
            page=Why.MACHINE,
        ),
    ] = 0.0
    longitude: Annotated[
        float,
        Rule(
            "Longitude of the camera in degrees of WGS 84; east is positive. 0: not set; on the meridian of Greenwich "
            "itself, write 0.000001",
            low=-180,
            high=180,
            page=Why.MACHINE,
        ),
    ] = 0.0
    decimals: Annotated[
        int,
        Rule(
            "Exports round latitude and longitude to so many decimals: 2 hides the place within 0.8 km, 5 shows it to "
            "the metre",
            low=0,
            high=5,
            page=Why.MACHINE,
        ),
    ] = 2
    name: Annotated[str, Rule("Name of the place in exports. Empty: the name of the camera", page=Why.MACHINE)] = ""
    country: Annotated[
        str,
        Rule(
            "Country in exports to eBird. Empty: eBird finds it by the place",
            form=is_country,
            form_words="two capital letters, such as DE",
            page=Why.MACHINE,
        ),
    ] = ""
    state: Annotated[
        str,
        Rule(
            "State or province in exports to eBird. Empty: eBird finds it by the place",
            form=is_state,
            form_words="one to three capital letters or digits, such as BE",
            page=Why.MACHINE,
        ),
    ] = ""
    time_zone: Annotated[
        str,
        Rule(
            "Time zone of the place, in which exports write times. Empty: that of the machine",
            form=is_zone,
            form_words="the name of a time zone, such as Europe/Berlin",
            page=Why.MACHINE,
        ),
    ] = ""
