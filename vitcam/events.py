"""Makes events of flickering predictions. Pure: the same predictions give the same events.

Three rules, in this order: probabilities are smoothed over time; a label begins only once its smoothed probability has
stayed above `enter` for `dwell_s`; it ends only when that falls below `leave` (hysteresis), or another label begins.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from vitcam.frames import LIKELY, Event, Group, Prediction


@dataclass(frozen=True, slots=True)
class Rules:
    """When something counts as being there."""

    half_life_s: float = 0.5
    """After this time an old prediction weighs half."""
    enter: float = 0.5
    """Smoothed probability at which a label may begin."""
    leave: float = 0.3
    """Smoothed probability below which it ends."""
    dwell_s: float = 0.5
    """How long it must stay above `enter` first."""
    update_s: float = 5.0
    """How often a lasting event is reported again."""


@dataclass(frozen=True, slots=True)
class EventState:
    """The state between one prediction and the next."""

    scores: Mapping[str, float] = field(default_factory=dict)
    """Smoothed probability of each label seen lately."""
    last_ns: int | None = None
    candidate: str | None = None
    candidate_ns: int = 0
    """Since when the candidate is above `enter`."""
    current: Event | None = None
    reported_ns: int = 0

    @property
    def label(self) -> str | None:
        """The smoothed top label, or None when nothing is there."""
        return self.current.label if self.current else None


def step(
    rules: Rules, state: EventState, prediction: Prediction, new_id: Callable[[], str]
) -> tuple[EventState, tuple[Event, ...]]:
    """Take one prediction into account.

    new_id   called once for each event that begins
    returns  the next state, and the events to report: at most one `end` followed by one `new`, or one `update`
    """
    now = prediction.captured_ns
    scores = _smooth(rules, state, prediction)
    best = max(scores, key=scores.__getitem__, default=None)
    qualifies = best is not None and prediction.known and scores[best] >= rules.enter
    candidate = best if qualifies else None
    since = state.candidate_ns if candidate == state.candidate else now
    state = replace(state, scores=scores, last_ns=now, candidate=candidate, candidate_ns=since)
    events: list[Event] = []
    if _is_over(rules, state):
        state = _end(state, now, events)
    if candidate is not None and candidate != state.label and now - since >= rules.dwell_s * 1e9:
        state = _end(state, now, events)
        p = scores[candidate]
        group = _group(prediction, candidate, p)
        begun = Event(new_id(), "new", candidate, p, since, None, prediction.source, group)
        events.append(begun)
        state = replace(state, current=begun, reported_ns=now)
    elif state.current and now - state.reported_ns >= rules.update_s * 1e9:
        label = state.current.label
        p = max(state.current.p, scores[label])
        lasting = replace(state.current, phase="update", p=p, group=_group(prediction, label, p))
        events.append(lasting)
        state = replace(state, current=lasting, reported_ns=now)
    return state, tuple(events)


def finish(state: EventState, now_ns: int) -> tuple[EventState, tuple[Event, ...]]:
    """End what is still there, because no more predictions will come."""
    events: list[Event] = []
    return _end(state, now_ns, events), tuple(events)


def _smooth(rules: Rules, state: EventState, prediction: Prediction) -> dict[str, float]:
    """Exponential smoothing by elapsed time, so that the frame rate does not matter; labels that faded are dropped.

    Where there is nothing to see, no label is probable, whatever the model says.
    """
    fresh = {} if prediction.blank else {guess.label: guess.p for guess in prediction.top}
    if state.last_ns is None:
        return fresh
    elapsed_s = max(0.0, (prediction.captured_ns - state.last_ns) / 1e9)
    keep = 0.5 ** (elapsed_s / rules.half_life_s) if rules.half_life_s > 0 else 0.0
    labels = fresh.keys() | state.scores.keys()
    blended = {label: keep * state.scores.get(label, 0.0) + (1 - keep) * fresh.get(label, 0.0) for label in labels}
    held = state.label
    return {label: p for label, p in blended.items() if p > 1e-3 or label == held}


def _group(prediction: Prediction, label: str, p: float) -> Group | None:
    """The coarser guess for an event whose label is unsure."""
    return prediction.group if p < LIKELY and prediction.top[0].label == label else None


def _is_over(rules: Rules, state: EventState) -> bool:
    return state.current is not None and state.scores[state.current.label] < rules.leave


def _end(state: EventState, now_ns: int, events: list[Event]) -> EventState:
    if state.current is None:
        return state
    events.append(replace(state.current, phase="end", end_ns=now_ns))
    return replace(state, current=None)
