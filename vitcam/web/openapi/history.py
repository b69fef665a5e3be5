"""The schemas of stored events."""

from vitcam.history.stored import KINDS
from vitcam.web.openapi.schema import (
    COUNT,
    FLAG,
    NUMBER,
    PROBABILITY,
    TEXT,
    TIME,
    Schema,
    array_of,
    described,
    named,
    nullable,
    one_of,
    record,
)

PLACE: dict[str, Schema] = {
    "track": nullable(COUNT, "The number of what is followed there; null: nothing is, it is the whole zone or view."),
    "box": nullable(TEXT, "Where that is: x,y,w,h in fractions of the picture; null without a track."),
}
"""Beside the zone."""


def event_schemas() -> dict[str, Schema]:
    """The schemas of stored events by their names."""
    return {
        "Event": record(_event(), "Something that was there for a while."),
        "EventEdit": record(
            {"label": nullable(TEXT, "What it was; null takes it back."), "favourite": FLAG},
            "What is to be changed.",
            optional=("label", "favourite"),
        )
        | {"additionalProperties": False, "minProperties": 1},
        "EventCounts": record({"hours": array_of(record({"hour": TIME, "label": TEXT, "events": COUNT}))}),
        "EventNames": record({"shown": array_of(TEXT), "zones": array_of(TEXT)}, "What occurs in the history."),
        "EventPeriod": record(_period(), "What was seen in a while, folded."),
        "EventSummary": record(
            {
                "whole": named("EventPeriod"),
                "parts": array_of(named("EventPeriod"), "Between each two times; empty if there are only two."),
                "oldest": nullable(TIME, "When the oldest event of the whole history began."),
                "earlier": nullable(TIME, "When the newest event before the first time began that fits the filters."),
                "later": nullable(TIME, "When the oldest event after the last time began that fits them."),
            }
        ),
        "Deleted": record({"deleted": COUNT, "more": described(FLAG, "There are others: ask again.")}),
        "FullEvent": record(_event() | _details(), "The same with its curve and its evidence."),
        "Events": record({"events": array_of(named("Event")), "next": nullable(TEXT, "Null: there are no more.")}),
    }


def _event() -> dict[str, Schema]:
    return {
        "type": {"const": "event"},
        "id": TEXT,
        "phase": one_of(("new", "update", "end")),
        "kind": one_of(KINDS),
        "label": described(TEXT, "What the model said."),
        "zone": nullable(TEXT, "Null: the whole view."),
        **PLACE,
        "p": described(PROBABILITY, "The best smoothed probability."),
        "group": nullable(named("Guess"), "What is surely there where no label is."),
        "shown": named("Shown"),
        "start": TIME,
        "end": nullable(TIME, "Null while it lasts."),
        "camera": TEXT,
        "peak": described(PROBABILITY, "The best probability of a single frame."),
        "top": array_of(named("Guess"), "The best guesses at the best picture."),
        "frame": nullable(TEXT, "Where the best picture is."),
        "detail": nullable(TEXT, "Where the picture of its box is, in the camera's own px; null: it has no box."),
        "frame_of": nullable(TEXT, "The event whose picture it is, because both looked the same; null: its own."),
        "clip": nullable(TEXT, "Where the video is."),
        "model": nullable(TEXT),
        "fingerprint": nullable(TEXT, "SHA-256 of the model's graph."),
        "actions": array_of(record(dict.fromkeys(("rule", "kind", "status", "detail", "time"), TEXT))),
        "favourite": FLAG,
        "corrected": nullable(TEXT, "The label that a person gave it."),
    }


def _period() -> dict[str, Schema]:
    story = {
        "label": described(TEXT, "What was displayed, as it is called now."),
        "kind": one_of(KINDS),
        "events": COUNT,
        "first": described(TIME, "When the first of them began."),
        "last": described(TIME, "When the last of them began."),
        "newness": nullable(
            one_of(("first", "rare")),
            "`first`: none of that name was stored before the period. `rare`: it was seen on one or two days of the "
            "four weeks before.",
        ),
        "event": named("Event"),
    }
    return {
        "since": TIME,
        "until": TIME,
        "events": COUNT,
        "things": described(COUNT, "How many stories there are, with those that are left out."),
        "stories": array_of(record(story), "What is new first, then what is rare, then what was most frequent."),
    }


def _details() -> dict[str, Schema]:
    point = array_of(NUMBER, minItems=2, maxItems=2)
    crop = array_of(NUMBER, "x, y, width and height, in fractions.", minItems=4, maxItems=4)
    picture = record({"width": COUNT, "height": COUNT, "crop": crop})
    return {
        "familiarity": nullable(PROBABILITY),
        "curve": array_of(point, "Seconds after the start, and the probability."),
        "picture": nullable(picture),
        "evidence": nullable(array_of(array_of(NUMBER))),
    }
