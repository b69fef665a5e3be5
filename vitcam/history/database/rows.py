"""A stored event as a row of the table, and back."""

import json
import logging
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Group, Guess, SecondAnswer
from vitcam.history.stored import CLIPS, FRAMES, Action, FrameSummary, StoredEvent, is_below
from vitcam.rects import Box, Rect

log = logging.getLogger(__name__)

_CURVE = np.dtype([("ms", "<u4"), ("p", "<u2")])
_WHOLE = 65535  # a probability of 1 in 16 bits
_OWN = ("id", "kind", "label", "zone", "camera", "start_ms", "end_ms", "p", "peak", "group_name", "group_p")
_OWN_TOO = ("clip", "actions", "favourite", "corrected", "track", "box", "second", "curve")
_OF_PICTURE = ("frame", "sight", "evidence")
EVENTS = (
    "SELECT "  # noqa: S608 - constants
    f"{', '.join(f'events.{name}' for name in _OWN)}, models.name, models.fingerprint, "
    f"{', '.join(f'events.{name}' for name in _OWN_TOO)}, owner.id, "
    f"{', '.join(f'CASE WHEN owner.n IS NULL THEN events.{name} ELSE owner.{name} END' for name in _OF_PICTURE)} "
    "FROM events LEFT JOIN models ON models.n = events.model LEFT JOIN events AS owner ON owner.n = events.shared"
)
"""A statement, without its conditions, whose rows `event_of` reads. An event that shares a picture has the owner's."""


def event_of(row: tuple[Any, ...]) -> StoredEvent:
    """The event in a row of `EVENTS`."""
    (
        identifier, kind, label, zone, camera, start_ms, end_ms, p, peak, group, group_p, model, fingerprint,
        clip, actions, favourite, corrected, track, box, second, curve, owner, frame, summary, evidence,
    ) = row  # fmt: skip
    return StoredEvent(
        identifier, kind, label, zone, camera, start_ms, end_ms, p, peak,
        group=None if group is None else Group(group, group_p),
        model=model or "",
        fingerprint=fingerprint or "",
        summary=_summary(json.loads(summary), evidence) if summary else FrameSummary(),
        curve=tuple((int(ms), int(p) / _WHOLE) for ms, p in np.frombuffer(curve, _CURVE)),
        frame=frame if is_below(frame, (FRAMES,)) else None,
        frame_of=owner,
        clip=clip if is_below(clip, (CLIPS,)) else None,
        actions=tuple(Action(**action) for action in json.loads(actions)),
        favourite=bool(favourite),
        corrected=corrected,
        track=track,
        box=None if box is None else Box.parse(box),
        second=None if second is None else SecondAnswer(**json.loads(second)),
    )  # fmt: skip


def readable_events(rows: Iterable[tuple[Any, ...]]) -> Iterator[StoredEvent]:
    """The events in rows of `EVENTS`. What vitcam has not written, as a damaged disk leaves it, is left out."""
    for row in rows:
        try:
            yield event_of(row)
        except (ValueError, TypeError, LookupError, ArithmeticError, RecursionError) as error:
            log.warning("the event %s is left out, since its row in events.db cannot be read: %r", row[0], error)


def values_of(event: StoredEvent, seen_ms: int) -> dict[str, Any]:
    """The columns that the recorder fills, without the picture's own."""
    return {
        "id": event.id,
        "kind": event.kind,
        "label": event.label,
        "zone": event.zone,
        "camera": event.camera,
        "start_ms": event.start_ms,
        "end_ms": event.end_ms,
        "seen_ms": seen_ms,
        "p": event.p,
        "peak": event.peak,
        "group_name": event.group.name if event.group else None,
        "group_p": event.group.p if event.group else None,
        "track": event.track,
        "box": None if event.box is None else str(event.box),
        "second": None if event.second is None else json.dumps(asdict(event.second), ensure_ascii=False),
        "curve": np.array([(ms, round(p * _WHOLE)) for ms, p in event.curve], _CURVE).tobytes(),
    }


def summary_values(summary: FrameSummary) -> dict[str, Any]:
    """The columns that belong to the picture."""
    weights = summary.evidence
    record = {
        "top": [[guess.label, float(f"{guess.p:.9g}")] for guess in summary.top],  # nine digits keep all of a float32
        "size": summary.size,
        "crop": list(asdict(summary.crop).values()),
        "grid": None if weights is None else weights.shape,
        "familiarity": summary.familiarity,
        "detail": summary.detail,
    }
    evidence = None if weights is None else np.asarray(weights, "<f2").tobytes()
    return {"sight": json.dumps(record, ensure_ascii=False, separators=(",", ":")), "evidence": evidence}


def actions_text(actions: tuple[Action, ...]) -> str:
    """As it stands in the column."""
    return json.dumps([asdict(action) for action in actions], ensure_ascii=False, separators=(",", ":"))


def actions_of(connection: sqlite3.Connection, event_id: str) -> tuple[Action, ...] | None:
    """None: there is no such event."""
    found = connection.execute("SELECT actions FROM events WHERE id = ?", (event_id,)).fetchone()
    return None if found is None else tuple(Action(**action) for action in json.loads(found[0]))


def _summary(record: dict[str, Any], evidence: bytes | None) -> FrameSummary:
    weights: NDArray[np.float32] | None = None
    if evidence is not None:
        weights = np.frombuffer(evidence, "<f2").reshape(record["grid"]).astype(np.float32)
    width, height = record["size"]
    top = tuple(Guess(label, p) for label, p in record["top"])
    across, down = record.get("detail") or (0, 0)  # rows of older versions do not say
    detail = (across, down) if across and down else None
    return FrameSummary(top, (width, height), Rect(*record["crop"]), weights, record["familiarity"], detail)
