"""Schemas of the settings that the page may change."""

from vitcam.web.openapi.schema import COUNT, FLAG, NUMBER, TEXT, Schema, array_of, described, nullable, one_of, record

_VALUE: Schema = {"anyOf": [FLAG, NUMBER, TEXT, array_of(TEXT)]}


def settings_schemas() -> dict[str, Schema]:
    """By the name that the document refers to them by."""
    change = {"remembered": FLAG, "reason": described(TEXT, "Why the next run will not have them, if not.")}
    return {
        "Settings": record(_settings(), "The settings that the page may change."),
        "ChangedSettings": record(_settings() | change),
        "SettingsRequest": {
            "type": "object",
            "additionalProperties": nullable(_VALUE, "Null: the default."),
            "minProperties": 1,
            "description": "Names of settings with new values.",
        },
    }


def _settings() -> dict[str, Schema]:
    places: Schema = {"type": "object", "additionalProperties": TEXT}
    restart = {
        "needed": array_of(TEXT, "Names of the settings whose value is used from the next start on."),
        "possible": described(FLAG, "Whether POST /api/restart works here."),
    }
    return {
        "settings": array_of(_setting()),
        "fixed": described(places, "What the configuration fixes of crop, zones, masks, model, language and rules."),
        "restart": record(restart),
        "trouble": described(TEXT, "Why the configuration cannot be read now; empty: it can."),
    }


def _setting() -> Schema:
    return record(
        {
            "name": described(TEXT, "Section and key."),
            "value": described(_VALUE, "In force, or from the next start on where `waits` says so."),
            "default": _VALUE,
            "kind": one_of(("switch", "whole number", "number", "text", "texts")),
            "choices": array_of({"anyOf": [TEXT, COUNT]}, "Empty: any value that is allowed."),
            "low": nullable(NUMBER),
            "high": nullable(NUMBER),
            "allowed": described(TEXT, "The same in words."),
            "doc": TEXT,
            "live": described(FLAG, "False: a new value is used from the next start on."),
            "from": one_of(("default", "page", "configuration"), "What says the value."),
            "place": described(TEXT, "Where the configuration says it; empty: the page may change it."),
            "waits": described(FLAG, "True: this value is used from the next start on."),
            "unread": described(FLAG, "True: what was set on the page cannot be used, so this is the default."),
        }
    )
