"""A made history of what a garden's camera may see, and its export."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tests.frames import picture
from tests.histories import START_MS, change
from vitcam.config.identity import Identity
from vitcam.frames import Group, SecondAnswer
from vitcam.history.query_text import as_written
from vitcam.history.store import EventStore
from vitcam.history.stored import EventChange, Query
from vitcam.parts.records.camtrap import CamtrapWriter, PackageWishes, Written
from vitcam.parts.records.events import recorded_events
from vitcam.parts.records.people import PeopleTimes
from vitcam.parts.records.settings import PlaceSettings
from vitcam.parts.records.site import Site
from vitcam.parts.records.taxa import Taxa
from vitcam.pictures.encode import encode_jpeg

JPEG = encode_jpeg(picture(), 80)
HOUR_MS = 3_600_000
BERLIN = PlaceSettings(52.516275, 13.377704, name='Garten, "hinten"', time_zone="Europe/Berlin")
GOLDFINCH = SecondAnswer("European Goldfinch", 0.83, "birds", "Carduelis carduelis")
BIRD = Group("bird", 0.97)
IDENTITY = Identity("vitcam_Garten", "1a2b3c4d", "Garten")
EVENTS: tuple[dict[str, Any], ...] = (
    {"label": "tabby cat", "model": "everyday"},
    {"label": "person", "model": "everyday", "zone": "Tür | hinten"},
    {"label": "brambling", "group": BIRD, "model": "everyday", "second": GOLDFINCH},
    {"label": "bulbul", "group": BIRD, "model": "everyday", "second": SecondAnswer(None, 0.2, "birds")},
    {"label": "jay", "group": BIRD, "model": "everyday", "corrected": "Carduelis carduelis (European Goldfinch)"},
    {"label": "tabby cat", "model": "everyday", "corrected": '=Mimi, "unsere"\r\nKatze | groß'},
    {"label": "cup", "model": "everyday"},
    {"label": "pickup", "model": "everyday"},
    {"label": "tabby cat", "p": 0.3, "peak": 0.4, "model": "everyday"},
    {"label": "something", "kind": "unknown", "model": "everyday"},
    {"label": "covered", "kind": "problem"},
    {"label": "red fox", "model": "gone", "camera": "rtsp://camera:8554/street"},
)
"""One each hour, the first at midnight UTC of 1 January 2026."""


def made_history(folder: Path, events: Iterable[dict[str, Any]] = EVENTS, jpeg: bytes | None = JPEG) -> EventStore:
    """Events of 1.5 s with a picture each."""
    store = EventStore(folder)
    store.start()
    for hour, event in enumerate(events):
        name = f"01JM{hour:022}"
        of_person = {key: event[key] for key in ("corrected", "favourite") if key in event}
        store.put(change(name, "end", jpeg=jpeg, **times(hour) | {key: event[key] for key in event.keys() - of_person}))
        assert store.get(name) is not None  # it is on the disk
        if label := of_person.get("corrected"):
            store.correct(name, label)
        if of_person.get("favourite"):
            store.set_favourite(name, True)
    store.stop(20)
    return store


def with_film(store: EventStore, hour: int) -> EventStore:
    """The same history, in which one event has a film."""
    film = store.folder / "clips" / "a.mp4"
    film.parent.mkdir()
    film.write_bytes(b"film")
    again = EventStore(store.folder)
    again.start()
    again.attach_clip(f"01JM{hour:022}", film)
    again.stop(20)
    return again


def times(hour: int) -> dict[str, int]:
    start_ms = START_MS + hour * HOUR_MS + 250
    return {"start_ms": start_ms, "end_ms": start_ms + 1500}


def stored_history(folder: Path, changes: Iterable[EventChange]) -> EventStore:
    store = EventStore(folder)
    store.start()
    for one in changes:
        store.put(one)
    store.stop(20)
    return store


def exported(
    store: EventStore,
    target: Path,
    *,
    place: PlaceSettings = BERLIN,
    wishes: PackageWishes | None = None,
    own: dict[str, str] | None = None,
    names_of: Callable[[str], tuple[str, ...]] = as_written,
) -> Written:
    """A package of all of them."""
    wishes = wishes or PackageWishes(True, False, "", None, None)
    taxa = Taxa(own or {}, names_of)
    writer = CamtrapWriter(Site.of(place, "Garten"), IDENTITY, taxa, wishes, PeopleTimes.of(store, taxa))
    return writer.write(recorded_events(store, Query(), wishes.media), target)
