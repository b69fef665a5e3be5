"""What another camera says, read with distrust: it may be an old vitcam, another program, or somebody who means harm.

A field that is missing or wrong is left out. Texts are cut, and cannot change the direction of writing.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, get_args
from urllib.parse import unquote

from vitcam.errors import UsageError
from vitcam.pictures.header import read_header
from vitcam.sentence import Sentence
from vitcam.text import printable

PeerStatus = Literal["ok", "degraded", "no_signal", "starting", "away"]
"""`away`: it gives no answer, or none that can be used. All others it says itself."""

MOST_SIDE = 2048
"""Of a still in px: it is asked for with 640."""
_LABEL, _SENTENCE = 100, 300  # characters


@dataclass(frozen=True, slots=True)
class Caption:
    """What a camera says of the picture that it shows."""

    label: str | None
    """The everyday name; None: it knows no name for what it sees."""
    p: float
    zone: str | None = None


@dataclass(frozen=True, slots=True)
class LastEvent:
    """What happened last."""

    label: str | None
    """None: no name was displayed."""
    start: str
    """RFC 3339, UTC, by the clock of the camera."""
    end: str | None
    """None: it lasts."""


def read_object(body: bytes) -> dict[str, Any]:
    """A JSON object. Raises ValueError for anything else."""
    try:
        found = json.loads(body)
    except RecursionError:
        raise ValueError("brackets within brackets") from None
    if not isinstance(found, dict):
        raise ValueError("no object")
    return found


def status_of(state: Mapping[str, Any]) -> tuple[PeerStatus, str]:
    """Status and reason of an `/api/state`. Raises ValueError where it is none."""
    status: PeerStatus | None = next((each for each in get_args(PeerStatus) if each == state.get("status")), None)
    if status is None or status == "away":
        raise ValueError("no status")
    for told in (state.get("reason"), state.get("problem")):
        if reason := _text(told, _SENTENCE):
            return status, _with_key(reason, state.get("said"))
    return status, ""


def _with_key(text: str, said: object) -> str:
    """The sentence with the key that the camera gives beside it, if it gives one."""
    for each in said if isinstance(said, list) else ():
        if not isinstance(each, dict) or each.get("text") != text or not isinstance(values := each.get("values"), dict):
            continue
        if (key := _text(each.get("key"), _LABEL)) and all(map(_is_value, values.values())):
            return Sentence(text, key, **{_text(name, _LABEL) or "": _value(value) for name, value in values.items()})
    return text


def _is_value(value: object) -> bool:
    return isinstance(value, (str, int)) or (isinstance(value, float) and math.isfinite(value))


def _value(value: str | float) -> str | float:
    return value if not isinstance(value, str) else _text(value, _LABEL) or ""


def caption_of(headers: Mapping[str, str]) -> Caption | None:
    """The answer that came with a picture; None where it has none."""
    p = _probability(headers.get("X-Vitcam-P"))
    if p is None:
        return None
    names = ("X-Vitcam-Kind", "X-Vitcam-Label", "X-Vitcam-Zone")
    kind, label, zone = (_text(unquote(headers.get(name, "")), _LABEL) for name in names)
    return Caption(kind or label, p, zone)  # an older vitcam has no everyday names


def last_event_of(answer: Mapping[str, Any]) -> LastEvent | None:
    """The newest event of an `/api/events`; None where it has none that can be read."""
    events = answer.get("events")
    event = events[0] if isinstance(events, list) and events else None
    if not isinstance(event, dict) or (start := _time(event.get("start"))) is None:
        return None
    found, kind = event.get("shown"), event.get("kind")
    shown = found if isinstance(found, dict) else {}
    words = shown.get("kind"), event.get("corrected"), shown.get("label") if kind == "seen" else event.get("label")
    label = next(filter(None, (_text(each, _LABEL) for each in words)), None)
    return LastEvent(label, start, _time(event.get("end")))


def check_still(jpeg: bytes) -> None:
    """Raises ValueError, as a sentence without a stop, for what is not a small, complete JPEG."""
    try:
        header = read_header(jpeg)
    except UsageError:
        header = None
    if header is None or not header.scalable:  # of those that can be read, a JPEG alone is
        raise ValueError("it sends something else than a picture")
    if not header.complete:
        raise ValueError("it sends a picture whose end is missing")
    if max(header.width, header.height) > MOST_SIDE:
        raise ValueError(f"it sends a picture of {header.width:,}×{header.height:,} px, and at most {MOST_SIDE:,} fit")


def sentence_of(body: bytes) -> str:
    """The sentence of a refusal; empty where there is none."""
    try:
        return _text(read_object(body).get("error"), _SENTENCE) or ""
    except ValueError:
        return ""


def _text(value: object, most: int) -> str | None:
    if not isinstance(value, str) or not value.strip():
        return None
    text = printable(" ".join(value[: 4 * most].split()))
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _probability(text: str | None) -> float | None:
    try:
        p = float(text or "nan")
    except ValueError:
        return None
    return p if math.isfinite(p) and 0 <= p <= 1 else None


def _time(value: object) -> str | None:
    """A time with an offset, in UTC; None for anything else."""
    if not isinstance(value, str) or len(value) > 40:
        return None
    try:
        found = datetime.fromisoformat(value)
        return None if found.tzinfo is None else found.astimezone(UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError):
        return None
