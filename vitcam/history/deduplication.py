"""Where the picture of an event is kept: in a file of its own, or with another event that looked the same.

A picture costs the disk as much as thirty rows do. Things that come again and again, such as a car that passes each
minute, look the same each time: one picture shows all of them.
"""

import sqlite3
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.history.budget import PictureSize, WriteBudget
from vitcam.history.database.sharing import DAY_MS, owner_of
from vitcam.history.picture_files import PictureFiles
from vitcam.history.stored import EventChange, FrameSummary, StoredEvent
from vitcam.rects import Box

_SOON_MS = 600_000
_SIZE = (32, 18)  # px of the thumbnails
_MEAN, _MOST = 3.0, 32.0  # of 255: how much thumbnails may differ on average, and anywhere
_GENEROUS = 2.0  # while the budget is short
_PICTURES, _SCENES = 6, 256  # of each scene; scenes

Thumbnail = NDArray[np.float32]
"""(18, 32), grey, 0 to 255."""
Scene = tuple[str, str, str | None]
"""Kind, label and zone: only events that have all three in common share a picture."""
Reclassify = Callable[[bytes, StoredEvent], FrameSummary]
"""What an encoded picture shows, given what its frame showed, which is the summary of the event."""


def keep_summary(_: bytes, event: StoredEvent) -> FrameSummary:
    """A `Reclassify` that takes the picture for its frame."""
    return event.summary


@dataclass(frozen=True, slots=True, eq=False)
class PlacedChange:
    """A change, and where its picture is."""

    change: EventChange
    frame: str | None = None
    """The file that was written for it."""
    owner: int | None = None
    """The row whose picture stands for its own."""


class PictureDeduplicator:
    """Decides for each picture that comes: a file of its own, the picture of another event, or none.

    Used by the writer's thread, within a transaction.

    reclassify  called for each picture that is written
    """

    def __init__(self, files: PictureFiles, budget: WriteBudget, reclassify: Reclassify) -> None:
        self._files = files
        self._budget = budget
        self._reclassify = reclassify
        self._recent = _RecentPictures()

    def place(self, connection: sqlite3.Connection, change: EventChange) -> PlacedChange:
        """Write the picture of a change if it needs a file. Raises OSError, sqlite3.Error."""
        placed = PlacedChange(change) if change.jpeg is None else self._placed(connection, change, change.jpeg)
        if change.phase == "end":
            self._recent.ended(change.event)
        return placed

    def forget(self) -> None:
        """Share no picture that came before: the transaction failed, or times have changed."""
        self._recent.forget()

    def _placed(self, connection: sqlite3.Connection, change: EventChange, jpeg: bytes) -> PlacedChange:
        event, seen = change.event, change.detail or jpeg
        thumbnail = thumbnail_of(seen) if self._budget.limited else None
        if thumbnail is not None and (owner := self._owner(connection, event, thumbnail)) is not None:
            self._recent.drop(event)
            return PlacedChange(change, owner=owner)
        if self._budget.picture_size() is PictureSize.NONE:
            return PlacedChange(change.without_picture())
        change = replace(change, event=replace(event, summary=self._asked_again(jpeg, change.detail, event)))
        frame = self._files.write(event.id, event.start_ms, jpeg, change.detail)
        self._budget.picture(change.picture_bytes)
        if thumbnail is not None:
            self._recent.add(event, thumbnail)
        return PlacedChange(change, frame=frame)

    def _asked_again(self, jpeg: bytes, detail: bytes | None, event: StoredEvent) -> FrameSummary:
        """What the kept picture shows: of a box, the picture of the box."""
        summary = event.summary
        if detail is None or summary.detail is None:
            return self._reclassify(jpeg, event)
        found = self._reclassify(detail, replace(event, summary=summary.of_detail))
        return replace(found, size=summary.size, crop=summary.crop, detail=summary.detail)

    def _owner(self, connection: sqlite3.Connection, event: StoredEvent, thumbnail: Thumbnail) -> int | None:
        """An owner may have been deleted since."""
        for event_id in self._recent.alike(event, thumbnail, self._budget.short):
            if (owner := owner_of(connection, event_id)) is not None:
                return owner
        return None


class _FinalPicture(NamedTuple):
    """A picture of an event that is over: it stays as it is."""

    event_id: str
    start_ms: int
    width: int
    box: Box | None
    thumbnail: Thumbnail


class _RecentPictures:
    """The newest pictures of each scene, in memory and of this run. Used by one thread."""

    def __init__(self) -> None:
        self._final: OrderedDict[Scene, deque[_FinalPicture]] = OrderedDict()
        self._lasting: dict[str, tuple[int, Box | None, Thumbnail]] = {}
        """Width, box and thumbnail of events that may still get a better one."""

    def alike(self, event: StoredEvent, thumbnail: Thumbnail, short: bool) -> Iterator[str]:
        """Ids of events whose picture can stand for that of `event`, the newest first.

        thumbnail  of its own picture
        short      take pictures of the last day that differ a little more, and smaller ones, too; False: of the last
                   ten minutes
        """
        longest_ms = DAY_MS if short else _SOON_MS
        for picture in reversed(self._final.get(_scene(event), ())):
            recent = abs(event.start_ms - picture.start_ms) < longest_ms
            wide = short or picture.width >= event.summary.size[0]
            there = picture.box == event.box or (picture.box and event.box and picture.box.overlaps(event.box))
            if recent and wide and there and is_alike(picture.thumbnail, thumbnail, _GENEROUS if short else 1.0):
                yield picture.event_id

    def add(self, event: StoredEvent, thumbnail: Thumbnail) -> None:
        """The event has a picture of its own now."""
        self._lasting[event.id] = (event.summary.size[0], event.box, thumbnail)

    def ended(self, event: StoredEvent) -> None:
        """The event is over, so its own picture, if it has one, may stand for others."""
        if (picture := self._lasting.pop(event.id, None)) is None:
            return
        scene = self._final.setdefault(_scene(event), deque(maxlen=_PICTURES))
        scene.append(_FinalPicture(event.id, event.start_ms, *picture))
        self._final.move_to_end(_scene(event))
        if len(self._final) > _SCENES:
            self._final.popitem(last=False)

    def drop(self, event: StoredEvent) -> None:
        """The event shows another one's picture now."""
        self._lasting.pop(event.id, None)

    def forget(self) -> None:
        """Begin again: what was written is not certain any more, or its times have changed."""
        self._final.clear()
        self._lasting.clear()


def thumbnail_of(jpeg: bytes) -> Thumbnail | None:
    """The picture at 32×18 px, (18, 32) float32, 0 to 255; None if it cannot be read."""
    read = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_REDUCED_GRAYSCALE_4)
    return None if read is None else cv2.resize(read, _SIZE, interpolation=cv2.INTER_AREA).astype(np.float32)


def is_alike(one: Thumbnail, other: Thumbnail, generous: float = 1.0) -> bool:
    """Whether two pictures show the same for an eye that looks for a second.

    one, other  (18, 32) float32, 0 to 255
    generous    how many times as much they may differ
    """
    differing = np.abs(one - other)
    return bool(differing.mean() <= generous * _MEAN and differing.max() <= generous * _MOST)


def _scene(event: StoredEvent) -> Scene:
    return event.kind, event.label, event.zone
