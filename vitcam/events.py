"""Makes events of flickering predictions. Pure: the same predictions give the same events.

Four rules, in this order: probabilities are smoothed over time; a label begins only once its smoothed probability has
stayed above `enter` for `dwell_s`; where no label is above it, the smallest group that is begins in its place; what has
begun ends only when its probability falls below `leave` (hysteresis) and it was not seen for `gap_s`, or when something
else begins.

Smoothing decides whether there is an event, and it decides late. So start and end are those of the first and the
last frame in which the thing was probable by itself.

A label and a group that holds it are one thing, seen more or less clearly: going from one to the other changes an event
and does not end it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from vitcam.frames import LIKELY, Event, Group, Prediction

_MUCH_SURER = 0.05


@dataclass(frozen=True, slots=True)
class Rules:
    """When something counts as being there."""

    half_life_s: float = 0.5
    """After this time an old prediction weighs half."""
    enter: float = 0.5
    """Smoothed probability at which a label or a group may begin."""
    leave: float = 0.3
    """Smoothed probability below which it ends."""
    dwell_s: float = 0.5
    """How long it must stay above `enter` first."""
    gap_s: float = 1.0
    """How long it may be out of sight and still be the same event."""
    update_s: float = 5.0
    """How often a lasting event is reported again."""
    labels: frozenset[str] = frozenset()
    """Labels and groups that may begin; empty: every one. A label may also begin where a group of it may."""
    surer_s: float = 1.0
    """How often it is reported again while it becomes much surer: somebody may wait for that."""


class Subject(NamedTuple):
    """What an event is about."""

    name: str
    is_group: bool = False


class Sighting(NamedTuple):
    """The first and the last frame in which a subject was seen, before smoothing."""

    first_ns: int
    last_ns: int


@dataclass(frozen=True, slots=True)
class Lasting:
    """An event that has begun."""

    event: Event
    """As it was reported last, or at its surest since."""
    subject: Subject
    kin: frozenset[Subject]
    """The same thing seen more or less clearly: the groups and the labels that came with the subject."""
    reported_ns: int
    reported: Event | None = None
    """The last report, where the event has become surer since."""


@dataclass(frozen=True, slots=True)
class EventState:
    """The state between one prediction and the next."""

    scores: Mapping[Subject, float] = field(default_factory=dict)
    """Smoothed probability of each label and each group seen lately."""
    last_ns: int | None = None
    since_ns: Mapping[Subject, int] = field(default_factory=dict)
    """Since when each subject that may begin is above `enter`."""
    sightings: Mapping[Subject, Sighting] = field(default_factory=dict)
    """Of each subject that was seen and did not fade since."""
    current: Lasting | None = None

    @property
    def label(self) -> str | None:
        """The smoothed top label, or None when nothing is there."""
        return self.current.event.label if self.current else None

    @property
    def pending(self) -> bool:
        """Whether something may begin with one of the next predictions. It stays so for `dwell_s` at most."""
        known = self.current.kin | {self.current.subject} if self.current else frozenset()
        return not self.since_ns.keys() <= known


def step(
    rules: Rules, state: EventState, prediction: Prediction, new_id: Callable[[], str]
) -> tuple[EventState, tuple[Event, ...]]:
    """Take one prediction into account.

    new_id   called once for each event that begins
    returns  the next state, and the events to report: at most one `end` followed by one `new`, or one `update`
    """
    now = prediction.captured_ns
    scores = _smooth(rules, state, prediction)
    sightings = _look(rules, state, scores, prediction)
    above = _above(rules, scores, prediction)
    since = {subject: state.since_ns.get(subject, now) for subject in above}
    ripe = above[0] if above and now - since[above[0]] >= rules.dwell_s * 1e9 else None
    lasting = _with_kin(state.current, prediction)
    last_ns = _last_seen(lasting, sightings)
    heir = _heir(rules, lasting, scores, above, ripe, prediction)
    if lasting and heir is None and now - last_ns < rules.gap_s * 1e9:
        heir = lasting.subject
    events: list[Event] = []
    if lasting and (heir is None or heir not in lasting.kin | {lasting.subject}):
        events.append(_ended(lasting, last_ns))
        lasting = None
    if heir and lasting is None:
        start_ns = max(sightings[heir].first_ns if heir in sightings else since[heir], last_ns)
        lasting = _begun(new_id(), heir, start_ns, scores, prediction)
        events.append(lasting.event)
    elif heir and lasting and not _is_worth_a_report(rules, lasting, heir, scores, now):
        lasting = _surest(lasting, scores, prediction)
    elif heir and lasting:
        update = _named(replace(lasting.event, phase="update"), heir, scores, prediction)
        lasting = Lasting(update, heir, lasting.kin | {lasting.subject}, now)
        events.append(update)
    return EventState(scores, now, since, sightings, lasting), tuple(events)


def finish(state: EventState, now_ns: int) -> tuple[EventState, tuple[Event, ...]]:
    """End what is still there, because no more predictions will come."""
    events = (_ended(state.current, now_ns),) if state.current else ()
    return replace(state, current=None), events


def _smooth(rules: Rules, state: EventState, prediction: Prediction) -> dict[Subject, float]:
    """Exponential smoothing by elapsed time, so that the frame rate does not matter; what faded is dropped.

    Where there is nothing to see, no label is probable, whatever the model says.
    """
    fresh: dict[Subject, float] = {}
    if not prediction.blank:
        fresh = {Subject(guess.label): guess.p for guess in prediction.top}
        fresh |= {_of(group): group.p for group in _groups(prediction)}
    if state.last_ns is None:
        return fresh
    elapsed_s = max(0.0, (prediction.captured_ns - state.last_ns) / 1e9)
    keep = 0.5 ** (elapsed_s / rules.half_life_s) if rules.half_life_s > 0 else 0.0
    subjects = fresh.keys() | state.scores.keys()
    blended = {each: keep * state.scores.get(each, 0.0) + (1 - keep) * fresh.get(each, 0.0) for each in subjects}
    held = state.current.subject if state.current else None
    return {each: p for each, p in blended.items() if p > 1e-3 or each == held}


def _look(
    rules: Rules, state: EventState, scores: Mapping[Subject, float], prediction: Prediction
) -> dict[Subject, Sighting]:
    """Who was seen from when to when. What is seen again after it has faded is seen for the first time."""
    now, held = prediction.captured_ns, state.current.subject if state.current else None
    seen: dict[Subject, float] = {}
    if not prediction.blank:
        seen = {Subject(guess.label): guess.p for guess in prediction.top}
        # a larger group may be shared with what came instead, as in `_heir`
        seen |= {
            _of(group): group.p
            for group in _groups(prediction)
            if group is _groups(prediction)[0] or _of(group) == held
        }
    found = {each: old for each, old in state.sightings.items() if each == held or scores.get(each, 0.0) >= rules.leave}
    for each, p in seen.items():
        old = state.sightings.get(each)
        if p >= (rules.leave if old else rules.enter):
            found[each] = Sighting(old.first_ns if old else now, now)
    return found


def _last_seen(lasting: Lasting | None, sightings: Mapping[Subject, Sighting]) -> int:
    """When a lasting event's subject or its kin was seen last; 0 if nothing lasts."""
    if lasting is None:
        return 0
    family = lasting.kin | {lasting.subject}
    return max((sightings[each].last_ns for each in family if each in sightings), default=lasting.event.start_ns)


def _above(rules: Rules, scores: Mapping[Subject, float], prediction: Prediction) -> list[Subject]:
    """What may begin: the best label that is watched, then the groups with the newest best label, smallest first."""
    if not prediction.known:
        return []
    labels = (each for each in scores if not each.is_group and _is_watched(rules, each, prediction))
    best = max(labels, key=scores.__getitem__, default=None)
    groups = (each for each in map(_of, _groups(prediction)) if _is_watched(rules, each, prediction))
    found = [*([best] if best else []), *groups]
    return [each for each in found if scores.get(each, 0.0) >= rules.enter]


def _is_watched(rules: Rules, subject: Subject, prediction: Prediction) -> bool:
    if not rules.labels or subject.name in rules.labels:
        return True
    # the groups of a prediction are those of its best label
    return subject.name == prediction.top[0].label and any(group.name in rules.labels for group in _groups(prediction))


def _heir(
    rules: Rules,
    lasting: Lasting | None,
    scores: Mapping[Subject, float],
    above: list[Subject],
    ripe: Subject | None,
    prediction: Prediction,
) -> Subject | None:
    """What is there from now on: what was, the same thing seen more or less clearly, something else, or nothing.

    above  what may begin
    ripe   what has waited long enough for it
    """
    if lasting is None or (ripe and ripe not in lasting.kin and ripe != lasting.subject):
        return ripe
    if ripe and _is_narrower(ripe, lasting.subject, prediction):
        return ripe
    if scores[lasting.subject] >= rules.leave:
        return lasting.subject
    smallest = next(
        map(_of, _groups(prediction)), None
    )  # a larger one may be shared with what came instead: dog and cat
    return smallest if smallest in lasting.kin and smallest in above else None


def _is_worth_a_report(
    rules: Rules, lasting: Lasting, heir: Subject, scores: Mapping[Subject, float], now_ns: int
) -> bool:
    """Whether the subject has changed, or it is time; that is sooner while the event becomes much surer."""
    surer = scores[heir] - _p(lasting.reported or lasting.event, heir) >= _MUCH_SURER
    return heir != lasting.subject or now_ns - lasting.reported_ns >= (rules.surer_s if surer else rules.update_s) * 1e9


def _surest(lasting: Lasting, scores: Mapping[Subject, float], prediction: Prediction) -> Lasting:
    """With the best probability so far, so that the end has it, too."""
    if scores[lasting.subject] <= _p(lasting.event, lasting.subject):
        return lasting
    event = _named(replace(lasting.event, phase="update"), lasting.subject, scores, prediction)
    return replace(lasting, event=event, reported=lasting.reported or lasting.event)


def _p(event: Event, subject: Subject) -> float:
    """The probability of what an event is about."""
    return event.group.p if subject.is_group and event.group else event.p


def _is_narrower(one: Subject, other: Subject, prediction: Prediction) -> bool:
    """Whether one of two kin says more than the other: a label, or the smaller of two groups."""
    groups = [*map(_of, _groups(prediction))]
    if not (one.is_group and other.is_group):
        return other.is_group
    return other in groups and groups.index(one) < groups.index(other)


def _kin(subject: Subject, prediction: Prediction) -> frozenset[Subject]:
    family = frozenset([Subject(prediction.top[0].label), *map(_of, _groups(prediction))])
    return family - {subject} if subject in family else frozenset()


def _with_kin(lasting: Lasting | None, prediction: Prediction) -> Lasting | None:
    return lasting and replace(lasting, kin=lasting.kin | _kin(lasting.subject, prediction))


def _begun(
    event_id: str, subject: Subject, start_ns: int, scores: Mapping[Subject, float], prediction: Prediction
) -> Lasting:
    event = Event(event_id, "new", subject.name, 0.0, start_ns, None, prediction.source, zone=prediction.zone)
    named = _named(event, subject, scores, prediction)
    return Lasting(named, subject, _kin(subject, prediction), prediction.captured_ns)


def _named(event: Event, subject: Subject, scores: Mapping[Subject, float], prediction: Prediction) -> Event:
    """The event with its label, the best probability so far, and the group where that is unsure."""
    best, label = prediction.top[0].label, subject.name
    if subject.is_group:
        label = best if _kin(subject, prediction) else event.label
        p = scores.get(Subject(label), 0.0)
        return replace(event, label=label, p=p, group=Group(subject.name, scores[subject]))
    p = max(event.p if event.label == label else 0.0, scores[subject])
    return replace(event, label=label, p=p, group=prediction.group if p < LIKELY and best == label else None)


def _ended(lasting: Lasting, at_ns: int) -> Event:
    return replace(lasting.event, phase="end", end_ns=at_ns)


def _groups(prediction: Prediction) -> list[Group]:
    return [group for group in prediction.groups if group.with_best and group.p >= LIKELY]


def _of(group: Group) -> Subject:
    return Subject(group.name, is_group=True)
