"""A stored event as JSON: the same for the API, the stream of events, the command line and rules."""

from typing import Any

from vitcam.history.database.stories import Period, StorySummary
from vitcam.history.stored import Action, StoredEvent
from vitcam.wire import fractions, group_record, nested_lists, place_record, rfc3339, shown_record

ROUTE = "/api/events"


def stored_record(event: StoredEvent, phase: str = "", base: str = "") -> dict[str, Any]:
    """An event of a list; an event that lasts has no `end`.

    phase  `new`, `update` or `end`; empty: what `end` says
    base   where a proxy shows vitcam, such as `/cameras/vitcam`
    """
    place = f"{base}{ROUTE}/{event.id}"
    return {
        "type": "event",
        "id": event.id,
        "phase": phase or ("update" if event.end_ms is None else "end"),
        "kind": event.kind,
        "label": event.label,
        "zone": event.zone,
        **place_record(event.track, event.box),
        "p": round(event.p, 6),
        "group": group_record(event.group),
        "shown": shown_record(event.shown),
        "start": time_text(event.start_ms),
        "end": _time_or_null(event.end_ms),
        "camera": event.camera,
        "peak": round(event.peak, 6),
        "top": [{"label": guess.label, "p": round(guess.p, 6)} for guess in event.summary.top],
        "frame": f"{place}/frame.jpg" if event.frame else None,
        "detail": f"{place}/detail.jpg" if event.frame and event.summary.detail else None,
        "frame_of": event.frame_of,
        "clip": f"{place}/clip.mp4" if event.clip else None,
        "model": event.model or None,
        "fingerprint": event.fingerprint or None,
        "actions": [_action_record(action) for action in event.actions],
        "favourite": event.favourite,
        "corrected": event.corrected,
    }


def full_record(event: StoredEvent, base: str = "") -> dict[str, Any]:
    """The same with what only its own view shows.

    curve     seconds after the start, and the probability of that frame
    picture   width and height in px, and which part the model saw, in fractions
    evidence  rows of columns; null if the model does not give it
    """
    summary = event.summary
    width, height = summary.size
    picture = None
    if width and height:
        picture = {"width": width, "height": height, "crop": fractions(summary.crop, height, width)}
    return stored_record(event, base=base) | {
        "familiarity": summary.familiarity,
        "curve": [[ms / 1000, round(p, 4)] for ms, p in event.curve],
        "picture": picture,
        "evidence": nested_lists(summary.evidence),
    }


def summary_record(summary: StorySummary, base: str = "") -> dict[str, Any]:
    """What was seen in some periods, folded."""
    return {
        "whole": _period_record(summary.whole, base),
        "parts": [_period_record(part, base) for part in summary.parts],
        "oldest": _time_or_null(summary.oldest_ms),
        "earlier": _time_or_null(summary.earlier_ms),
        "later": _time_or_null(summary.later_ms),
    }


def _period_record(period: Period, base: str) -> dict[str, Any]:
    return {
        "since": time_text(period.since_ms),
        "until": time_text(period.until_ms),
        "events": period.events,
        "things": period.things,
        "stories": [
            {
                "label": story.label,
                "kind": story.kind,
                "events": story.events,
                "first": time_text(story.first_ms),
                "last": time_text(story.last_ms),
                "newness": story.newness,
                "event": stored_record(story.event, base=base),
            }
            for story in period.stories
        ],
    }


def _time_or_null(wall_ms: int | None) -> str | None:
    return None if wall_ms is None else time_text(wall_ms)


def time_text(wall_ms: int) -> str:
    """RFC 3339 in UTC with milliseconds."""
    return rfc3339(wall_ms / 1000)


def _action_record(action: Action) -> dict[str, str]:
    return {
        "rule": action.rule,
        "kind": action.kind,
        "status": action.status,
        "detail": action.detail,
        "time": action.time,
    }
