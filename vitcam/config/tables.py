"""What a configuration may hold several of: zones, each with a name, and rules, in the order in which they stand."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, Literal

from vitcam.config.option import Option, Rule, Why, options_of
from vitcam.config.validators import SPAN_WORDS, is_notify_address, is_rule_name, is_span_of_day, is_web_address
from vitcam.pictures.view import CROP_WORDS, Follow, is_region

EventKind = Literal["seen", "unknown", "problem"]
Phase = Literal["new", "end"]
ACTIONS = ("command", "webhook", "notify", "mqtt", "push", "sound", "gpio")
"""Keys of a rule that say what is done."""


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
class OnSettings:
    """A rule: what is done when an event fits. It needs at least one key of `ACTIONS`, else it is idle."""

    name: Annotated[
        str,
        Rule(
            "Name of the rule in messages and events. Not given: its number, from 1",
            filled=True,
            form=is_rule_name,
            form_words="up to 32 letters, digits, - and _",
            example="lamp",
            live=True,
            page=Why.ELSEWHERE,
        ),
    ] = ""
    label: Annotated[
        str, Rule("Label or group of the event, or unknown. Empty: any label", live=True, page=Why.ELSEWHERE)
    ] = ""
    zone: Annotated[str, Rule("Zone of the event. Empty: any", live=True, page=Why.ELSEWHERE)] = ""
    above: Annotated[
        float, Rule("The probability of the event must have reached this", low=0, high=1, live=True, page=Why.ELSEWHERE)
    ] = 0.0
    for_s: Annotated[
        float, Rule("The event must have lasted so long, in s", low=0, high=86400, live=True, page=Why.ELSEWHERE)
    ] = 0.0
    between: Annotated[
        str,
        Rule(
            "Only at this time of the day. The second time may be on the next day. Empty: at any time",
            form=is_span_of_day,
            form_words=SPAN_WORDS,
            live=True,
            page=Why.ELSEWHERE,
        ),
    ] = ""
    cooldown_s: Annotated[
        float,
        Rule("Least time between two actions of this rule, in s", low=0, high=604800, live=True, page=Why.ELSEWHERE),
    ] = 0.0
    kind: Annotated[
        EventKind,
        Rule(
            "seen: a label. unknown: something that the model does not know; label = unknown means the same. problem: "
            "the camera was moved, covered, blinded or is out of focus",
            live=True,
            page=Why.ELSEWHERE,
        ),
    ] = "seen"
    phase: Annotated[
        Phase,
        Rule(
            "When it acts. new: while the event lasts. end: when it is over, with its whole length",
            live=True,
            page=Why.ELSEWHERE,
        ),
    ] = "new"
    command: Annotated[
        tuple[str, ...],
        Rule(
            "Program and arguments. It is run without a shell, and gets the event as JSON on stdin",
            example=("/usr/local/bin/lamp", "on"),
            live=True,
            page=Why.COMMAND,
        ),
    ] = ()
    timeout_s: Annotated[
        float,
        Rule("Time limit of the command, in s. It is ended then", low=0.1, high=3600, live=True, page=Why.COMMAND),
    ] = 30.0
    webhook: Annotated[
        str,
        Rule(
            "Address that gets the event as JSON by POST",
            form=is_web_address,
            form_words="an address such as https://example.org/hook",
            example="https://example.org/hook",
            live=True,
            secret=True,
            page=Why.ELSEWHERE,
        ),
    ] = ""
    notify: Annotated[
        tuple[str, ...],
        Rule(
            "Addresses of Apprise that get a message, such as ntfy, mail or Telegram",
            form=is_notify_address,
            form_words="addresses such as ntfy://a-long-secret-name",
            example=("ntfy://a-long-secret-name",),
            live=True,
            secret=True,
            page=Why.ELSEWHERE,
        ),
    ] = ()
    mqtt: Annotated[
        bool,
        Rule(
            "Publish the event as JSON on the topic PREFIX/NAME/alert of the MQTT broker", live=True, page=Why.ELSEWHERE
        ),
    ] = False
    push: Annotated[
        bool,
        Rule(
            "Send a message to every browser that was allowed to get one, on the page below Alerts",
            live=True,
            page=Why.ELSEWHERE,
        ),
    ] = False
    sound: Annotated[bool, Rule("Play a sound in every window that shows the page", live=True, page=Why.ELSEWHERE)] = (
        False
    )
    gpio: Annotated[
        int | None,
        Rule(
            "Pin that is set high, by its BCM number as in GPIO17", low=0, high=27, example=17, live=True, page=Why.PIN
        ),
    ] = None
    gpio_s: Annotated[
        float, Rule("How long the pin stays high, in s", low=0.01, high=86400, live=True, page=Why.PIN)
    ] = 1.0
    place: str = field(default="", compare=False)
    """The file that it comes from, with the line where that is known; empty: no file."""
    idle: str = field(default="", compare=False)
    """Why it does nothing, as one sentence with its remedy; empty: it acts."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """What it does: some of `ACTIONS`."""
        return tuple(kind for kind in ACTIONS if _is_given(getattr(self, kind)))


def _is_given(value: object) -> bool:
    return value is not None and value is not False and value not in ((), "")  # 0 is a pin


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
