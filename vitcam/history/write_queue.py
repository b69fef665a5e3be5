"""What waits to be written: a bounded number of events, each as it is now, and the work that others ask for."""

import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any

from vitcam.errors import VitcamError
from vitcam.history.stored import EventChange
from vitcam.threads.event_room import EventRoom

MOST = 64
"""Events, without the ends of stored ones, and pieces of work that somebody waits for. Each event may have a picture in
memory."""
_MOST_NOTES = 1024  # small: what came of an action, the name of a clip
_LATEST_S = 30.0  # an event that is not written by then never will be


@dataclass(slots=True, eq=False)
class WriteTask:
    """Something else to do in the writer's thread."""

    do: Callable[[sqlite3.Connection], Any]
    """Called within a transaction, perhaps several times; its last result is the future's."""
    done: "Future[Any]"
    awaited: bool
    """True: somebody waits for the result. False: it is tried again for a while until it returns something true."""
    after_commit: bool = False
    """True: it is called after the transaction, and begins its own."""
    about: str = ""
    """The id of the event that it changes, which followers are told then."""
    first: bool = False
    """True: it is called before the changes of events that are written with it."""
    note: tuple[str, str] = ("", "end")
    """Of what an action it tells, and whether that begins to wait (`new`) or is over (`end`); empty: of none."""
    since_s: float = 0.0
    """Monotonic: the first try; 0 before."""

    def result(self, connection: sqlite3.Connection) -> Any:
        """What it returns, or why it is refused."""
        try:
            return self.do(connection)
        except VitcamError as error:
            return error


@dataclass(slots=True)
class WriteBatch:
    """What is written with one commit."""

    changes: list[EventChange] = field(default_factory=list)
    work: list[WriteTask] = field(default_factory=list)
    generation: int = 0
    """Of the masks: how often they had been drawn when it was taken."""

    def refuse(self, reason: str) -> None:
        """Tell the threads that wait for work why it is not done."""
        for work in self.work:
            if not work.done.done():
                work.done.set_exception(VitcamError(f"this cannot be changed now: {reason}"))


class WriteQueue:
    """Any thread adds; one thread takes. A newer change of an event replaces one that was not written yet."""

    def __init__(self) -> None:
        self._ready = threading.Condition()
        self._changes: dict[str, EventChange] = {}
        self._taken: frozenset[str] = frozenset()
        """Ids of the events that are being written."""
        self._work: deque[WriteTask] = deque()
        self._parked: deque[WriteTask] = deque()
        self._room, self._notes = EventRoom(MOST), EventRoom(_MOST_NOTES)
        self._closed = self._flushing = False
        self._generation = 0
        self.dropped = 0
        """Changes for which there was no room, and work that nobody waits for."""

    def put(self, change: EventChange) -> None:
        """Add a change, or count it where too many wait. The end of an event whose beginning was taken is taken."""
        with self._ready:
            before = self._changes.get(change.event.id)
            waiting = 0 if before is not None else len(self._changes)
            if not self._room.takes(change.event.id, change.phase, waiting):
                self.dropped += change.phase == "new"
                return
            self._changes[change.event.id] = change if before is None else merged(before, change)
            self._ready.notify()

    def holds(self, event_id: str) -> bool:
        """Whether a change of an event waits, or is being written."""
        with self._ready:
            return event_id in self._changes or event_id in self._taken

    def submit(self, work: WriteTask) -> bool:
        """Add work; False where too much waits. The end of an action that waited, and was taken as such, is taken."""
        with self._ready:
            room = len(self._work) < MOST if work.awaited else self._notes.takes(*work.note, len(self._work))
            if self._closed or not room:
                self.dropped += not work.awaited
                return False
            self._work.append(work)
            self._ready.notify()
            return True

    def take(self, timeout_s: float, collect_s: float = 0.0) -> WriteBatch:
        """All that waits; an empty batch after `timeout_s`, and at once after the close.

        collect_s  for this time they wait for others, unless somebody waits for an answer or there is little room
        """
        with self._ready:
            self._ready.wait_for(lambda: self._changes or self._work or self._closed, timeout_s)
            if collect_s and (self._changes or self._work):
                self._ready.wait_for(lambda: self._is_urgent, collect_s)
            batch = WriteBatch([*self._changes.values()], [*self._parked, *self._work], self._generation)
            self._taken = frozenset(self._changes)
            self._changes.clear()
            self._parked.clear()
            self._work.clear()
            self._flushing = False
            return batch

    def flush(self) -> None:
        """Let what waits for others be taken now."""
        with self._ready:
            self._flushing = True
            self._ready.notify()

    @property
    def _is_urgent(self) -> bool:
        full = len(self._changes) >= MOST // 2 or len(self._work) >= _MOST_NOTES // 2
        return full or self._flushing or self._closed or any(work.awaited for work in self._work)

    def give_back(self, batch: WriteBatch) -> None:
        """Keep what could not be written; newer changes that came meanwhile win."""
        with self._ready:
            old = batch.generation != self._generation
            given = [change.without_picture() if old else change for change in batch.changes]
            newer, self._changes = self._changes, {change.event.id: change for change in given}
            for change in newer.values():
                before = self._changes.get(change.event.id)
                self._changes[change.event.id] = change if before is None else merged(before, change)
            self._work.extendleft(reversed(batch.work))

    def finish(self, work: WriteTask, result: Any) -> None:
        """Give the result of work to the thread that waits; work whose event may be written in a moment is kept."""
        if isinstance(result, VitcamError):
            work.done.set_exception(result)
        elif work.awaited or result or not self.park(work):
            work.done.set_result(result)

    def park(self, work: WriteTask) -> bool:
        """Keep work that is about an event which is not written yet, until the next batch.

        returns  False: it has waited long enough, or too much waits
        """
        with self._ready:
            now_s = time.monotonic()
            work.since_s = work.since_s or now_s
            if self._closed or now_s - work.since_s > _LATEST_S or len(self._parked) >= _MOST_NOTES:
                return False
            self._parked.append(work)
            return True

    def drop_pixels(self) -> None:
        """Masks were drawn: forget the pictures that wait, and those of a batch that could not be written."""
        with self._ready:
            self._generation += 1
            self._changes = {name: change.without_picture() for name, change in self._changes.items()}

    @property
    def closed(self) -> bool:
        return self._closed

    def close(self) -> None:
        """Wake the thread that takes; no more work is accepted."""
        with self._ready:
            self._closed = True
            self._ready.notify()

    def wait_for_close(self, timeout_s: float) -> None:
        """Return after `timeout_s`, or at the close."""
        with self._ready:
            self._ready.wait_for(lambda: self._closed, timeout_s)


def merged(before: EventChange, change: EventChange) -> EventChange:
    """The newer of two changes of one event; the older's pictures, if the newer has none."""
    phase = change.phase if before.phase != "new" or change.phase == "end" else "new"
    if change.jpeg is None and before.jpeg is not None:
        event = replace(change.event, summary=before.event.summary)
        return replace(change, event=event, phase=phase, jpeg=before.jpeg, detail=before.detail)
    return replace(change, phase=phase)
