"""A picture that waits for a name, as one file: a JPEG whose first comment says what the model made of it.

A user who can change the folder may put anything there: what is no such file is not believed, and not shown.
"""

import base64
import binascii
import json
import math
import re
import struct
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import UsageError
from vitcam.frames import Guess
from vitcam.text import shortened

Why = Literal["unsure", "unknown", "corrected"]
FOLDER = "inbox"
HEAD = 2 + 2 + 2 + 2**16
"""Bytes, within which the comment ends."""
_SOI, _COMMENT = b"\xff\xd8", b"\xff\xfe"
_ID = re.compile(r"inbox-[0-9A-Za-z][\w-]{0,79}", re.ASCII)
_MOST_GUESSES = 10
_LONGEST_TEXT = 300
_WIDEST = 8192  # numbers of an embedding
_LATEST_MS = 2**48


@dataclass(frozen=True, slots=True, eq=False)
class InboxEntry:
    """What is known of a picture that waits for a name."""

    id: str
    why: Why
    """`corrected`: a person has said that an event of the history shows something else."""
    taken_ms: int
    """Since the epoch, by the clock of that time."""
    doubt: float
    """How unsure the model was, 0 to 1."""
    top: tuple[Guess, ...] = ()
    """Its best guesses, best first."""
    model: str = ""
    zone: str | None = None
    label: str | None = None
    """What a person has called it; None: nobody has."""
    space: str = ""
    """Embeddings of one space can be compared with each other."""
    embedding: NDArray[np.float32] | None = None
    """(D,), of length 1."""
    size: int = 0
    """Bytes of its file."""


def checked_id(text: str) -> str:
    """An id as it is, which can be the name of a file. Raises UsageError."""
    if not _ID.fullmatch(text):
        raise UsageError(
            f"{shortened(repr(text))} is no picture of the inbox; GET /api/inbox lists those that there are"
        )
    return text


def id_of_event(event_id: str) -> str:
    """The id of an event's picture in the inbox. Raises UsageError for an id that cannot be a name."""
    return checked_id(f"inbox-{event_id}")


def forget_event(folder: Path, event_id: str) -> None:
    """Delete an event's picture from the inbox below a state folder. One that is gone is fine."""
    with suppress(OSError, UsageError):
        (folder / FOLDER / f"{id_of_event(event_id)}.jpg").unlink()


def pack_entry(entry: InboxEntry, jpeg: bytes) -> bytes:
    """The file. Raises UsageError if that is no JPEG, or too much is known of it."""
    record: dict[str, Any] = {
        "why": entry.why,
        "taken_ms": entry.taken_ms,
        "doubt": round(entry.doubt, 4),
        "top": [[guess.label, round(guess.p, 4)] for guess in entry.top[:_MOST_GUESSES]],
        "model": entry.model,
        "zone": entry.zone,
        "label": entry.label,
        "space": entry.space,
    }
    if entry.embedding is not None:
        record["embedding"] = base64.b64encode(entry.embedding.astype(np.float16).tobytes()).decode()
    comment = json.dumps(record).encode()
    if not jpeg.startswith(_SOI) or len(comment) + 2 >= 2**16:
        raise UsageError("this picture cannot be kept in the inbox: it is no JPEG, or its labels are too long")
    return _SOI + _COMMENT + struct.pack(">H", len(comment) + 2) + comment + jpeg[2:]


def picture_in(data: bytes) -> bytes:
    """The JPEG in a file, without what was known of it. Raises ValueError."""
    return _SOI + data[4 + _length(data) :]


def read_entry(entry_id: str, head: bytes, size: int) -> InboxEntry:
    """What a file says.

    head    its first bytes, `HEAD` at most
    size    bytes of all of it
    raises  ValueError, TypeError, LookupError, RecursionError for what was not written by `pack_entry`
    """
    record = json.loads(head[6 : 4 + _length(head)])
    why, taken_ms, doubt, top = (record[key] for key in ("why", "taken_ms", "doubt", "top"))
    if why not in get_args(Why) or type(taken_ms) is not int or not 0 <= taken_ms < _LATEST_MS:
        raise ValueError("no reason, or no time")
    guesses = tuple(Guess(_text(label), _share(p)) for label, p in top[:_MOST_GUESSES])
    zone, label = (None if record[key] is None else _text(record[key]) for key in ("zone", "label"))
    model, space = _text(record["model"]), _text(record["space"])
    embedding = _embedding(record["embedding"]) if "embedding" in record else None
    return InboxEntry(entry_id, why, taken_ms, _share(doubt), guesses, model, zone, label, space, embedding, size)


def with_unit_embedding(entry: InboxEntry) -> InboxEntry:
    """The same, its embedding of length 1; without one where its length is none."""
    found = entry.embedding
    return replace(entry, embedding=None if found is None else _unit(found.astype(np.float32)))


def _length(data: bytes) -> int:
    if data[:4] != _SOI + _COMMENT:
        raise ValueError("it does not begin with a comment")
    length: int = struct.unpack(">H", data[4:6])[0]
    if not 2 < length <= len(data) - 4:
        raise ValueError("its comment does not end")
    return length


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST_TEXT or not value.isprintable():
        raise ValueError("a text that is none")
    return value


def _share(value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value <= 1:  # not a number is neither
        raise ValueError("a share that is none")
    return float(value)


def _embedding(value: Any) -> NDArray[np.float32] | None:
    try:
        data = base64.b64decode(value, validate=True)
    except binascii.Error as error:
        raise ValueError("no base64") from error
    if len(data) % 2 or not 0 < len(data) <= 2 * _WIDEST:
        raise ValueError("an embedding of no width")
    return _unit(np.frombuffer(data, np.float16).astype(np.float32))


def _unit(embedding: NDArray[np.float32]) -> NDArray[np.float32] | None:
    length = float(np.linalg.norm(embedding))
    return np.asarray(embedding / length, np.float32) if math.isfinite(length) and length > 0 else None
