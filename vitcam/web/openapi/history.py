"""What the routes of the history take and answer."""

from vitcam.history.database.search import MOST
from vitcam.history.export import FORMATS
from vitcam.history.rendering import DRAWABLE, LEAST_WIDTH, MOST_WIDTH
from vitcam.history.stored import KINDS
from vitcam.web.openapi.schema import (
    COUNT,
    FLAG,
    NUMBER,
    PROBABILITY,
    TEXT,
    Schema,
    items,
    named,
    nullable,
    record,
    said,
)

_TIME: Schema = {"type": "string", "format": "date-time"}
FILTERS: dict[str, Schema] = {
    "since": said(TEXT, "From this time on, such as `2026-01-31T21:00:00Z`; without an offset it is local time."),
    "until": said(TEXT, "Before this time."),
    "label": said(TEXT, "This label; the one that a person gave counts, if there is one."),
    "zone": said(TEXT, "In this zone."),
    "min_p": said(PROBABILITY, "Those whose `peak` reaches this."),
    "kind": {"type": "string", "enum": [*KINDS], "description": "Of this kind."},
    "favourite": {"type": "string", "enum": ["0", "1", "false", "true"], "description": "Favourites, or all others."},
    "corrected": {"type": "string", "enum": ["0", "1", "false", "true"], "description": "With another label, or not."},
    "text": said(TEXT, "Those whose label or zone contains this."),
}
FORMAT: Schema = {"type": "string", "enum": [*FORMATS], "description": "Of the file."}
PAGING: dict[str, Schema] = {
    "limit": {"type": "integer", "minimum": 1, "maximum": MOST, "description": "Events of a page, at most."},
    "before": said(TEXT, "The `next` of the page before, or the id of any event: those that came before it."),
    "after": said(TEXT, "The id of an event: those that came next after it, in place of the newest."),
}
DRAWING: dict[str, Schema] = {
    "overlay": {"type": "string", "enum": [*DRAWABLE], "description": "What is drawn over the picture."},
    "width": {
        "type": "integer",
        "minimum": LEAST_WIDTH,
        "maximum": MOST_WIDTH,
        "description": "In px, for a smaller picture.",
    },
}


def event_schemas() -> dict[str, Schema]:
    """The schemas of stored events by their names."""
    return {
        "Event": record(_event(), "Something that was there for a while."),
        "EventEdit": record(
            {"label": said(nullable(TEXT), "What it was; null takes it back."), "favourite": FLAG},
            "What is to be changed.",
            optional=("label", "favourite"),
        )
        | {"additionalProperties": False, "minProperties": 1},
        "EventCounts": record({"hours": items(record({"hour": _TIME, "label": TEXT, "events": COUNT}))}),
        "Deleted": record({"deleted": COUNT, "more": said(FLAG, "There are others: ask again.")}),
        "FullEvent": record(_event() | _details(), "The same with its curve and its evidence."),
        "Events": record({"events": items(named("Event")), "next": said(nullable(TEXT), "Null: there are no more.")}),
    }


def _event() -> dict[str, Schema]:
    return {
        "type": {"const": "event"},
        "id": TEXT,
        "phase": {"type": "string", "enum": ["new", "update", "end"]},
        "kind": {"type": "string", "enum": [*KINDS]},
        "label": said(TEXT, "What the model said."),
        "zone": said(nullable(TEXT), "Null: the whole view."),
        "p": said(PROBABILITY, "The best smoothed probability."),
        "group": said(nullable(named("Guess")), "What is surely there where no label is."),
        "start": _TIME,
        "end": said(nullable(_TIME), "Null while it lasts."),
        "camera": TEXT,
        "peak": said(PROBABILITY, "The best probability of a single frame."),
        "top": items(named("Guess"), "The best guesses at the best picture."),
        "frame": said(nullable(TEXT), "Where the best picture is."),
        "frame_of": said(nullable(TEXT), "The event whose picture it is, because both looked the same; null: its own."),
        "clip": said(nullable(TEXT), "Where the video is."),
        "model": nullable(TEXT),
        "fingerprint": said(nullable(TEXT), "SHA-256 of the model's graph."),
        "actions": items(record(dict.fromkeys(("rule", "kind", "status", "detail", "time"), TEXT))),
        "favourite": FLAG,
        "corrected": said(nullable(TEXT), "The label that a person gave it."),
    }


def _details() -> dict[str, Schema]:
    point = items(NUMBER, minItems=2, maxItems=2)
    crop = items(NUMBER, "x, y, width and height, in fractions.", minItems=4, maxItems=4)
    picture = record({"width": COUNT, "height": COUNT, "crop": crop})
    return {
        "familiarity": nullable(PROBABILITY),
        "curve": items(point, "Seconds after the start, and the probability."),
        "picture": nullable(picture),
        "evidence": nullable(items(items(NUMBER))),
    }
