"""The thread that writes the history. Nobody waits for the disk but this thread."""

import contextlib
import logging
import sqlite3
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from vitcam.errors import VitcamError
from vitcam.history.clock import MachineClock
from vitcam.history.database.connections import (
    FILE,
    begin_anew,
    is_input_or_output,
    is_whole,
    open_to_write,
    set_emptied_aside,
)
from vitcam.history.database.file_watch import NOTICES, Change, FileWatch
from vitcam.history.database.sharing import last_picture, newest_pictures
from vitcam.history.database.totals import Totals
from vitcam.history.database.writing import close_open, first_free, forget_open_pictures, frame_of, write_change
from vitcam.history.notices import Listener, Notices
from vitcam.history.picture_files import PictureFiles
from vitcam.history.reclassified import Reclassify, reclassified
from vitcam.history.retention import Housekeeping, RetentionRules
from vitcam.history.stored import EventChange
from vitcam.history.timestamps import EventTimestamps
from vitcam.history.write_queue import WriteBatch, WriteQueue, WriteTask
from vitcam.storage.damaged_database import is_damage
from vitcam.threads.worker import Worker

log = logging.getLogger(__name__)

_IDLE_S = 1.0
_AGAIN_S = 2.0  # after a failure, such as a full disk
_ANEW_EVERY_S = 60.0  # a damaged file of which there is no room for a copy

_Results = list[tuple[WriteTask, Any]]


class HistoryWriter:
    """Owns the one connection that writes.

    notify      as in `Notices`; called after the commit of each change
    rules       what is kept for how long; None: nothing is deleted and no event ended, as in a command beside a daemon
    reclassify  called for each picture that is written
    clock       dates events
    together_s  how long an event waits for others while nobody waits for it, so that they are written together
    """

    def __init__(
        self,
        folder: Path,
        queue: WriteQueue,
        notify: Listener,
        rules: RetentionRules | None,
        reclassify: Reclassify,
        clock: MachineClock,
        together_s: float,
    ) -> None:
        self._folder = folder
        self._queue = queue
        self._notices = Notices(notify)
        self.rules = rules
        """Any thread may replace it."""
        self._pictures = PictureFiles(folder)
        self._reclassify = reclassify
        self._together_s = together_s
        self._connection: sqlite3.Connection | None = None
        self._stored: set[str] = set()
        """Events of this run that last and have a row: an update of one that is gone now was deleted."""
        self.worker = Worker("history", self._run)
        self._housekeeping: Housekeeping | None = None
        self._file: FileWatch | None = None
        self._has_begun = False
        self._anew_s = 0.0
        self.first = 0
        """Number of the first row of this run; 0: nothing of it is in this file."""
        self._clock = clock
        self.timestamps: EventTimestamps | None = None
        """None: nothing is open, or another process may be the daemon."""
        self.watched = 0
        """How many wait for events as they come. Changed in one thread."""
        self.watched_until_s = 0.0
        """Monotonic: until then somebody seems to wait, too."""
        self.trouble = ""
        """Why nothing is written; empty while all is well."""
        self.notice = ""
        """What happened to an older history; empty if nothing did."""

    @property
    def totals(self) -> Totals:
        """What was kept when it was counted last."""
        return self._housekeeping.totals if self._housekeeping else Totals()

    @property
    def is_watched(self) -> bool:
        """Whether somebody waits for events."""
        return self.watched > 0 or time.monotonic() < self.watched_until_s

    def stop(self, timeout_s: float) -> None:
        """Write what waits, and end."""
        self._queue.close()
        self.worker.join(timeout_s)
        self.worker.stop()

    def drop_pixels(self, connection: sqlite3.Connection) -> list[str]:
        """Masks were drawn: take the pictures from events that last.

        Called within a transaction. Returns the files that nothing names any more.
        """
        return forget_open_pictures(connection, self.first)

    def _run(self) -> None:
        more = True
        while True:
            closing = self._queue.closed
            together_s = 0.0 if self.is_watched else self._together_s
            self.worker.beat(together_s)
            batch = self._queue.take(0.0 if more else _IDLE_S, together_s)
            self.worker.beat()
            good = self._write(batch)
            if closing:
                break
            more = good and self._housekeep()
            if not good:
                self._queue.wait_for_close(_AGAIN_S)
        self._queue.take(0.0).refuse("the daemon is ending")
        self._close()

    def _close(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
        self._connection = self._housekeeping = self.timestamps = self._file = None

    def _housekeep(self) -> bool:
        """Housekeeping, while nothing waits; True: there is more of it."""
        house, timestamps, rules = self._housekeeping, self.timestamps, self.rules
        if house is None or timestamps is None or rules is None or not house.due:
            return False
        try:
            self._follow_clock()
            more = house.step(rules, timestamps.least_ms)
            if self._file is not None:
                self._file.wrote()
        except (sqlite3.Error, OSError) as error:
            self._failed(error)
            return False
        return more

    def _write(self, batch: WriteBatch) -> bool:
        """Write a batch with one commit; False: something failed, and is tried again later."""
        try:
            connection = self._open()
            results = self._commit(connection, batch) if batch.changes or batch.work else []
        except VitcamError as error:
            self._set_trouble(str(error))
        except (sqlite3.Error, OSError) as error:
            self._failed(error)
        except Exception:  # noqa: BLE001 - what cannot be written must not stop the rest
            self._write_one_by_one(batch)
            return True
        else:
            return self._after_commit(connection, batch, results)
        awaited = WriteBatch(work=[work for work in batch.work if work.awaited])
        awaited.refuse(self.trouble or self.notice)
        self._queue.give_back(WriteBatch(batch.changes, [work for work in batch.work if not work.awaited]))
        return False

    def _write_one_by_one(self, batch: WriteBatch) -> None:
        """After an error in vitcam: each by itself, so that only the one goes that cannot be written."""
        parts = [WriteBatch([change]) for change in batch.changes] + [WriteBatch(work=[work]) for work in batch.work]
        if len(parts) > 1:
            for part in parts:
                self._write(part)
            return
        log.exception("an event or a change of one could not be kept because of an error in vitcam")
        batch.refuse("of an error in vitcam; see its log")
        self._queue.dropped += len(parts)

    def _open(self) -> sqlite3.Connection:
        if self._file is not None and (change := self._file.change()):
            self._changed(change)
        if self._connection is None:
            self._connection = open_to_write(self._folder)
            try:
                self._set_up(self._connection)
            except BaseException as error:  # the next try opens it again, and misses no part
                if not is_damage(error, self._folder / FILE):  # a damaged file is set aside before it is closed
                    self._close()
                raise
        return self._connection

    def _set_up(self, connection: sqlite3.Connection) -> None:
        """All that belongs to one open connection."""
        if not self.first:
            self._begin(connection)
        self.first = min(self.first, first_free(connection))  # the last rows of a damaged file may be lost
        if self.rules is not None:
            self.timestamps = EventTimestamps(connection, self._clock)
        self._housekeeping = Housekeeping(connection, self._pictures, self._clock)
        self._file = FileWatch(self._folder, connection)

    def _begin(self, connection: sqlite3.Connection) -> None:
        """A file that this run has not had before."""
        if self.rules is not None:
            close_open(connection)
            if not self._has_begun:
                own = partial(frame_of, connection)
                shown = partial(newest_pictures, connection)
                self._pictures.remove_left_behind(own, shown, last_picture(connection))
        self._has_begun = True
        self.first = first_free(connection)

    def _changed(self, change: Change) -> None:
        """Somebody else has touched the file: use what has its name now. What waits in memory is written there.

        Events that last are in no other file: they are written as new ones.
        """
        if change == "emptied":
            self._begin_again(set_emptied_aside)
            return
        self._close()
        if change == "overwritten" and not is_whole(self._folder):
            self._begin_again(partial(begin_anew, beat=self.worker.beat))
            return
        if change != "without its log":
            self._stored.clear()
            self.first = 0
        self.notice = NOTICES[change].format(self._folder / FILE)
        log.error("%s", self.notice)

    def _commit(self, connection: sqlite3.Connection, batch: WriteBatch) -> _Results:
        """All of a batch, or nothing of it; returns what came of the work."""
        written: list[str] = []
        replaced: list[str | None] = []
        results: _Results = []
        self._follow_clock()
        connection.execute("BEGIN IMMEDIATE")
        try:
            results += [(work, work.result(connection)) for work in batch.work if work.first]
            replaced += [self._store(connection, change, written) for change in batch.changes]
            usual = [work for work in batch.work if not work.first and not work.after_commit]
            results += [(work, work.result(connection)) for work in usual]
            connection.execute("COMMIT")
        except BaseException:
            self._pictures.remove(written)
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise
        self._pictures.remove(replaced)
        return results

    def _after_commit(self, connection: sqlite3.Connection, batch: WriteBatch, results: _Results) -> bool:
        """What follows a commit: nothing of it can make the commit undone. False: something failed."""
        for work, result in results:
            self._queue.finish(work, result)
        for change in batch.changes:
            (self._stored.discard if change.phase == "end" else self._stored.add)(change.event.id)
            self._notices.add(change.event.id, change.phase)
        for work, result in results:
            if result is True and work.about:
                self._notices.add(work.about, "")
        late = [work for work in batch.work if work.after_commit]
        try:
            self._notices.tell(connection)
            if self._housekeeping is not None and (batch.changes or any(result for _, result in results)):
                self._housekeeping.look()
            while late:
                self._do_late(connection, late[0])
                late.pop(0)
            if self._file is not None and (batch.changes or batch.work):
                self._file.wrote()
        except (sqlite3.Error, OSError) as error:
            self._failed(error)
            WriteBatch(work=late).refuse(self.trouble or self.notice)
            return False
        self._set_trouble("")
        return True

    def _do_late(self, connection: sqlite3.Connection, work: WriteTask) -> None:
        """Raises sqlite3.Error and OSError. After an error in vitcam only this work is refused."""
        try:
            self._queue.finish(work, work.result(connection))
        except (sqlite3.Error, OSError):
            raise
        except Exception:  # one piece of work must not stop the rest
            log.exception("a change of the history could not be finished because of an error in vitcam")
            WriteBatch(work=[work]).refuse("of an error in vitcam; see its log")

    def _store(self, connection: sqlite3.Connection, change: EventChange, written: list[str]) -> str | None:
        timestamps, frame = self.timestamps, None
        new = change.event.id not in self._stored
        change = reclassified(timestamps.dated(change) if timestamps else change, self._reclassify)
        if change.jpeg is not None:
            frame = self._pictures.write(change.event.id, change.event.start_ms, change.jpeg, change.detail)
            written.append(frame)
        seen_ms = timestamps.now_ms if timestamps else time.time_ns() // 1_000_000
        number = timestamps.number if timestamps and change.booted_ms is not None else None
        return write_change(connection, change, seen_ms, frame, new, number)

    def _follow_clock(self) -> None:
        if self.timestamps is not None:
            self.timestamps.check_clock()

    def _failed(self, error: Exception) -> None:
        if is_damage(error, self._folder / FILE):
            self._begin_again(partial(begin_anew, beat=self.worker.beat))
            return
        if isinstance(error, sqlite3.Error) and is_input_or_output(error):
            self._close()  # the next try opens the file again: the disk may have come back as another device
        reason = error.strerror if isinstance(error, OSError) else str(error)
        self._set_trouble(f"no events are kept in {self._folder}: {reason}; vitcam tries again")

    def _begin_again(self, anew: Callable[[Path], str]) -> None:
        """Let a new file begin while the old one is open: SQLite would move its log into it at the close.

        anew  does it, and returns a sentence on that; raises OSError and sqlite3.Error
        """
        if time.monotonic() < self._anew_s:
            return
        try:
            self.notice = anew(self._folder)
        except (OSError, sqlite3.Error) as error:
            self._anew_s = time.monotonic() + _ANEW_EVERY_S
            self._set_trouble(f"the history in {self._folder} is damaged, and a new one cannot begin: {error}")
        else:
            log.error("%s", self.notice)
            self._stored.clear()
        self._close()

    def _set_trouble(self, trouble: str) -> None:
        """Log a trouble once, and once that it is over."""
        if trouble and not self.trouble:
            log.error("%s", trouble)
        elif self.trouble and not trouble:
            log.info("events are kept again")
        self.trouble = trouble
