"""A stored event with its picture: what it must say of itself, the model that has seen it, and asking that again."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import ModelError, UsageError, VitcamError
from vitcam.frames import Guess, Image
from vitcam.history.record import full_record, time_text
from vitcam.history.store import EventStore
from vitcam.history.stored import FrameSummary, StoredEvent
from vitcam.model.bundle import read
from vitcam.model.classifier import Classifier
from vitcam.model.files import find_model, list_models
from vitcam.rects import Rect

_SHOWN = 12  # digits of a fingerprint
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
    box: str = ""
    """Where in its frame the picture lies, as `Box` writes it; empty: it is the whole frame."""


def is_id(text: str) -> bool:
    """Whether it looks like the id of an event."""
    return _ULID.fullmatch(text) is not None


def stored_picture(store: EventStore, event_id: str) -> tuple[StoredPicture, dict[str, object]]:
    """An event of the history, and its record as the API gives it.

    raises  UsageError if there is no such event; VitcamError if it has no picture, or if the history cannot be read
    """
    event = store.get(event_id)
    if event is None:
        raise UsageError(f"there is no event {event_id} in {store.folder}; `vitcam events list` shows them")
    summary, jpeg = event.summary.of_detail, store.detail(event) if event.summary.detail else store.picture(event)
    if jpeg is None or not summary.top:
        raise VitcamError(f"the event {event_id} has no picture, so there is nothing to replay")
    return _stored(event, summary, jpeg), full_record(event)


def checked_picture(stored: StoredPicture, picture: Image) -> Image:
    """The picture, (H, W, 3) uint8, RGB. Raises VitcamError if the part that the model saw is not in it."""
    height, width = picture.shape[:2]
    crop = stored.crop
    inside = 0 <= crop.x <= width - crop.width and 0 <= crop.y <= height - crop.height
    if not inside or min(crop.width, crop.height) < 1:
        raise VitcamError(f"the picture of event {stored.id} has {width}×{height} px, and the model saw another part")
    return picture


def _stored(event: StoredEvent, summary: FrameSummary, jpeg: bytes) -> StoredPicture:
    start = time_text(event.start_ms)
    return StoredPicture(
        event.id, event.label, start, event.model, event.fingerprint, summary.top, summary.crop, summary.evidence, jpeg,
        event.frame_of or "", "" if event.box is None else str(event.box),
    )  # fmt: skip


def open_model(stored: StoredPicture, named: str = "", labels: Path | None = None) -> Classifier:
    """Load the model of an event.

    named   a model or a file to take; empty: the installed one that has the event's fingerprint
    labels  as `Classifier` takes them
    raises  ModelError if it is not installed, or if another one has its name
    """
    seen_by = f"{stored.model or 'a model without a name'} ({stored.fingerprint[:_SHOWN] or 'no fingerprint'})"
    path = find_model(named) if named else _installed(stored)
    if path is None:
        raise ModelError(
            f"the event was seen by {seen_by}, and no installed model has this fingerprint; name its file with --model"
        )
    classifier = Classifier(path, labels=labels, top_k=len(stored.top))
    found = classifier.fingerprint
    if found != stored.fingerprint:
        raise ModelError(
            f"the event was seen by {seen_by}, and {path} is another model ({found[:_SHOWN] or 'no fingerprint'}); "
            "name the file of the first one with --model"
        )
    return classifier


def _installed(stored: StoredPicture) -> Path | None:
    models = list_models()
    first = models.pop(stored.model, None)
    for path in filter(None, (first, *models.values())):
        try:
            described = read(path)
        except ModelError:  # it is damaged, and may be another one
            continue
        fingerprint = described.fingerprint if described else ""
        if fingerprint == stored.fingerprint and (fingerprint or path is first):
            return path
    return None
