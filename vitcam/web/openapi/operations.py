"""What each route takes and answers: parameters, bodies, and what comes back, one entry a route."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from vitcam.access.password import MOST
from vitcam.web.openapi.components import overlay_name
from vitcam.web.openapi.history import DRAWING, FILTERS, FORMAT, PAGING
from vitcam.web.openapi.schema import TEXT, Schema, described, named, one_of
from vitcam.web.stream.variant import STEPS

JSON = "application/json"
_FILE: Schema = {"type": "string", "contentMediaType": "application/octet-stream"}
_JPEG: dict[str, Schema] = {"image/jpeg": {}}
_MP4: dict[str, Schema] = {"video/mp4": {}}
_PARTS: dict[str, Schema] = {"multipart/x-mixed-replace": {}}
_BODY = (400, 408, 413, 503)
"""How a request with a body may be refused: `requests/body.py` and `requests/admission.py`."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one path."""

    answers: Mapping[str, Schema]
    """Status 200: media type -> schema; {} for bytes, such as a picture. Without any: it always leads elsewhere."""
    parameters: Mapping[str, Schema] = field(default_factory=dict)
    """Of the query."""
    body: Mapping[str, Schema] = field(default_factory=dict)
    """Media type -> schema."""
    refusals: tuple[int, ...] = ()
    """Further statuses that come with an `Error`; what every route answers stands in `document.py`."""
    unavailable: Mapping[str, Schema] = field(default_factory=dict)
    """What 503 may bring beside an `Error`."""
    leads_to: str = ""
    """Where 303 leads, for people."""
    cached: bool = False
    """True: it answers 304 to a client that has it already."""
    ranges: bool = False
    """True: it answers 206 to a client that asks for a part (Range)."""


def _json(name: str) -> dict[str, Schema]:
    return {JSON: named(name)}


def _variant() -> dict[str, Schema]:
    what = {
        "opacity": "How much the overlay covers the picture.",
        "width": "In px; a narrower picture is not enlarged.",
        "quality": "Of the JPEG.",
        "fps": "Pictures per second at most.",
    }
    steps: dict[str, Schema] = {
        name: {"type": "number", "minimum": step.low, "maximum": step.high, "description": what[name]}
        for name, step in STEPS.items()
    }
    head = {"type": "string", "pattern": "^(mean|0|[1-9][0-9]?)$", "description": "One head of `attention`, from 0."}
    return {"overlay": described(overlay_name(), "What is drawn over the picture."), "head": head, **steps}


def _photo() -> dict[str, Schema]:
    form = {"type": "object", "properties": {"image": _FILE}, "required": ["image"]}
    return {"image/*": {}, "application/octet-stream": {}, "multipart/form-data": form}


def _switch(description: str) -> Schema:
    return {"type": "string", "enum": ["0", "1"], "description": description}


_ICON: dict[str, Schema] = {"image/x-icon": {}}
_STREAM = Operation(_PARTS, _variant(), refusals=(400, 429, 503))
_SNAPSHOT = Operation(_JPEG, _variant(), refusals=(400, 429, 503), unavailable=_JPEG)
_TO_PAGE = "The page, where nothing is protected or there is a session."
_PASSWORD: Schema = {
    "type": "object",
    "properties": {"password": {"type": "string", "minLength": 1, "maxLength": MOST}},
    "required": ["password"],
}
_ACTION: Schema = {
    "type": "string",
    "enum": ["stream", "snapshot"],
    "description": "Answer as `/stream` or `/snapshot.jpg`, with their parameters.",
}

OPERATIONS: dict[tuple[str, str], Operation] = {
    ("GET", "/"): Operation(
        {"text/html": TEXT, **_PARTS, **_JPEG},
        {"action": _ACTION, **_variant()},
        refusals=(400, 429, 503),
        unavailable=_JPEG,
        leads_to="The login page, for a browser that has no session.",
        cached=True,
    ),
    ("GET", "/page/{name}"): Operation(
        {**dict.fromkeys(("text/html", "text/css", "text/javascript", "image/svg+xml"), TEXT), **_ICON},
        refusals=(404,),
        cached=True,
    ),
    ("GET", "/favicon.ico"): Operation(_ICON, cached=True),
    ("GET", "/page/history/{name}"): Operation(
        dict.fromkeys(("text/css", "text/javascript"), TEXT), refusals=(404,), cached=True
    ),
    ("GET", "/stream"): _STREAM,
    ("GET", "/snapshot"): _SNAPSHOT,
    ("GET", "/snapshot.jpg"): _SNAPSHOT,
    ("GET", "/api/predictions"): Operation(
        {
            "text/event-stream": described(
                TEXT, "`prediction`, whose data are a `LivePrediction`; `event`, whose data are an `Event`."
            )
        },
        {
            "attention": _switch("1: with the attention of each head."),
            "only": one_of(("events",), "events: no predictions."),
        },
        refusals=(503,),
    ),
    ("GET", "/api/state"): Operation(_json("State")),
    ("GET", "/api/model"): Operation(_json("Model")),
    ("GET", "/api/events"): Operation(_json("Events"), {**FILTERS, **PAGING}, refusals=(400, 404, 503)),
    ("DELETE", "/api/events"): Operation(_json("Deleted"), FILTERS, refusals=(*_BODY, 404)),
    ("GET", "/api/events/counts"): Operation(_json("EventCounts"), FILTERS, refusals=(400, 404, 503)),
    ("GET", "/api/events/export"): Operation(
        {"text/csv": TEXT, "application/x-ndjson": TEXT}, {**FILTERS, "format": FORMAT}, refusals=(400, 404, 503)
    ),
    ("PATCH", "/api/events/{id}"): Operation(_json("Event"), body=_json("EventEdit"), refusals=(*_BODY, 404)),
    ("DELETE", "/api/events/{id}"): Operation(_json("Deleted"), refusals=(*_BODY, 404)),
    ("GET", "/api/events/{id}"): Operation(_json("FullEvent"), refusals=(404, 503)),
    ("GET", "/api/events/{id}/frame.jpg"): Operation(_JPEG, DRAWING, refusals=(400, 404, 503), cached=True),
    ("GET", "/api/events/{id}/clip.mp4"): Operation(_MP4, refusals=(404, 416, 503), cached=True, ranges=True),
    ("GET", "/openapi.json"): Operation({JSON: {"type": "object"}}),
    ("POST", "/api/classify"): Operation(
        _json("PhotoPrediction"),
        {"input": _switch("1: with the picture as the model got it.")},
        body=_photo(),
        refusals=_BODY,
    ),
    ("POST", "/api/explain"): Operation({"image/png": {}}, body=_photo(), refusals=_BODY),
    ("POST", "/api/crop"): Operation(_json("ChangedView"), body=_json("CropRequest"), refusals=_BODY),
    ("GET", "/api/zones"): Operation(_json("Zones")),
    ("PUT", "/api/zones"): Operation(_json("ChangedZones"), body=_json("ZonesRequest"), refusals=_BODY),
    ("POST", "/api/remembered"): Operation(
        _json("ChangedRemembered"), body=_json("RememberedRequest"), refusals=(*_BODY, 409)
    ),
    ("POST", "/api/playback"): Operation(_json("Playback"), body=_json("PlaybackRequest"), refusals=(*_BODY, 409)),
    ("POST", "/api/words"): Operation(_json("Words"), body=_json("WordsRequest"), refusals=_BODY),
    ("GET", "/login"): Operation({"text/html": TEXT}, leads_to=_TO_PAGE, cached=True),
    ("GET", "/login/{name}"): Operation(
        dict.fromkeys(("text/css", "text/javascript", "image/svg+xml"), TEXT), refusals=(404,), cached=True
    ),
    ("POST", "/login"): Operation(
        {},
        body={"application/x-www-form-urlencoded": _PASSWORD},
        refusals=(*_BODY, 401, 429),
        leads_to="The page, with the cookie of a new session.",
    ),
    ("POST", "/logout"): Operation({}, leads_to="The login page; the session has ended."),
    ("GET", "/healthz"): Operation(_json("Status")),
    ("GET", "/readyz"): Operation(_json("Status"), refusals=(503,)),
}
"""By method and path of `route_table.ROUTES`; a test compares the two."""
