"""What `vitcam replay` prints of a video."""

import json
from collections.abc import Iterable
from typing import Any

from vitcam.frames import Event
from vitcam.terminal.consoles import stdout_console
from vitcam.wire import group_record


def show_events(events: Iterable[Event], as_json: bool) -> None:
    """Print each event once it has ended, with times in the video."""
    console, count = stdout_console(), 0
    for event in events:
        if event.end_ns is None:
            continue
        count += 1
        if as_json:
            console.print_json(json.dumps(_record(event)), indent=None)
            continue
        line = f"{_clock(event.start_ns)} to {_clock(event.end_ns)}  {event.zone or '':12}  {event.label} {event.p:.2f}"
        console.print(line, markup=False, highlight=False)
    if not as_json:
        console.print(f"{count} events", markup=False, highlight=False)


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
