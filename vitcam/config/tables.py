"""What a configuration may hold several of: zones, each with a name, and rules, in the order in which they stand."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any

from vitcam.config.duration import SPAN_WORDS, is_span_of_day
from vitcam.config.option import Option, Rule, options_of
from vitcam.pictures.view import CROP_WORDS, is_region


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
        ),
    ] = ""
    labels: Annotated[
        tuple[str, ...], Rule("Labels and groups that begin an event here. Empty: every label", live=True)
    ] = ()
    enter: Annotated[
        float | None,
        Rule("As `events.enter`, for this zone. Not given: as there", low=0, high=1, example=0.6, live=True),
    ] = None
    leave: Annotated[
        float | None,
        Rule("As `events.leave`, for this zone. Not given: as there", low=0, high=1, example=0.4, live=True),
    ] = None
    dwell_s: Annotated[
        float | None,
        Rule("As `events.dwell_s`, for this zone. Not given: as there", low=0, high=3600, example=1.0, live=True),
    ] = None


@dataclass(frozen=True, slots=True)
class OnSettings:
    """A rule: what is done when an event fits."""

    label: Annotated[str, Rule("Label or group of the event. Empty: any", live=True)] = ""
    zone: Annotated[str, Rule("Zone of the event. Empty: any", live=True)] = ""
    above: Annotated[float, Rule("The probability of the event must have reached this", low=0, high=1, live=True)] = 0.0
    for_s: Annotated[float, Rule("The event must have lasted so long, in s", low=0, high=86400, live=True)] = 0.0
    between: Annotated[
        str,
        Rule(
            "Only at this time of the day. The second time may be on the next day. Empty: at any time",
            form=is_span_of_day,
            form_words=SPAN_WORDS,
            live=True,
        ),
    ] = ""
    cooldown_s: Annotated[
        float, Rule("Least time between two actions of this rule, in s", low=0, high=604800, live=True)
    ] = 0.0


@dataclass(frozen=True, slots=True)
class TableKind:
    """Tables of which a configuration may hold several."""

    holds: type[Any]
    """Dataclass of one of them."""
    heading: str
    """As it is written in the file."""
    named: bool
    """True: each has a name. False: they stand in an order."""


TABLES = {
    "zones": TableKind(ZoneSettings, "[zones.NAME]", named=True),
    "on": TableKind(OnSettings, "[[on]]", named=False),
}
"""By their key in the file."""


@cache
def table_options(key: str) -> Mapping[str, Option]:
    """The settings of each table under a key of `TABLES`, by their own key."""
    kind = TABLES[key]
    return MappingProxyType({option.key: option for option in options_of(kind.heading.strip("[]"), kind.holds)})
