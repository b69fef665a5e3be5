"""The schemas of what is sent and answered, each under the name that the document gives it."""

from dataclasses import fields
from typing import Any, get_args, get_type_hints

from vitcam.access.guard import Grant
from vitcam.config.identity import Identity
from vitcam.frames import Level
from vitcam.model.card import Outputs
from vitcam.model.installed import ListedModel
from vitcam.names.languages import LANGUAGES
from vitcam.names.wanted import MOST
from vitcam.parts import PARTS
from vitcam.pictures.overlay_kinds import OVERLAYS
from vitcam.pictures.resize import InputSpec
from vitcam.sources.playback import Position
from vitcam.state import Counts, State
from vitcam.web.openapi.areas import RECT, areas_schemas, fractions
from vitcam.web.openapi.history import PLACE, event_schemas
from vitcam.web.openapi.schema import (
    ANYTHING,
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
    of_type,
    one_of,
    record,
)
from vitcam.web.openapi.settings import settings_schemas
from vitcam.web.stream.variant import STEPS, Steps, Variant

_GRID = array_of(array_of(NUMBER), "One weight for each patch: rows of columns.")
_HEADS = array_of(_GRID, "One grid for each attention head of the last block.")
_OWN_NAMES: Schema = {
    "type": "object",
    "additionalProperties": described(TEXT, "Empty: it is hidden."),
    "maxProperties": MOST,
    "description": "Names of your own, by a name of the model or its translation.",
}
_REASON = described(TEXT, "Why the next run will not have it; empty if it will.")


def components() -> dict[str, Schema]:
    """Every schema by its name."""
    return {
        "Error": record(
            {
                "error": described(TEXT, "One sentence: what was found, what is allowed, what to do."),
                "said": array_of(
                    named("Said"), "Where the sentence has a key; so it is with other sentences in answers."
                ),
            },
            optional=("said",),
        ),
        "Said": record(
            {"text": TEXT, "key": TEXT, "values": ANYTHING},
            "A sentence of the answer, with the key and the values by which a page says it in another language.",
        ),
        "OutOfDate": record(
            {
                "error": TEXT,
                "present": described(ANYTHING, "The document as it is now, in the form of its GET."),
                "etag": described(TEXT, "Of the present document, as in the header."),
                "time": nullable(TIME, "When it was changed; null where that is not known."),
                "by": described(TEXT, "Who changed it, for people; empty where that is not known."),
                "token": nullable(TEXT, "The name of the token that did; null: it was none."),
            },
            "A document was changed meanwhile.",
        ),
        "Guess": record({"label": TEXT, "p": PROBABILITY}, "A label or a group, and its probability."),
        "Shown": record(
            {
                "label": nullable(TEXT),
                "p": PROBABILITY,
                "level": one_of(get_args(Level)),
                "kind": nullable(TEXT, "The everyday name: what people say for `label`, such as cat for a tabby cat."),
                "detail": nullable(
                    record({"label": nullable(TEXT), "p": PROBABILITY, "model": TEXT, "scientific": nullable(TEXT)}),
                    "What a second model says of the same part; its `label` is null where it is not sure which.",
                ),
            },
            "What is displayed: the finest name, of a label or a group, with a probability of at least 0.5. "
            "Without such a name `label` is null, and `p` is that of the best guess.",
        ),
        "Frame": record({"width": COUNT, "height": COUNT, "crop": RECT}, "The picture in px, and what the model saw."),
        "Prediction": record(_prediction(), "What the model says of one picture."),
        "LivePrediction": record(_prediction() | _live(), "One server-sent event.", optional=("attention",)),
        "PhotoPrediction": record(
            _prediction() | _photo(),
            "What the model says of a photo.",
            optional=("rollout", "evidence", "evidence_share", "input"),
        ),
        "View": record(_view(), "The crop: the part of the picture that the model gets."),
        "ChangedView": record(_view() | {"reason": _REASON}),
        "SetAside": record(
            {"what": array_of(TEXT, "`crop`, `zones`, `words`, `model` or `settings`."), "reason": TEXT},
            "What earlier runs left and this start was made without, since starts with it had failed.",
        ),
        "ChangedRemembered": record({"set_aside": nullable(named("SetAside")), "remembered": FLAG, "reason": TEXT}),
        "RememberedRequest": record({"use": FLAG}),
        "Playback": described(of_type(Position), "Where a source of files is."),
        "State": _state(_asked()),
        "LiveState": _state(_told()),
        "Model": record(_model(), "The model card.", optional=()),
        "Models": record(
            {
                "models": array_of(TEXT, "Names of the installed ones."),
                "about": array_of(of_type(ListedModel), "The same, with what is said of each."),
                "name": described(TEXT, "The one in use: a name, or a file."),
                "before": nullable(TEXT, "The one that was used before it."),
                "fixed": described(TEXT, "Where the configuration names it; empty: another one can be chosen."),
            }
        ),
        "ChosenModel": record(
            {
                "name": TEXT,
                "unknown": array_of(TEXT, "A sentence for each label of a zone or a rule that it does not know."),
                "remembered": FLAG,
                "reason": _REASON,
            }
        ),
        "ModelRequest": record(
            {"name": TEXT, "check": described(FLAG, "True: only say what would change.")}, optional=("check",)
        ),
        "Words": record({"words": array_of(TEXT), "remembered": FLAG, "reason": _REASON}),
        **event_schemas(),
        "Names": record(_names(), "What labels and groups are called."),
        "ChangedNames": record(
            _names()
            | {"remembered": FLAG, "reason": _REASON}
            | {"removed": described(_OWN_NAMES, "Names of your own that were there and are not any more.")}
        ),
        "NamesRequest": record(
            {"language": nullable(one_of(LANGUAGES), "Null: none is chosen."), "names": _OWN_NAMES},
            "All that is set on the page. What is left out is not set.",
            optional=("language", "names"),
        )
        | {"additionalProperties": False, "minProperties": 1},
        **areas_schemas(),
        **settings_schemas(),
        "Status": record({"status": TEXT, "reason": described(TEXT, "What is wrong.")}, optional=("reason",)),
        "CropRequest": record({"crop": nullable(fractions())}),
        "PlaybackRequest": {"oneOf": [_only("paused", FLAG), _only("step", {"type": "integer", "enum": [1, -1]})]},
        "WordsRequest": record({"words": array_of(TEXT)}),
    }


def _prediction() -> dict[str, Schema]:
    ms = dict.fromkeys(("capture", "preprocess", "infer", "total"), NUMBER)
    return {
        "type": {"const": "prediction"},
        "source": TEXT,
        "path": nullable(TEXT, "The file; null for a camera."),
        "zone": nullable(TEXT, "The zone that the model saw; null: the whole view."),
        **PLACE,
        "seq": described(COUNT, "The number of the frame."),
        "time": described({"type": "string", "format": "date-time"}, "When it was captured, in UTC."),
        "top": array_of(named("Guess"), "The best guesses, the most probable first.", minItems=1),
        "group": nullable(named("Guess"), "A coarser guess, where no label is likely."),
        "shown": named("Shown"),
        "known": described(FLAG, "False: the picture may show none of the labels."),
        "blank": described(FLAG, "True: there is nothing to see."),
        "unfamiliar": described(FLAG, "True: it shows something that the model has no word for."),
        "familiarity": nullable(PROBABILITY, "Below 0.5 a picture is unfamiliar."),
        "ms": record(ms, "What it took, in ms."),
    }


def _live() -> dict[str, Schema]:
    return {"headline": named("Shown"), "frame": named("Frame"), "attention": nullable(_HEADS)}


def _photo() -> dict[str, Schema]:
    return {
        "image": record({"width": COUNT, "height": COUNT}, "The photo, in px."),
        "frame": named("Frame"),
        "crop": record(dict.fromkeys(("x", "y", "width", "height"), COUNT), "What the model saw, in px."),
        "attention": nullable(_HEADS),
        "rollout": _GRID,
        "evidence": _GRID,
        "evidence_share": described(NUMBER, "The sum of the evidence as a part of the margin."),
        "input": described(TEXT, "The picture that the model got, as a data: URL of a PNG; with `?input=1`."),
    }


def _view() -> dict[str, Schema]:
    return {
        "picture": nullable(array_of(COUNT, "Width and height, in px.", minItems=2, maxItems=2)),
        "crop": nullable(RECT, "The part that was chosen; null for the whole picture."),
        "seen": nullable(RECT, "The part of it that the model sees."),
        "line": described(TEXT, "The crop as a line of the configuration file."),
        "remembered": FLAG,
        "fixed": described(TEXT, "Where the configuration says it; empty: the page can change it."),
    }


def _names() -> dict[str, Schema]:
    called = array_of(
        record(
            {
                "label": described(TEXT, "The model's own name."),
                "translation": described(TEXT, "In the language in force; the model's own name where there is none."),
                "name": nullable(TEXT, "As it is displayed; null: it is hidden."),
            }
        )
    )
    places = {"type": "object", "additionalProperties": TEXT}
    return {
        "language": one_of(LANGUAGES, "The language in force."),
        "languages": array_of(record({"code": one_of(LANGUAGES), "name": TEXT})),
        "names": _OWN_NAMES,
        "labels": called,
        "groups": called,
        "fixed": record(
            {"language": nullable(TEXT), "names": described(places, "By what is on the left there.")},
            "The place of what the configuration says. A request that says otherwise is refused.",
        ),
        "warning": described(TEXT, "What cannot be used with this model; empty: all can."),
    }


def _state(more: dict[str, Schema]) -> Schema:
    hints = get_type_hints(State)
    properties = {each.name: of_type(hints[each.name]) for each in fields(State) if each.name != "parts"}
    properties |= {key: of_type(kind) for part in PARTS for key, kind in part.state.items()}
    return record(properties | more, "How the daemon is.")


def _asked() -> dict[str, Schema]:
    frames = of_type(Counts)
    frames["properties"]["encoded"] = described(COUNT, "JPEGs made for viewers.")
    return {
        "frames": frames,
        "access": nullable(of_type(Grant), "What the caller may do; null where nothing is protected."),
        "view": named("View"),
        "set_aside": nullable(named("SetAside"), "Null: nothing is."),
        "playback": nullable(named("Playback"), "Null: the source is a camera."),
        "clients": record({"stream": COUNT, "predictions": COUNT}, "Who watches now."),
    }


def _told() -> dict[str, Schema]:
    """What a household's system is told beside the state."""
    controls = {"paused": FLAG, "model": TEXT, "threshold": PROBABILITY, "overlay": one_of(OVERLAYS)}
    watched = {"key": TEXT, "name": TEXT, "label": TEXT, "zone": nullable(TEXT)}
    return {
        "type": {"const": "state"},
        "camera": described(of_type(Identity), "Whose state it is; a copied card has another `serial`."),
        "version": described(TEXT, "Of vitcam."),
        "watched": array_of(record(watched), "What there may be a presence of; without label and zone: of anything."),
        "settable": array_of(one_of(("pause", "model", "threshold", "overlay")), "What the configuration leaves open."),
        "disk": described(TEXT, "Why nothing can be kept, as one sentence; empty: all is well."),
        "shown": nullable(named("Shown"), "What is displayed; null: nothing yet."),
        "present": array_of(ANYTHING, "The events that last, in the form of `Event`, without what is stored."),
        "controls": record(controls),
        "presence": {"type": "object", "additionalProperties": FLAG, "description": "By the key of each of `watched`."},
    }


def _model() -> dict[str, Schema]:
    whole = ("heads", "layers", "width", "parameters", "partitions", "outside", "threads", "label_count")
    text = ("name", "description", "pooling", "licence", "runtime")
    return {
        **dict.fromkeys(text, TEXT),
        **dict.fromkeys(whole, COUNT),
        **dict.fromkeys(("temperature", "threshold", "least_contrast"), NUMBER),
        **dict.fromkeys(("rollout", "evidence"), FLAG),
        **dict.fromkeys(("accuracy", "provenance"), ANYTHING),
        "labels": array_of(TEXT),
        "groups": array_of(record({"name": TEXT, "labels": array_of(COUNT, "Indices of its labels.")})),
        "input": of_type(InputSpec),
        "patches": record({"size": COUNT, "rows": COUNT, "columns": COUNT}),
        "outputs": one_of(get_args(Outputs), "What the graph gives; of `logits` vitcam takes the softmax."),
        "known_by": one_of(("familiarity", "probability")),
        "trained_on": array_of({"type": "object", "additionalProperties": TEXT}),
        "words": nullable(COUNT, "How many words there may be as labels; null if they cannot be changed."),
        "taught": described(
            {"type": "string", "enum": ["", "alone", "added"]},
            "Whether a device taught it labels: these alone, or added to those of its base; empty: none.",
        ),
        "room_for_labels": described(COUNT, "How many labels of its own a device can add."),
        "bank": described(COUNT, "Photos of which the file carries features, for a device that learns a label."),
        "stream": _stream(),
    }


def _stream() -> Schema:
    weights = record({"name": TEXT, "by_head": FLAG})
    # which of them a model has the data for stands in `/api/model`
    overlay = {"mode": one_of(OVERLAYS), "label": TEXT, "sentence": TEXT, "needs": nullable(weights), "style": TEXT}
    hints = get_type_hints(Variant)
    return record(
        {
            "overlays": array_of(one_of(OVERLAYS)),
            "overlays_explained": array_of(record(overlay)),
            "default": record({field.name: of_type(hints[field.name]) for field in fields(Variant)}),
            "steps": record(dict.fromkeys(STEPS, of_type(Steps))),
        },
        "The parameters of `/stream` and their defaults.",
    )


def _only(name: str, schema: Schema) -> dict[str, Any]:
    return record({name: schema}) | {"additionalProperties": False}
