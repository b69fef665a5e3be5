"""The event store: what the rest of vitcam uses of the history. Every method may be called in any thread."""

import contextlib
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from vitcam.errors import VitcamError
from vitcam.history.clock import MachineClock
from vitcam.history.database import search, writing
from vitcam.history.database.counts import QuarterCount, by_label_and_quarter
from vitcam.history.database.reading import DamagedHistory, meets_no_damage, read
from vitcam.history.database.stories import EverydayOf, Period, StorySummary, names_in_use, summarise
from vitcam.history.notices import Listener
from vitcam.history.picture_files import PictureFiles, detail_of
from vitcam.history.reclassified import Reclassify, keep_summary
from vitcam.history.rendering import seen_by_model
from vitcam.history.retention import RetentionRules, reclaim
from vitcam.history.stored import Action, EventChange, Page, Query, StoredEvent
from vitcam.history.write_queue import WriteQueue, WriteTask
from vitcam.history.writer import HistoryWriter
from vitcam.names.everyday import everyday_word
from vitcam.parts import PARTS
from vitcam.run.kinds import KeepsCopies
from vitcam.run.part import load_each
from vitcam.run.underway import Underway
from vitcam.state import History
from vitcam.storage.reading import read_file
from vitcam.threads.worker import Worker

_ANSWER_S = 20.0
_DELETE_S = 5.0
_LOOK_S = 30.0
_LARGEST_PICTURE = 32 * 2**20  # bytes

T = TypeVar("T")
log = logging.getLogger(__name__)


class EventStore:
    """Events in `events.db` below a state folder, and their pictures beside it.

    What changes it only hands over to the writer's thread. What reads it has a connection of its own.

    rules       what is kept for how long; None: another process may be the daemon of this folder
    reclassify  called in the writer's thread for each picture: what it shows as it is kept
    clock       dates events; None: that of this machine
    together_s  how long an event waits for others while nobody waits for it: writing wears out an SD card
    everyday_of what people say now for what was displayed; called in any thread
    """

    def __init__(
        self,
        folder: Path,
        rules: RetentionRules | None = None,
        reclassify: Reclassify = keep_summary,
        clock: MachineClock | None = None,
        together_s: float = 0.0,
        everyday_of: EverydayOf = everyday_word,
    ) -> None:
        self.folder = folder
        self._everyday_of = everyday_of
        self._queue = WriteQueue()
        self.clock = clock or MachineClock()
        self._writer = HistoryWriter(
            folder, self._queue, self._notify_followers, rules, reclassify, self.clock, together_s
        )
        self._followers: tuple[Listener, ...] = ()
        self._written = threading.Condition()
        self._written_count = 0
        self._pictures = PictureFiles(folder)
        self.underway = Underway("a picture of an event is still being sent or copied")
        """Who passes a picture on begins here, before it is read."""
        self._copies: list[KeepsCopies] = [copies(folder) for copies in load_each(part.copies for part in PARTS)]

    @property
    def worker(self) -> Worker:
        """The thread that writes."""
        return self._writer.worker

    def start(self) -> None:
        """Begin to write."""
        self._writer.worker.start()

    def stop(self, timeout_s: float) -> None:
        """Write what waits, and end."""
        self._writer.stop(timeout_s)
        with self._written:
            self._written.notify_all()

    def change(self, rules: RetentionRules) -> None:
        """Keep to other limits from now on."""
        self._writer.rules = rules

    def follow(self, notify: Listener) -> None:
        """Call `notify` with each event and its phase, once it is on the disk. It may only hand over."""
        self._followers += (notify,)

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """Write events at once: somebody waits for them. Called in one thread."""
        self._writer.watched += 1
        self._queue.flush()
        try:
            yield
        finally:
            self._writer.watched -= 1

    def viewer_asked(self) -> None:
        """Write events at once for a while: somebody has asked for the newest, and may ask again."""
        if not self._writer.is_watched:
            self._queue.flush()
        self._writer.watched_until_s = time.monotonic() + _LOOK_S

    def put(self, change: EventChange) -> None:
        """Keep an event as it is now."""
        self._queue.put(change)

    def note_action(self, event_id: str, action: Action) -> None:
        """Keep what a rule did because of an event."""
        note = f"{event_id} {action.rule} {action.kind}", "new" if action.status == "waiting" else "end"
        self._submit(lambda at: writing.note_action(at, event_id, action), awaited=False, about=event_id, note=note)

    def attach_clip(self, event_id: str, path: Path) -> None:
        """Keep the video of an event, a file below the state folder. That of an event that was deleted goes, too."""
        name, size = str(path.relative_to(self.folder)), path.stat().st_size

        def decided(done: "Future[bool]") -> None:
            if done.exception() is not None or not done.result():  # no event names it
                self._pictures.remove([name])

        attached = self._submit(
            lambda connection: writing.attach_clip(connection, event_id, name, size), awaited=False, about=event_id
        )
        attached.add_done_callback(decided)

    def without_clip(self, event_ids: Sequence[str]) -> set[str]:
        """Those of these events that are kept and name no clip, once the history is open and of this version.

        raises  VitcamError if it is not within 20 s, or is damaged
        """
        return self._result_of(lambda connection: search.without_clip(connection, event_ids))

    def drop_pixels(self) -> None:
        """Masks were drawn: no picture that waits is stored, and no event that lasts shows one that was. What is being
        passed on is waited for.

        On a full disk their files go first, and what names them once it can be written. Raises VitcamError.
        """
        self._queue.drop_pixels()
        if not self._writer.worker.started:
            return
        try:
            files = self._result_of(self._writer.drop_pixels, first=True, late=self._pictures.remove)
        except VitcamError:
            if not self._writer.trouble:
                raise
            files = self._read(lambda connection: writing.open_pictures(connection, self._writer.first), [])
            self._submit(lambda connection: writing.forget_pictures(connection, files), awaited=False, first=True)
        self._pictures.remove(files)
        self.underway.drop_pixels()

    def find(self, query: Query, limit: int = 50, before: str | None = None, after: str | None = None) -> Page:
        """The newest events that a query means, or those beside one, as `search.find` has them. Raises VitcamError."""
        page = self._read(
            lambda connection: search.find(connection, self._meant(connection, query), limit, before, after),
            Page((), None),
        )
        return Page(tuple(map(self._said, page.events)), page.next)

    def wait_for_picture(self, event_id: str, timeout_s: float) -> StoredEvent | None:
        """An event that was handed over just now, once it is on the disk with a picture; what there is at the end.

        Does not wait any longer once the store has ended. Raises VitcamError if the history cannot be read.
        """
        until_s = time.monotonic() + timeout_s
        while True:
            count = self._written_count
            event = self.get(event_id)
            left_s = until_s - time.monotonic()
            if (event is not None and event.frame) or left_s <= 0 or self._queue.closed:
                return event
            self._queue.flush()
            with self._written:
                if self._written_count == count and not self._queue.closed:
                    self._written.wait(left_s)

    def counts(self, query: Query, ahead_ms: int | None = None) -> list[QuarterCount]:
        """How many events of each label began in each quarter of an hour. Raises VitcamError if it cannot be read."""
        return self._read(
            lambda connection: by_label_and_quarter(connection, self._meant(connection, query), ahead_ms), []
        )

    def summary(self, query: Query, times_ms: Sequence[int], limit: int) -> StorySummary:
        """What was seen between some times, folded, as `stories.summarise` has it. Raises VitcamError."""
        nothing = Period(times_ms[0], times_ms[-1], 0, 0, ())
        return self._read(
            lambda connection: summarise(
                connection, self._meant(connection, query), times_ms, limit, self._everyday_of
            ),
            StorySummary(nothing, (), None, None, None),
        )

    def names_in_use(self) -> tuple[list[str], list[str]]:
        """What was displayed, and in which zones something was. Raises VitcamError if the history cannot be read."""
        nothing: tuple[list[str], list[str]] = ([], [])
        return self._read(lambda connection: names_in_use(connection, self._everyday_of), nothing)

    def get(self, event_id: str) -> StoredEvent | None:
        """One event; None if there is none of that id. One that waits to be written is written now: a rule, which hears
        of events at once, may have told its id. Raises VitcamError if the history cannot be read.
        """
        waits = self._queue.holds(event_id)
        found = self._read(lambda connection: search.get(connection, event_id), None)
        if found is None and waits:
            with contextlib.suppress(VitcamError):  # what cannot be written is not there
                self._result_of(lambda _: False)  # it is done once everything before it is on the disk
            found = self._read(lambda connection: search.get(connection, event_id), None)
        return None if found is None else self._said(found)

    def after(self, event_id: str) -> tuple[StoredEvent, ...]:
        """What a follower may have missed after that event, the oldest first; also some events that began before it."""
        nothing: tuple[StoredEvent, ...] = ()
        return tuple(
            map(self._said, self._read(lambda connection: search.changed_since(connection, event_id), nothing))
        )

    def _meant(self, connection: sqlite3.Connection, query: Query) -> Query:
        """The query with all that was displayed and that people call by one of the names that it shows."""
        names = {name.casefold() for name in query.shown}
        words = search.distinct_values(connection, "displayed") if names else []
        found = [word for word in words if names & {word.casefold(), self._everyday_of(word).casefold()}]
        return replace(query, shown=query.shown | set(found))

    def _said(self, event: StoredEvent) -> StoredEvent:
        """The event with what people say for it."""
        return replace(event, everyday=self._everyday_of(event.displayed))

    def picture(self, event: StoredEvent) -> bytes | None:
        """The JPEG of an event; None if there is none, or it is gone. Raises VitcamError if it cannot be read."""
        return None if event.frame is None else self._file(event.frame)

    def detail(self, event: StoredEvent) -> bytes | None:
        """The JPEG of its box in the camera's own px; None and VitcamError as `picture`."""
        has_one = event.frame is not None and event.summary.detail is not None
        return self._file(detail_of(event.frame)) if event.frame and has_one else None

    def seen(self, event: StoredEvent) -> bytes | None:
        """The JPEG of what the model saw of it; None and VitcamError as `picture`."""
        jpeg = self.picture(event)
        return (self.detail(event) or seen_by_model(jpeg, event.summary)) if jpeg else None

    def _file(self, name: str) -> bytes | None:
        try:
            return read_file(self._pictures.path(name), _LARGEST_PICTURE)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise VitcamError(f"the picture {name} cannot be read: {error.strerror}") from error

    def correct(self, event_id: str, label: str | None) -> StoredEvent | None:
        """Give an event another label; None: take it back.

        The event comes first: nothing is taught from a picture whose label was not kept.

        returns  the event as it is then; None: there is no such event
        raises   VitcamError if it cannot be kept; nothing has changed then
        """
        with self.underway.begin():
            event = self.get(event_id)
            seen = self.seen(event) if event and label else None
            if event is None or not self._label(event_id, label):
                return None
            try:
                for each in self._copies:
                    each.correct(event_id, label, event.corrected, seen)
            except OSError as error:
                self._label(event_id, event.corrected)
                raise VitcamError(f"the correction cannot be kept in {self.folder}: {error.strerror}") from error
        return self.get(event_id)

    def _label(self, event_id: str, label: str | None) -> bool:
        return self._result_of(
            lambda connection: writing.edit(connection, event_id, {"corrected": label}), about=event_id
        )

    def set_favourite(self, event_id: str, favourite: bool) -> StoredEvent | None:
        """Let an event stay, or not; None: there is no such event. Raises VitcamError if it cannot be kept."""
        values = {"favourite": int(favourite)}
        self._result_of(lambda connection: writing.edit(connection, event_id, values), about=event_id)
        return self.get(event_id)

    def delete(self, event_id: str) -> bool:
        """Delete an event with all its files; False: there is no such event. Raises VitcamError."""
        if (event := self.get(event_id)) is None:
            return False
        self._delete([event])
        return True

    def delete_some(self, query: Query) -> int:
        """Delete the newest events of a query, with their files, for a few seconds; returns how many."""
        deleted, until_s = 0, time.monotonic() + _DELETE_S
        while events := self.find(query, search.MOST).events:
            self._delete(events)
            deleted += len(events)
            if time.monotonic() >= until_s:
                break
        return deleted

    def _delete(self, events: Sequence[StoredEvent]) -> None:
        """The rows first: a row whose picture is gone would be a lie, a picture without a row is only room."""
        ids = [event.id for event in events]

        def remove(files: list[str]) -> None:
            self._pictures.remove(files)
            for event in events:
                for each in self._copies if event.corrected else ():
                    each.forget(event.id, event.corrected or "")

        remove(self._result_of(lambda connection: writing.delete_ids(connection, ids), late=remove))
        self._result_of(reclaim, after_commit=True)

    @property
    def trouble(self) -> str:
        """Why nothing is written; empty while all is well."""
        return self._writer.trouble

    @property
    def notice(self) -> str:
        """What happened to an older history since the start; empty if nothing did."""
        return self._writer.notice

    def state(self) -> History:
        """What is kept, and what is wrong."""
        kept, timestamps = self._writer.totals, self._writer.timestamps
        doubt = timestamps.doubt if timestamps else ""
        trouble, rules = self.trouble or self.notice, self._writer.rules or RetentionRules()
        return History(True, kept.events, round(kept.bytes / 1e6, 3), self._queue.dropped, trouble, doubt, rules.rests)

    def _notify_followers(self, event: StoredEvent, phase: str) -> None:
        with self._written:
            self._written_count += 1
            self._written.notify_all()
        event = self._said(event)
        for notify in self._followers:
            try:
                notify(event, phase)
            except Exception:  # what one of them does wrong must not keep others from hearing of it
                log.exception("an event was kept, and a part of vitcam could not be told of it")

    def _result_of(
        self, do: Callable[[sqlite3.Connection], T], after_commit: bool = False, about: str = "", first: bool = False,
        late: Callable[[T], None] | None = None,
    ) -> T:  # fmt: skip
        """What the writer's thread returns.

        late  gets it where it comes too late for the answer; called in that thread
        """
        done = self._submit(do, after_commit=after_commit, about=about, first=first)
        try:
            return done.result(_ANSWER_S)
        except TimeoutError:
            if late is not None:
                done.add_done_callback(lambda done: late(done.result()) if done.exception() is None else None)
            raise VitcamError("the disk is too slow to change the history now; look again in a minute") from None

    def _submit(
        self,
        do: Callable[[sqlite3.Connection], T],
        awaited: bool = True,
        after_commit: bool = False,
        about: str = "",
        first: bool = False,
        note: tuple[str, str] = ("", "end"),
    ) -> "Future[T]":
        done: Future[T] = Future()
        if not self._queue.submit(WriteTask(do, done, awaited, after_commit, about, first, note)):
            too_many = VitcamError("too many changes of the history are being made already; try again in a second")
            if awaited:
                raise too_many
            done.set_exception(too_many)
        return done

    def _read(self, ask: Callable[[sqlite3.Connection], T], nothing: T) -> T:
        """What the database answers; `nothing` before the first start has made it."""
        try:
            return read(self.folder, ask, nothing)
        except DamagedHistory:  # the writer meets the same damage, and begins a new history
            self._submit(lambda _: meets_no_damage(self.folder, ask), awaited=False)
            raise
