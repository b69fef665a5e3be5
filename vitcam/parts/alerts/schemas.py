"""The schemas of alerts."""

from typing import get_args

from vitcam.config.rules import EventKind, Phase
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


def alert_schemas() -> dict[str, Schema]:
    """Each by its name."""
    told = {
        "trouble": array_of(TEXT, "A sentence on each reason why it never acts."),
        "last": array_of(named("AlertOutcome"), "What came of its last actions since the start, the newest first."),
    }
    alert = {"id": TEXT, "name": TEXT, "enabled": FLAG, **_conditions(), **_ways()}
    wanted = {"enabled": FLAG, **_conditions(), **_ways()}
    rule = {"name": TEXT, **_conditions(), "kinds": array_of(TEXT, "What it does.")}
    place = {"place": described(TEXT, "The file that it comes from, with its line.")}
    device = record({"id": TEXT, "name": TEXT, "added": TIME})
    return {
        "Alerts": record(
            {
                "alerts": array_of(named("Alert")),
                "rules": array_of(record(rule | place | told), "Those of the configuration. They are changed there."),
                "ways": array_of(TEXT, "What an alert can do in this run."),
                "missing": {
                    "type": "object",
                    "additionalProperties": TEXT,
                    "description": "Way that is not there -> the one line that makes it work.",
                },
                "devices": array_of(device, "Browsers that get messages."),
            }
        ),
        "Alert": record(
            alert | told | {"etag": described(TEXT, "As in the header.")},
            "A rule of the page. Addresses are shown as far as that tells no secret.",
        ),
        "AlertRequest": record(wanted, "What is left out is as it was, or as usual.", optional=tuple(wanted))
        | {"additionalProperties": False},
        "ChangedAlert": record({"alert": named("Alert"), "remembered": FLAG, "reason": TEXT}),
        "Remembered": record({"remembered": FLAG, "reason": TEXT}),
        "AlertTopic": record(
            {
                "address": described(TEXT, "Of the topic. Who knows it sees the pictures."),
                "link": described(TEXT, "What the app for Android opens."),
                "code": described(TEXT, "The link as a QR code, in SVG."),
            }
        ),
        "AlertTopicRequest": record(
            {"alert": described(TEXT, "Its id."), "address": described(TEXT, "Of a topic.")},
            "Nothing: the topic of the newest alert that has one, else a new one that nobody can guess.",
            optional=("alert", "address"),
        )
        | {"additionalProperties": False},
        "AlertTrial": record({"trial": described(TEXT, "Marks what comes of it.")}),
        "AlertOutcome": record(
            {
                "time": TIME,
                "event": nullable(TEXT, "Its id; null for a trial."),
                "trial": nullable(TEXT, "Null for an event."),
                "kind": TEXT,
                "status": one_of(("ok", "failed", "waiting")),
                "detail": described(TEXT, "Why it failed, or what the receiver said."),
                "picture": nullable(TEXT, "The id of the event whose picture the receiver has, as far as it says so."),
            }
        ),
        "AlertSound": record(
            {"type": TEXT, "rule": TEXT, "event": {"type": "object"}}, "An alert with a sound has acted."
        ),
        "PushKey": record({"key": described(TEXT, "A point of P-256, in base64url (RFC 8292).")}),
        "PushRequest": record(
            {
                "endpoint": {"type": "string", "format": "uri", "maxLength": 1000},
                "keys": record({"p256dh": TEXT, "auth": TEXT}),
                "name": described(TEXT, "Of the browser, for people."),
                "expirationTime": nullable(COUNT),
            },
            "What `PushSubscription.toJSON()` gives in a browser, and a name.",
            optional=("name", "expirationTime"),
        ),
    }


def _conditions() -> dict[str, Schema]:
    return {
        "label": described(TEXT, "A label or a group; empty: any."),
        "not_labels": array_of(TEXT, "Labels and groups that are left out.", maxItems=8),
        "zone": described(TEXT, "Empty: any."),
        "above": PROBABILITY,
        "for_s": NUMBER,
        "between": described(TEXT, "Such as 22:00-06:00; empty: at any time."),
        "cooldown_s": NUMBER,
        "kind": one_of(get_args(EventKind)),
        "phase": one_of(get_args(Phase)),
    }


def _ways() -> dict[str, Schema]:
    return {
        "ntfy": described(TEXT, "A topic of an ntfy server, such as https://ntfy.sh/a-long-secret-name; empty: none."),
        "ntfy_token": described(TEXT, "Its access token; empty: it needs none."),
        "webhook": described(TEXT, "An address of http or https; empty: none."),
        "notify": array_of(TEXT, "Addresses of Apprise.", maxItems=8),
        "mqtt": FLAG,
        "push": FLAG,
        "sound": FLAG,
    }
