"""Which rules fire at an event. Pure: the same events at the same times give the same firings, live and in a replay.

An event and a rule fire once at most, at the first moment at which all conditions of the rule hold. A rule of the phase
`new` is asked at each report of the event and, while the event lasts, at each tick; a rule of the phase `end` once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Generic, TypeVar

from vitcam.config.rules import EventRule
from vitcam.config.validators import minutes_of
from vitcam.frames import UNKNOWN, Event
from vitcam.names.vocabulary import Meanings, means_any, means_displayed
from vitcam.names.wanted import key_of

R = TypeVar("R", bound=EventRule)
_MOST_LASTING = 64  # boxes have numbers that never come again: an end that got lost must not stay for ever
TICK_S = 1.0
"""A tick must come at least this often while an event lasts."""


@dataclass(frozen=True, slots=True)
class Instant:
    """A point in time, on both clocks."""

    monotonic_ns: int
    minute: int
    """Minutes since midnight on the wall, in local time."""

    @classmethod
    def at(cls, monotonic_ns: int, wall: datetime) -> "Instant":
        """`wall` is local time. Where a clock is set back, its hour comes twice, and where it is set on, not once."""
        return cls(monotonic_ns, 60 * wall.hour + wall.minute)


@dataclass(frozen=True, slots=True)
class Firing(Generic[R]):
    """A rule has to act on an event."""

    rule: R
    event: Event
    """As it was reported last."""


@dataclass(frozen=True, slots=True)
class RuleState:
    """What is remembered between two moments."""

    lasting: Mapping[str, Event] = field(default_factory=dict)
    """Events that last, by id, the oldest first."""
    fired: frozenset[tuple[str, EventRule]] = frozenset()
    """Lasting events and the rules that have fired at them."""
    last_ns: Mapping[EventRule, int] = field(default_factory=dict)
    """When each rule with a cooldown fired last."""


def step(
    rules: Sequence[R], meanings: Meanings, state: RuleState, now: Instant, event: Event | None = None
) -> tuple[RuleState, tuple[Firing[R], ...]]:
    """Take one report of an event into account, or, without one, that time has passed.

    meanings  by which rules may name labels and groups: a rule for a group holds for every label in it
    returns  the next state, and what has to be done, in the order of the rules
    """
    lasting = dict(state.lasting)
    if event:
        if event.phase == "new":  # what was in sight at its place is over, even if nobody heard so
            over = [id_ for id_, other in lasting.items() if _was_instead(other, event)]
            over += [*lasting][: max(0, len(lasting) - _MOST_LASTING)]
            lasting = {id_: other for id_, other in lasting.items() if id_ not in over}
        lasting[event.id] = event
    fired, last_ns = set(state.fired), dict(state.last_ns)
    firings: list[Firing[R]] = []
    for one in [event] if event else lasting.values():
        for rule in rules:
            if (one.id, rule) in fired or not _holds(rule, meanings, one, now):
                continue
            if (before_ns := last_ns.get(rule)) is not None and now.monotonic_ns - before_ns < rule.cooldown_s * 1e9:
                continue
            fired.add((one.id, rule))
            if rule.cooldown_s:
                last_ns[rule] = now.monotonic_ns
            firings.append(Firing(rule, one))
    if event and event.phase == "end":
        del lasting[event.id]
    kept = frozenset((id_, rule) for id_, rule in fired if id_ in lasting)
    return RuleState(lasting, kept, {rule: ns for rule, ns in last_ns.items() if rule in rules}), tuple(firings)


def _was_instead(other: Event, new: Event) -> bool:
    """Whether an event lasted at the place of one that begins."""
    return other.kind == new.kind and other.place == new.place and other.end_ns is None


def fits(rule: EventRule, meanings: Meanings, event: Event) -> bool:
    """Whether an event is of the kind, of the label or group, and in the zone of a rule that does not leave it out."""
    kind = event.kind == rule.kind or (event.kind == "unknown" and key_of(rule.label) == UNKNOWN)
    named = not rule.label or means_displayed(rule.label, event, meanings)
    return kind and rule.zone in ("", event.zone) and named and not means_any(rule.not_labels, event, meanings)


def _holds(rule: EventRule, meanings: Meanings, event: Event, now: Instant) -> bool:
    """Whether all conditions but the cooldown hold now."""
    lasted_s = ((event.end_ns or now.monotonic_ns) - event.start_ns) / 1e9
    return (
        (rule.phase == "new" or event.phase == "end")
        and fits(rule, meanings, event)
        and event.shown.p >= rule.above
        and lasted_s >= rule.for_s
        and (not rule.between or _within(_span(rule.between), now.minute))
    )


def _within(span: tuple[int, int], minute: int) -> bool:
    begin, end = span
    return begin <= minute < end if begin < end else minute >= begin or minute < end


@cache
def _span(text: str) -> tuple[int, int]:
    return minutes_of(text)
