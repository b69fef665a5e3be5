"""The events that become records, one after the other, with their files."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass

from vitcam.errors import VitcamError
from vitcam.history.export import pages
from vitcam.history.store import EventStore
from vitcam.history.stored import Query, StoredEvent
from vitcam.storage.reading import read_file

log = logging.getLogger(__name__)

_LARGEST_FILM = 256 * 2**20  # bytes; one is in memory at a time


@dataclass(frozen=True, slots=True, eq=False)
class RecordedEvent:
    """An event of something that was seen."""

    event: StoredEvent
    picture: bytes | None = None
    """JPEG; None: it has none, or it is not wanted."""
    film: bytes | None = None
    """MP4; None likewise."""
    gone: int = 0
    """Files that the history names and that are not there, or cannot be read."""

    @property
    def end_ms(self) -> int:
        """Its end; of an event that lasts, or whose end nobody saw, the last that is known of it."""
        event = self.event
        if event.end_ms is not None:
            return max(event.end_ms, event.start_ms)
        return event.start_ms + (event.curve[-1][0] if event.curve else 0)


def recorded_events(store: EventStore, query: Query, media: bool) -> Iterator[RecordedEvent]:
    """What a query means, the newest first; problems of the camera are left out.

    media   whether pictures and films are wanted; one that cannot be read is logged
    raises  VitcamError if the history cannot be read
    """
    for events in pages(store, query):
        for event in events:
            if event.kind == "problem":
                continue
            if not media:
                yield RecordedEvent(event)
                continue
            picture, film = _picture(store, event), _film(store, event)
            gone = sum(
                named is not None and data is None for named, data in ((event.frame, picture), (event.clip, film))
            )
            yield RecordedEvent(event, picture, film, gone)


def _picture(store: EventStore, event: StoredEvent) -> bytes | None:
    try:
        return store.picture(event)
    except VitcamError as error:
        log.warning("%s", error)
        return None


def _film(store: EventStore, event: StoredEvent) -> bytes | None:
    if event.clip is None:
        return None
    try:
        return read_file(store.folder / event.clip, _LARGEST_FILM)
    except FileNotFoundError:
        return None
    except OSError as error:
        log.warning("the film %s cannot be read: %s", event.clip, error.strerror)
        return None
