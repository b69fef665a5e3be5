"""Makes events of flickering predictions. Pure: the same predictions give the same events.

Four rules, in this order: probabilities are smoothed over time; a label begins only once its smoothed probability has
stayed above `enter` for `dwell_s`; where no label has, the smallest group that has begins in its place; what has begun
ends only when its probability falls below `leave` (hysteresis) and it was not seen for `gap_s`, or when something else
begins.

Smoothing decides whether there is an event, and it decides late. So start and end are those of the first and the
last frame in which the thing was probable by itself.

A label and a group that holds it are one thing, seen more or less clearly: going from one to the other changes an event
and does not end it. Two labels of one group are one thing, too, where a frame finds both possible: the model cannot
tell them apart, and the event is of their group from then on.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from vitcam.frames import LIKELY, Event, Group, Prediction
from vitcam.smoothing import FADED, Subject, blend, subject_of, subjects_of

_Scores = Mapping[Subject, float]
_MUCH_SURER = 0.05
_POSSIBLE = 0.02
"""A label with this probability was not excluded by the model, though another one is far more probable."""


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
    """Labels and groups that may begin; empty: every one. What a group holds may begin where it may."""
    surer_s: float = 1.0
    """How often it is reported again while it becomes much surer: somebody may wait for that."""


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
    narrowest: Subject | None
    """The smallest group that holds the subject; the subject itself if it is a group. None: none is known."""
    claimed: frozenset[Subject]
    """The labels of which one was sure for a while; with several the event stays one of their group."""
    reported_ns: int
    reported: Event | None = None
    """The last report, where the event has become surer since."""


@dataclass(frozen=True, slots=True)
class EventState:
    """The state between one prediction and the next."""

    scores: _Scores = field(default_factory=dict)
    """Smoothed probability of each label and each group seen lately."""
    last_ns: int | None = None
    since_ns: Mapping[Subject, int] = field(default_factory=dict)
    """Since when each subject that may begin is above `enter`."""
    sightings: Mapping[Subject, Sighting] = field(default_factory=dict)
    """Of each subject that was seen and did not fade since."""
    current: Lasting | None = None

    @property
    def label(self) -> str | None:
        """What is there, a label or a group; None when nothing is."""
        return self.current.subject.name if self.current else None

    @property
    def pending(self) -> bool:
        """Whether something may begin or end with one of the next predictions. It stays so for a moment only."""
        known = self.current.kin | {self.current.subject} if self.current else frozenset()
        return not self.since_ns.keys() <= known or self._is_out_of_sight

    @property
    def _is_out_of_sight(self) -> bool:
        """Whether the last prediction has not shown what is there."""
        return self.current is not None and self.last_ns != _last_seen(self.current, self.sightings)


def step(
    rules: Rules, state: EventState, prediction: Prediction, new_id: Callable[[], str]
) -> tuple[EventState, tuple[Event, ...]]:
    """Take one prediction into account.

    new_id   called once for each event that begins
    returns  the next state, and the events to report: at most one `end` followed by one `new`, or one `update`
    """
    now, state = prediction.captured_ns, _until(state, prediction.stood_ns)
    # where there is nothing to see, no label is probable, whatever the model says
    fresh = {} if prediction.blank else subjects_of(prediction)
    scores = _smooth(rules, state, fresh, now)
    sightings = _look(rules, state, scores, fresh, prediction)
    above = _above(rules, scores, prediction)
    since = {subject: state.since_ns.get(subject, now) for subject in above}
    # of a thing whose labels take turns only its group stays for long
    first = above[:1] if above and above[0].is_group else above[:2]
    ripe = next((each for each in first if now - since[each] >= rules.dwell_s * 1e9), None)
    lasting = _with_kin(state.current, prediction, ripe)
    last_ns = _last_seen(lasting, sightings)
    heir, is_same = _heir(rules, lasting, scores, above, ripe, prediction)
    if lasting and heir is None and now - last_ns < rules.gap_s * 1e9:
        heir, is_same = lasting.subject, True
    events: list[Event] = []
    if lasting and not is_same:
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
        lasting = _become(lasting, update, heir, prediction)
        events.append(update)
    return EventState(scores, now, since, sightings, lasting), tuple(events)


def _until(state: EventState, stood_ns: int) -> EventState:
    """The state as if the last answer had come again at that time."""
    last_ns = state.last_ns
    if last_ns is None or stood_ns <= last_ns:
        return state
    sightings = {
        each: seen._replace(last_ns=stood_ns) if seen.last_ns == last_ns else seen
        for each, seen in state.sightings.items()
    }
    return replace(state, last_ns=stood_ns, sightings=sightings)


def finish(state: EventState, now_ns: int) -> tuple[EventState, tuple[Event, ...]]:
    """End what is still there, because no more predictions will come."""
    events = (_ended(state.current, now_ns),) if state.current else ()
    return replace(state, current=None), events


def vanish(state: EventState, stood_ns: int = 0) -> tuple[Event, ...]:
    """End what is still there when it was seen last, because its place is not looked at any more.

    stood_ns  until when nothing had moved since the last look
    """
    state = _until(state, stood_ns)
    lasting = state.current
    return () if lasting is None else (_ended(lasting, _last_seen(lasting, state.sightings)),)


def _smooth(rules: Rules, state: EventState, fresh: dict[Subject, float], now_ns: int) -> dict[Subject, float]:
    """The smoothed probabilities."""
    if state.last_ns is None:
        return fresh
    blended = blend(state.scores, fresh, now_ns - state.last_ns, rules.half_life_s)
    held = state.current.subject if state.current else None
    return {each: p for each, p in blended.items() if p > FADED or each == held}


def _look(
    rules: Rules, state: EventState, scores: _Scores, fresh: _Scores, prediction: Prediction
) -> dict[Subject, Sighting]:
    """Who was seen from when to when. What is seen again after it has faded is seen for the first time."""
    now, held = prediction.captured_ns, state.current.subject if state.current else None
    least = prediction.model.likely
    likely = next((subject_of(group) for group in prediction.groups if group.p >= least), None)
    found = {each: old for each, old in state.sightings.items() if each == held or scores.get(each, 0.0) >= rules.leave}
    for each, p in fresh.items():
        old = state.sightings.get(each)
        if p < (rules.leave if old else rules.enter):
            continue
        # a larger group may be shared with what came instead, as in `_heir`
        if not each.is_group or each in (likely, held):
            found[each] = Sighting(old.first_ns if old else now, now)
    return found


def _last_seen(lasting: Lasting | None, sightings: Mapping[Subject, Sighting]) -> int:
    """When a lasting event's subject or its kin was seen last; 0 if nothing lasts."""
    if lasting is None:
        return 0
    family = lasting.kin | {lasting.subject}
    return max((sightings[each].last_ns for each in family if each in sightings), default=lasting.event.start_ns)


def _above(rules: Rules, scores: _Scores, prediction: Prediction) -> list[Subject]:
    """What may begin: the best label that is watched, then the groups of the newest prediction, the smallest first."""
    if prediction.blank or prediction.unfamiliar:
        return []
    labels = (each for each in scores if not each.is_group and _is_watched(rules, each, prediction))
    best = max(labels, key=scores.__getitem__, default=None)
    likely = prediction.model.likely
    enter = rules.enter if rules.enter < LIKELY else max(rules.enter, likely)  # less is asked for on purpose
    found = [best] if best and scores[best] >= enter else []
    least = max(rules.enter, likely)  # a group stands for what is surely there
    groups = (each for each in map(subject_of, prediction.groups) if _is_watched(rules, each, prediction))
    return [*found, *(each for each in groups if scores.get(each, 0.0) >= least)]


def _is_watched(rules: Rules, subject: Subject, prediction: Prediction) -> bool:
    """Whether a subject may begin: it is named, or what holds it is."""
    if not rules.labels or subject.name in rules.labels:
        return True
    family = _family(prediction)
    return subject in family and any(each.name in rules.labels for each in family[family.index(subject) :])


def _heir(
    rules: Rules,
    lasting: Lasting | None,
    scores: _Scores,
    above: list[Subject],
    ripe: Subject | None,
    prediction: Prediction,
) -> tuple[Subject | None, bool]:
    """What is there from now on, or nothing; and whether that is the thing that was, seen more or less clearly.

    above  what may begin
    ripe   what has waited long enough for it
    """
    if lasting is None:
        return ripe, False
    subject, narrowest = lasting.subject, lasting.narrowest
    if ripe and ripe != subject:
        if ripe not in lasting.kin:
            return ripe, False
        if not ripe.is_group and not subject.is_group:  # another label of the same group
            if narrowest in above:
                return narrowest, True
            if _narrowest(ripe, prediction) not in (narrowest, None):
                return ripe, False
            return (subject if scores[subject] >= rules.leave else ripe), True
        is_disputed = not ripe.is_group and len(lasting.claimed) > 1
        if _is_narrower(ripe, subject, prediction) and not is_disputed:
            return ripe, True
    if scores[subject] >= rules.leave:
        return subject, True
    best, *groups = _family(prediction)
    smallest = groups[0] if groups else None  # a larger one may be shared with what came instead: dog and cat
    is_other = prediction.top[0].p >= LIKELY and best not in lasting.kin
    return (smallest, True) if smallest in lasting.kin and smallest in above and not is_other else (None, False)


def _is_worth_a_report(rules: Rules, lasting: Lasting, heir: Subject, scores: _Scores, now_ns: int) -> bool:
    """Whether the subject has changed, or it is time; that is sooner while the event becomes much surer."""
    surer = scores[heir] - _p(lasting.reported or lasting.event, heir) >= _MUCH_SURER
    return heir != lasting.subject or now_ns - lasting.reported_ns >= (rules.surer_s if surer else rules.update_s) * 1e9


def _surest(lasting: Lasting, scores: _Scores, prediction: Prediction) -> Lasting:
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
    groups = [*map(subject_of, prediction.groups)]
    if not (one.is_group and other.is_group):
        return other.is_group
    return one in groups and other in groups and groups.index(one) < groups.index(other)


def _family(prediction: Prediction) -> list[Subject]:
    """The most probable label and the likely groups that hold it, the smallest first."""
    groups = (subject_of(group) for group in prediction.groups if group.with_best and group.p >= LIKELY)
    return [Subject(prediction.top[0].label), *groups]


def _kin(subject: Subject, prediction: Prediction) -> frozenset[Subject]:
    family = frozenset(_family(prediction))
    return family - {subject} if subject in family else frozenset()


def _narrowest(subject: Subject, prediction: Prediction) -> Subject | None:
    if subject.is_group:
        return subject
    holders = (subject_of(group) for group in prediction.groups if group.with_best)
    return next(holders, None) if subject.name == prediction.top[0].label else None


def _with_kin(lasting: Lasting | None, prediction: Prediction, ripe: Subject | None) -> Lasting | None:
    """What lasts, with what the newest prediction says of its kin."""
    if lasting is None:
        return None
    kin = lasting.kin | _kin(lasting.subject, prediction)
    best, *_ = family = _family(prediction)
    possible = {Subject(guess.label) for guess in prediction.top if guess.p >= _POSSIBLE}
    if lasting.narrowest is not None and lasting.narrowest == _narrowest(best, prediction):
        kin |= frozenset(family) if possible & lasting.claimed else frozenset()
    kin -= {lasting.subject}
    claimed = lasting.claimed | {ripe} if ripe in kin and not ripe.is_group else lasting.claimed
    narrowest = lasting.narrowest or _narrowest(lasting.subject, prediction)
    if (kin, claimed, narrowest) == (lasting.kin, lasting.claimed, lasting.narrowest):  # as mostly
        return lasting
    return replace(lasting, kin=kin, claimed=claimed, narrowest=narrowest)


def _begun(event_id: str, subject: Subject, start_ns: int, scores: _Scores, prediction: Prediction) -> Lasting:
    zone, track = prediction.place
    event = Event(
        event_id, "new", subject.name, 0.0, start_ns, None, prediction.source,
        zone=zone, track=track, model=prediction.model, everyday=prediction.everyday,
    )  # fmt: skip
    named = _named(event, subject, scores, prediction)
    claimed = frozenset() if subject.is_group else frozenset([subject])
    kin, narrowest = _kin(subject, prediction), _narrowest(subject, prediction)
    return Lasting(named, subject, kin, narrowest, claimed, prediction.captured_ns)


def _become(lasting: Lasting, update: Event, subject: Subject, prediction: Prediction) -> Lasting:
    """The same event after a report."""
    kin = (lasting.kin | {lasting.subject}) - {subject}
    narrowest = _narrowest(subject, prediction) or lasting.narrowest
    claimed = lasting.claimed if subject.is_group else lasting.claimed | {subject}
    return Lasting(update, subject, kin, narrowest, claimed, prediction.captured_ns)


def _named(event: Event, subject: Subject, scores: _Scores, prediction: Prediction) -> Event:
    """The event with its label, the best probability so far, and the group where that is unsure."""
    best, label = prediction.top[0].label, subject.name
    if subject.is_group:
        label = _guess_within(subject, prediction) or event.label
        before = event.group.p if event.group and event.group.name == subject.name else 0.0
        group = Group(subject.name, max(before, scores[subject]))
        return replace(event, label=label, p=scores.get(Subject(label), 0.0), group=group)
    p, likely = max(event.p if event.label == label else 0.0, scores[subject]), prediction.model.likely
    return replace(event, label=label, p=p, group=prediction.group if p < likely and best == label else None)


def _guess_within(subject: Subject, prediction: Prediction) -> str | None:
    """The most probable label of a group; None if the prediction does not tell."""
    group = next((group for group in prediction.groups if group.name == subject.name), None)
    return None if group is None else group.best or prediction.top[0].label


def _ended(lasting: Lasting, at_ns: int) -> Event:
    return replace(lasting.event, phase="end", end_ns=at_ns)
