"""What a configuration may hold several of: zones, each with a name, and rules, in the order in which they stand."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any

from vitcam.config.option import Option, Rule, Why, options_of
from vitcam.parts import PARTS
from vitcam.pictures.view import CROP_WORDS, Follow, is_region


@dataclass(frozen=True, slots=True)
class ZoneSettings:
    """A part of the picture that is classified by itself. With zones, the whole picture is not classified."""

    name: str
    """As in `[zones.NAME]`."""
    rect: Annotated[
        str,
        Rule(
            "The part of the upright picture",
            filled=True,
            form=is_region,
            form_words=CROP_WORDS,
            example="0,0,0.5,1",
            live=True,
            page=Why.ELSEWHERE,
        ),
    ] = ""
    labels: Annotated[
        tuple[str, ...],
        Rule(
            "Labels and groups that begin an event here; unknown is one of them. Empty: every label",
            live=True,
            page=Why.ELSEWHERE,
        ),
    ] = ()
    enter: Annotated[
        float | None,
        Rule(
            "As `events.enter`, for this zone. Not given: as there",
            low=0,
            high=1,
            example=0.6,
            live=True,
            page=Why.ELSEWHERE,
        ),
    ] = None
    leave: Annotated[
        float | None,
        Rule(
            "As `events.leave`, for this zone. Not given: as there",
            low=0,
            high=1,
            example=0.4,
            live=True,
            page=Why.ELSEWHERE,
        ),
    ] = None
    dwell_s: Annotated[
        float | None,
        Rule(
            "As `events.dwell_s`, for this zone. Not given: as there",
            low=0,
            high=3600,
            example=1.0,
            live=True,
            page=Why.ELSEWHERE,
        ),
    ] = None
    follow: Annotated[
        Follow | None,
        Rule("As `look.follow`, for this zone. Not given: as there", example="motion", live=True, page=Why.ELSEWHERE),
    ] = None


@dataclass(frozen=True, slots=True)
class TableKind:
    """Tables of which a configuration may hold several."""

    holds: type[Any]
    """Dataclass of one of them."""
    heading: str
    """As it is written in the file."""
    named: bool
    """True: each has a name. False: they stand in an order."""


RULES = {key: kind for part in PARTS for key, kind in part.rules.items()}
"""Key in the file -> the dataclass of its rules, which its part describes."""
TABLES = {
    "zones": TableKind(ZoneSettings, "[zones.NAME]", named=True),
    **{key: TableKind(kind, f"[[{key}]]", named=False) for key, kind in RULES.items()},
}
"""By their key in the file."""


@cache
def table_options(key: str) -> Mapping[str, Option]:
    """The settings of each table under a key of `TABLES`, by their own key."""
    kind = TABLES[key]
    return MappingProxyType({option.key: option for option in options_of(kind.heading.strip("[]"), kind.holds)})
