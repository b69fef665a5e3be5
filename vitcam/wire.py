"""The JSON that leaves vitcam: one function a record, the same for the console, the web and every sink."""

import time
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Event, Group, Prediction, SecondAnswer, Shown, Unreadable
from vitcam.rects import Box, Rect
from vitcam.text import readable


def wall_time(monotonic_ns: int) -> str:
    """RFC 3339 in UTC with milliseconds: the wall clock as it is now, minus how long ago it was."""
    return rfc3339(time.time() - (time.monotonic_ns() - monotonic_ns) / 1e9)


def rfc3339(epoch_s: float) -> str:
    """RFC 3339 in UTC with milliseconds, of seconds since the epoch."""
    return datetime.fromtimestamp(epoch_s, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def prediction_record(prediction: Prediction) -> dict[str, Any]:
    """What the model says of one frame; the attention grid is left out, it is sent only where asked for."""
    ms = prediction.ms
    return {
        "type": "prediction",
        "source": readable(prediction.source),
        "path": None if prediction.path is None else readable(prediction.path),
        "zone": prediction.zone,
        **place_record(prediction.track, prediction.box),
        "seq": prediction.seq,
        "time": wall_time(prediction.captured_ns),
        "top": [{"label": guess.label, "p": round(guess.p, 6)} for guess in prediction.top],
        "group": group_record(prediction.group),
        "shown": shown_record(prediction.shown),
        "known": prediction.known,
        "blank": prediction.blank,
        "unfamiliar": prediction.unfamiliar,
        "familiarity": None if prediction.familiarity is None else round(prediction.familiarity, 4),
        "ms": {
            "capture": round(ms.capture, 3),
            "preprocess": round(ms.preprocess, 3),
            "infer": round(ms.infer, 3),
            "total": round(ms.total, 3),
        },
    }


def place_record(track: int | None, box: Box | None) -> dict[str, Any]:
    """What is followed, and where: `x,y,w,h` in fractions of the picture. None: it is the whole zone or view."""
    return {"track": track, "box": None if box is None else str(box)}


def group_record(group: Group | None) -> dict[str, Any] | None:
    """A group as a guess at a coarser level; None stays None."""
    return None if group is None else {"label": group.name, "p": round(group.p, 6)}


def shown_record(shown: Shown) -> dict[str, Any]:
    """The name that is displayed, its probability, whether a label or a group has it, its everyday name, and what a
    second model says of it."""
    return {
        "label": shown.label,
        "p": round(shown.p, 6),
        "level": shown.level,
        "kind": shown.kind,
        "detail": None if shown.detail is None else second_record(shown.detail),
    }


def second_record(answer: SecondAnswer) -> dict[str, Any]:
    """What a second model says; its label is null where it is not sure which."""
    return {
        "label": answer.label,
        "p": round(answer.p, 6),
        "model": answer.model,
        "scientific": answer.scientific,
    }


def frame_record(prediction: Prediction) -> dict[str, Any]:
    """The picture that a prediction is about: its size in px, and which part of it the model saw, in fractions."""
    width, height = prediction.size
    return {"width": width, "height": height, "crop": fractions(prediction.crop, height, width)}


def fractions(rect: Rect, height: int, width: int) -> list[float]:
    """x, y, width, height of a part of a picture of `height` × `width` px, as fractions of the picture."""
    sides = (rect.x / width, rect.y / height, rect.width / width, rect.height / height)
    return [round(side, 6) for side in sides]


def nested_lists(weights: NDArray[np.float32] | None) -> list[Any] | None:
    """(heads, gh, gw) or (gh, gw) as lists in lists, numbers with five decimals; None stays None."""
    if weights is None:
        return None
    rounded: list[Any] = np.round(weights.astype(np.float64), 5).tolist()
    return rounded


def event_record(event: Event) -> dict[str, Any]:
    """Something that was there for a while."""
    return {
        "type": "event",
        "id": event.id,
        "phase": event.phase,
        "kind": event.kind,
        "label": event.label,
        "zone": event.zone,
        **place_record(event.track, event.box),
        "p": round(event.p, 6),
        "group": group_record(event.group),
        "shown": shown_record(event.shown),
        "start": wall_time(event.start_ns),
        "end": wall_time(event.end_ns) if event.phase == "end" and event.end_ns is not None else None,
        "camera": event.camera,
    }


def error_record(unreadable: Unreadable) -> dict[str, Any]:
    """A file that was skipped, and why."""
    return {"type": "error", "path": readable(unreadable.path), "error": readable(unreadable.error)}


def summary_record(frames: int, errors: int, dropped: int, seconds: float) -> dict[str, Any]:
    """The last line of a run that ended by itself."""
    return {
        "type": "summary",
        "frames": frames,
        "errors": errors,
        "dropped": dropped,
        "seconds": round(seconds, 3),
    }
