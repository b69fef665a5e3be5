"""Decides for each picture that comes: a file of its own, the picture of another event, or none."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, replace

from vitcam.history.album import Album, Small, small_grey
from vitcam.history.budget import Detail, WriteBudget
from vitcam.history.database.sharing import owner_of
from vitcam.history.picture_files import PictureFiles
from vitcam.history.stored import EventChange, FrameSummary, StoredEvent

Look = Callable[[bytes, FrameSummary], FrameSummary]
"""What an encoded picture shows, given what its frame showed."""


def as_its_frame(_: bytes, sight: FrameSummary) -> FrameSummary:
    """A `Look` that takes the picture for its frame."""
    return sight


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """A change, and where its picture is."""

    change: EventChange
    frame: str | None = None
    """The file that was written for it."""
    owner: int | None = None
    """The row whose picture stands for its own."""


class Placing:
    """Used by the writer's thread, within a transaction.

    look  called for each picture that is written
    """

    def __init__(self, files: PictureFiles, budget: WriteBudget, look: Look) -> None:
        self._files = files
        self._budget = budget
        self._look = look
        self._album = Album()

    def place(self, connection: sqlite3.Connection, change: EventChange) -> Placed:
        """Write the picture of a change if it needs a file. Raises OSError, sqlite3.Error."""
        placed = Placed(change) if change.jpeg is None else self._placed(connection, change, change.jpeg)
        if change.phase == "end":
            self._album.ended(change.event)
        return placed

    def forget(self) -> None:
        """Share no picture that came before: the transaction failed, or times have changed."""
        self._album.forget()

    def _placed(self, connection: sqlite3.Connection, change: EventChange, jpeg: bytes) -> Placed:
        event = change.event
        small = small_grey(jpeg) if self._budget.limited else None
        if small is not None and (owner := self._owner(connection, event, small)) is not None:
            self._album.shares(event)
            return Placed(change, owner=owner)
        if self._budget.detail() is Detail.NONE:
            return Placed(change.without_picture())
        change = replace(change, event=replace(event, sight=self._look(jpeg, event.sight)))
        frame = self._files.write(event.id, event.start_ms, jpeg)
        self._budget.picture(len(jpeg))
        if small is not None:
            self._album.took(event, small)
        return Placed(change, frame=frame)

    def _owner(self, connection: sqlite3.Connection, event: StoredEvent, small: Small) -> int | None:
        """An owner may have been deleted since."""
        for event_id in self._album.alike(event, small, self._budget.short):
            if (owner := owner_of(connection, event_id)) is not None:
                return owner
        return None
