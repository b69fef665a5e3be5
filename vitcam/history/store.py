"""The event store: what the rest of vitcam uses of the history. Every method may be called in any thread."""

import sqlite3
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from vitcam.errors import VitcamError
from vitcam.history.database import search, writing
from vitcam.history.database.connections import is_there, open_to_read
from vitcam.history.database.schema import is_ready
from vitcam.history.inbox import Inbox, Work
from vitcam.history.picture_files import PictureFiles
from vitcam.history.stored import Action, EventChange, Page, Query, StoredEvent
from vitcam.history.writer import HistoryWriter, Told
from vitcam.state import History

_ANSWER_S = 10.0

T = TypeVar("T")


class EventStore:
    """Events in `events.db` below a state folder, and their pictures beside it.

    What changes it only hands over to the writer's thread. What reads it has a connection of its own.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._inbox = Inbox()
        self._writer = HistoryWriter(folder, self._inbox, self._tell, lambda _: False)
        self._followers: tuple[Told, ...] = ()
        self._pictures = PictureFiles(folder)

    def start(self) -> None:
        """Begin to write."""
        self._writer.start()

    def stop(self, timeout_s: float) -> None:
        """Write what waits, and end."""
        self._writer.stop(timeout_s)

    def follow(self, told: Told) -> None:
        """Call `told` with each event and its phase, once it is on the disk. It may only hand over."""
        self._followers += (told,)

    def put(self, change: EventChange) -> None:
        """Keep an event as it is now."""
        self._inbox.put(change)

    def note_action(self, event_id: str, action: Action) -> None:
        """Keep what a rule did because of an event."""
        self._ask(lambda connection: writing.note_action(connection, event_id, action), asked=False)

    def attach_clip(self, event_id: str, path: Path) -> None:
        """Keep the video of an event, a file below the state folder."""
        name, size = str(path.relative_to(self.folder)), path.stat().st_size
        self._ask(lambda connection: writing.attach_clip(connection, event_id, name, size), asked=False)

    def shift_times(self, step_ms: int) -> None:
        """The clock was set: correct the times of this run's events."""
        self._ask(lambda connection: self._writer.shift(connection, step_ms), asked=False)

    def find(self, query: Query, limit: int = 50, before: str | None = None) -> Page:
        """The newest events that a query means. Raises VitcamError if the history cannot be read."""
        return self._read(lambda connection: search.find(connection, query, limit, before), Page((), None))

    def get(self, event_id: str) -> StoredEvent | None:
        """One event; None if there is none of that id. Raises VitcamError if the history cannot be read."""
        return self._read(lambda connection: search.get(connection, event_id), None)

    def picture(self, event: StoredEvent) -> bytes | None:
        """The JPEG of an event; None if there is none, or it is gone. Raises VitcamError if it cannot be read."""
        if event.frame is None:
            return None
        try:
            return self._pictures.path(event.frame).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise VitcamError(f"the picture {event.frame} cannot be read: {error.strerror}") from error

    def state(self) -> History:
        """What is kept, and what is wrong."""
        return History(True, 0, 0.0, self._inbox.dropped, self._writer.trouble or self._writer.notice)

    def _tell(self, event: StoredEvent, phase: str) -> None:
        for told in self._followers:
            told(event, phase)

    def _ask(self, do: Callable[[sqlite3.Connection], T], asked: bool = True) -> "Future[T]":
        done: Future[T] = Future()
        if not self._inbox.ask(Work(do, done, asked)) and asked:
            raise VitcamError("too many changes of the history are being made already; try again in a second")
        return done

    def _read(self, ask: Callable[[sqlite3.Connection], T], nothing: T) -> T:
        """What the database answers; `nothing` before the first start has made it."""
        if not is_there(self.folder):
            return nothing
        try:
            with closing(open_to_read(self.folder)) as connection:
                return ask(connection) if is_ready(connection) else nothing
        except sqlite3.Error as error:
            raise VitcamError(f"the history in {self.folder} cannot be read: {error}") from error
