"""The schemas of zones and privacy masks."""

from typing import get_args

from vitcam.pictures.view import Follow
from vitcam.web.openapi.schema import (
    FLAG,
    NUMBER,
    PROBABILITY,
    TEXT,
    Schema,
    array_of,
    described,
    nullable,
    one_of,
    record,
)

RECT = array_of(NUMBER, "x, y, width and height, in fractions of the picture.", minItems=4, maxItems=4)
_ORIGIN: Schema = one_of(("page", "configuration"), "What set them.")
_REASON = described(TEXT, "Why the next run will not have it; empty if it will.")


def areas_schemas() -> dict[str, Schema]:
    """Each by its name."""
    return {
        "Zones": record(_areas() | _of_zones(), "Zones and privacy masks."),
        "ChangedZones": record(
            _areas() | _of_zones() | {"remembered": FLAG, "reason": _REASON, "removed": _removed_areas()}
        ),
        "ZonesRequest": record(_areas()),
    }


def fractions() -> Schema:
    """A rectangle that somebody sends."""
    return array_of({"type": "number", "minimum": 0, "maximum": 1}, RECT["description"], minItems=4, maxItems=4)


def _areas() -> dict[str, Schema]:
    rules = {"enter": nullable(PROBABILITY), "leave": nullable(PROBABILITY), "dwell_s": nullable(NUMBER)}
    labels = array_of(TEXT, "Labels and groups that begin an event there; empty: every one.")
    rect = nullable(fractions())
    follow = nullable(one_of(get_args(Follow)), "Whether what moves there is followed; null: as the settings say.")
    zone = record({"rect": rect, "labels": labels, **rules, "follow": follow}, optional=("labels", *rules, "follow"))
    return {
        "zones": {"type": "object", "additionalProperties": zone, "description": "By name."},
        "masks": array_of(rect, "Parts of the picture that are black before anybody gets it."),
    }


def _removed_areas() -> Schema:
    parts = {"zones": array_of(TEXT, "Their names."), "masks": array_of(nullable(RECT))}
    return record(parts, "What was there and is not any more.")


def _of_zones() -> dict[str, Schema]:
    place = described(TEXT, "Where the configuration says them; empty: the page can change them.")
    warning = described(TEXT, "What may still show what the newest masks hide; empty: nothing does.")
    return {"from": _ORIGIN, "fixed": record({"zones": place, "masks": place}), "warning": warning}
