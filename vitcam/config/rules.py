"""Rules of the configuration, of which there may be several. What one does is said by the part whose it is."""

from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

from vitcam.config.option import Rule, Why
from vitcam.config.validators import SPAN_WORDS, is_rule_name, is_span_of_day

EventKind = Literal["seen", "unknown", "problem"]
Phase = Literal["new", "end"]


@dataclass(frozen=True, slots=True)
class OrderedRule:
    """A table of several that stand in an order, such as `[[on]]`."""

    ways: ClassVar[tuple[str, ...]] = ()
    """Keys that say what is done. A rule needs at least one, else it is idle."""

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
    place: str = field(default="", compare=False)
    """The file that it comes from, with the line where that is known; empty: no file."""
    idle: str = field(default="", compare=False)
    """Why it does nothing, as one sentence with its remedy; empty: it acts."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """What it does: some of `ways`."""
        return tuple(way for way in self.ways if _is_given(getattr(self, way)))

    @property
    def lacks(self) -> str:
        """What it needs and does not have, as the end of a sentence; empty: nothing."""
        return "" if self.kinds else f"does nothing; give it one of {', '.join(self.ways)}"

    @property
    def named_labels(self) -> list[tuple[str, str]]:
        """Each label or group that it names, and who does: `("cat", "the rule lamp is for")`."""
        return []


@dataclass(frozen=True, slots=True)
class EventRule(OrderedRule):
    """The events that a rule is for."""

    label: Annotated[
        str, Rule("Label or group of the event, or unknown. Empty: any label", live=True, page=Why.ELSEWHERE)
    ] = ""
    not_labels: Annotated[
        tuple[str, ...],
        Rule(
            "Labels and groups that are left out: the rule does not act while the best guess is one of them",
            example=("Mimi",),
            live=True,
            page=Why.ELSEWHERE,
        ),
    ] = ()
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

    @property
    def named_labels(self) -> list[tuple[str, str]]:
        if self.kind != "seen":
            return []
        of_it = [(self.label, f"the rule {self.name} is for")] if self.label else []
        return of_it + [(label, f"the rule {self.name} leaves out") for label in self.not_labels]


def _is_given(value: object) -> bool:
    return value is not None and value is not False and value not in ((), "")  # 0 is a pin
