"""What `vitcam replay` prints of a video."""

import json
from collections.abc import Iterable
from datetime import datetime, time
from typing import Any

from vitcam.errors import UsageError
from vitcam.frames import Event
from vitcam.replay.rehearsal import WouldAct
from vitcam.terminal.consoles import stdout_console
from vitcam.wire import group_record


def time_of_day(text: str) -> datetime:
    """Today at `HH:MM`, local time. Raises UsageError."""
    try:
        return datetime.combine(datetime.now().date(), time.fromisoformat(text))
    except ValueError as error:
        raise UsageError(f"--at is {text!r}; give a time of the day such as 22:30") from error


def show_events(told: Iterable[Event | WouldAct], as_json: bool) -> None:
    """Print each event once it has ended, and each rule when it would act, with times in the video."""
    console, count = stdout_console(), 0
    for each in told:
        if isinstance(each, Event) and each.end_ns is None:
            continue
        count += isinstance(each, Event)
        if as_json:
            console.print_json(json.dumps(_record(each) if isinstance(each, Event) else _action(each)), indent=None)
        else:
            console.print(_line(each), markup=False, highlight=False)
    if not as_json:
        console.print(f"{count} events", markup=False, highlight=False)


def _line(told: Event | WouldAct) -> str:
    if isinstance(told, WouldAct):
        rule, event = told.firing.rule, told.firing.event
        return f"{_clock(told.at_ns)}            rule {rule.name} would act on {event.label}: {', '.join(rule.kinds)}"
    end_ns = told.start_ns if told.end_ns is None else told.end_ns
    return f"{_clock(told.start_ns)} to {_clock(end_ns)}  {told.zone or '':12}  {told.label} {told.p:.2f}"


def _action(told: WouldAct) -> dict[str, Any]:
    rule, event = told.firing.rule, told.firing.event
    return {
        "type": "action",
        "rule": rule.name,
        "kinds": list(rule.kinds),
        "event": event.id,
        "label": event.label,
        "at_s": round(told.at_ns / 1e9, 3),
    }


def _record(event: Event) -> dict[str, Any]:
    return {
        "type": "event",
        "id": event.id,
        "label": event.label,
        "group": group_record(event.group),
        "zone": event.zone,
        "p": round(event.p, 6),
        "start_s": round(event.start_ns / 1e9, 3),
        "end_s": None if event.end_ns is None else round(event.end_ns / 1e9, 3),
    }


def _clock(at_ns: int) -> str:
    minutes, seconds = divmod(at_ns / 1e9, 60)
    return f"{int(minutes):3}:{seconds:04.1f}"
