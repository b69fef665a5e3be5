"""What a stored event must say of itself so that its picture can be asked again."""

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import VitcamError
from vitcam.frames import Guess, Image, Rect
from vitcam.history.record import full_record, time_text
from vitcam.history.store import EventStore
from vitcam.history.stored import StoredEvent

_ULID = re.compile("[0-9A-HJKMNP-TV-Z]{26}")


@dataclass(frozen=True, slots=True, eq=False)
class StoredPicture:
    """A stored event with its picture, from the history or from a bundle."""

    id: str
    label: str
    start: str
    """As `vitcam.wire.wall_time` writes it."""
    model: str
    fingerprint: str
    """SHA-256 of the model's graph; empty: nobody knows."""
    top: tuple[Guess, ...]
    """The best guesses at the picture, with the precision of float32."""
    crop: Rect
    """The part of the picture that the model saw, in px."""
    evidence: NDArray[np.float32] | None
    """(gh, gw), with the precision of float16; None if the model does not give it."""
    jpeg: bytes
    frame_of: str = ""
    """The id of the event whose picture it is, because both looked the same; empty: its own. Guesses and evidence are
    those of that picture."""


def is_id(text: str) -> bool:
    """Whether it looks like the id of an event."""
    return _ULID.fullmatch(text) is not None


def stored_picture(store: EventStore, event_id: str) -> tuple[StoredPicture, dict[str, object]]:
    """An event of the history, and its record as the API gives it.

    raises  VitcamError if there is no such event, if it has no picture, or if the history cannot be read
    """
    event = store.get(event_id)
    if event is None:
        raise VitcamError(f"there is no event {event_id} in {store.folder}; `vitcam events list` shows them")
    jpeg = store.picture(event)
    if jpeg is None or not event.summary.top:
        raise VitcamError(f"the event {event_id} has no picture, so there is nothing to replay")
    return _stored(event, jpeg), full_record(event)


def fitting(stored: StoredPicture, picture: Image) -> Image:
    """The picture, (H, W, 3) uint8, RGB. Raises VitcamError if the part that the model saw is not in it."""
    height, width = picture.shape[:2]
    crop = stored.crop
    inside = 0 <= crop.x <= width - crop.width and 0 <= crop.y <= height - crop.height
    if not inside or min(crop.width, crop.height) < 1:
        raise VitcamError(f"the picture of event {stored.id} has {width}×{height} px, and the model saw another part")
    return picture


def _stored(event: StoredEvent, jpeg: bytes) -> StoredPicture:
    summary, start = event.summary, time_text(event.start_ms)
    return StoredPicture(
        event.id, event.label, start, event.model, event.fingerprint, summary.top, summary.crop, summary.evidence, jpeg,
        event.frame_of or "",
    )  # fmt: skip
