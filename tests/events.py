"""Runs of predictions, and the events that come of them."""

from collections.abc import Iterable

from tests.frames import SECOND, prediction
from vitcam.events import EventState, Rules, finish, step
from vitcam.frames import Event, Prediction


def replay(predictions: Iterable[Prediction], rules: Rules | None = None) -> list[Event]:
    """All events of a run from its first to its last prediction."""
    state, number = EventState(), 0
    events: list[Event] = []

    def new_id() -> str:
        nonlocal number
        number += 1
        return f"id{number}"

    last = 0
    for one in predictions:
        state, more = step(rules or Rules(), state, one, new_id)
        events += more
        last = one.captured_ns
    return [*events, *finish(state, last)[1]]


def at(seconds: float, label: str, p: float = 0.9) -> Prediction:
    """A frame that shows a label."""
    return prediction(label, p, round(seconds * SECOND))


def edges(events: list[Event]) -> list[Event]:
    """Where something begins and ends."""
    return [event for event in events if event.phase != "update"]


def seen(events: list[Event]) -> list[tuple[str, str]]:
    """Phases and labels, without the updates."""
    return [(event.phase, event.label) for event in events if event.phase != "update"]
