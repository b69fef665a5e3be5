"""Events for other programs: CSV, JSON Lines, or a folder that `vitcam-train` reads as a data set."""

import csv
import io
import json
import logging
from collections.abc import Iterable, Iterator
from pathlib import Path

from vitcam.errors import VitcamError
from vitcam.history.database.search import MOST
from vitcam.history.picture_files import LabelFolders
from vitcam.history.record import stored_record, time_text
from vitcam.history.store import EventStore
from vitcam.history.stored import Query, StoredEvent

log = logging.getLogger(__name__)

FORMATS = ("csv", "jsonl")
_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""A label or the name of a camera may begin with one of these."""
_COLUMNS = (
    "id", "kind", "label", "corrected", "zone", "camera", "start", "end", "p", "peak", "favourite", "model", "frame",
    "clip", "shown", "shown_p", "shown_level", "track", "box", "detail", "detail_p",
    "detail_model",
)  # fmt: skip


def pages(store: EventStore, query: Query) -> Iterator[tuple[StoredEvent, ...]]:
    """All events that a query means, the newest first. Raises VitcamError if the history cannot be read."""
    before = None
    while True:
        page = store.find(query, MOST, before)
        yield page.events
        if (before := page.next) is None:
            return


def as_text(events: Iterable[StoredEvent], form: str) -> str:
    """Lines of a file; `header` comes before them.

    form  one of `FORMATS`
    """
    if form == "jsonl":
        return "".join(json.dumps(stored_record(event), ensure_ascii=False) + "\n" for event in events)
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(map(_cell, _row(event)) for event in events)
    return out.getvalue()


def header(form: str) -> str:
    """The first line of a file; empty for JSON Lines."""
    return ",".join(_COLUMNS) + "\n" if form == "csv" else ""


def labelled_pictures(store: EventStore, query: Query) -> Iterator[tuple[str, str, bytes]]:
    """Label, id and JPEG of each event with a picture, or of its box: one that several share once for each label.

    A picture that cannot be read is logged and left out.

    raises  VitcamError if the history cannot be read
    """
    done: set[tuple[str, str | None]] = set()
    for events in pages(store, query):
        for event in events:
            if (event.name, event.frame) in done:
                continue
            done.add((event.name, event.frame))
            try:
                jpeg = store.detail(event) or store.picture(event)
            except VitcamError as error:
                log.warning("%s", error)
                continue
            if jpeg:
                yield event.name, event.id, jpeg


def write_dataset(pictures: Iterable[tuple[str, str, bytes]], folder: Path) -> int:
    """Write `labelled_pictures` to `folder/LABEL/ID.jpg`; returns how many. Raises VitcamError."""
    folders, copied = LabelFolders(folder), 0
    for label, event_id, jpeg in pictures:
        try:
            folders.put(label, event_id, jpeg)
        except OSError as error:
            raise VitcamError(f"the pictures cannot be written to {folder}: {error.strerror}") from error
        copied += 1
    return copied


def _cell(value: object) -> object:
    """A text that a spreadsheet would take for a formula gets an apostrophe before it, which makes it a text again.

    source  OWASP, "CSV Injection"
    """
    if not isinstance(value, str):
        return value
    text = value.replace("\r", " ")  # Python 3.11 does not quote it, and it would begin a row
    return f"'{text}" if value.startswith(_FORMULAS) else text


def _row(event: StoredEvent) -> tuple[object, ...]:
    """One cell for each of `_COLUMNS`; what is not known is empty."""
    end, second = None if event.end_ms is None else time_text(event.end_ms), event.shown.detail
    return (
        event.id, event.kind, event.label, event.corrected, event.zone, event.camera, time_text(event.start_ms), end,
        round(event.p, 6), round(event.peak, 6), int(event.favourite), event.model, event.frame, event.clip,
        event.shown.label, round(event.shown.p, 6), event.shown.level, event.track,
        None if event.box is None else str(event.box),
        *((None, None, None) if second is None else (second.label, round(second.p, 6), second.model)),
    )  # fmt: skip
