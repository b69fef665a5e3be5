"""The thread that writes the history. Nobody waits for the disk but this thread."""

import contextlib
import logging
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

from vitcam.errors import VitcamError
from vitcam.history.budget import WriteBudget
from vitcam.history.database.connections import inode_of, is_damage, open_to_write, set_aside
from vitcam.history.database.search import get
from vitcam.history.database.sharing import newest_pictures
from vitcam.history.database.totals import Totals
from vitcam.history.database.writing import close_open, first_free, frame_of, shift_times, write_change
from vitcam.history.housekeeping import Housekeeping
from vitcam.history.inbox import Inbox, Work, Writes
from vitcam.history.pictures.files import PictureFiles
from vitcam.history.pictures.placing import Look, Placing
from vitcam.history.retention import RetentionRules
from vitcam.history.stored import EventChange, StoredEvent

log = logging.getLogger(__name__)

_IDLE_S = 1.0
_AGAIN_S = 2.0  # after a failure, such as a full disk
_MOST_TRIES = 20

Told = Callable[[StoredEvent, str], None]


class HistoryWriter:
    """Owns the one connection that writes.

    told   called after the commit of each change, with the event as it is stored, and its phase; empty: a clip, an
           action or a person's word was added
    rules  what is kept for how long; None: nothing is deleted, and no event is ended, as in a command beside a daemon
    look   called for each picture that is written
    """

    def __init__(
        self, folder: Path, inbox: Inbox, told: Told, rules: RetentionRules | None, budget: WriteBudget, look: Look
    ) -> None:
        self._folder = folder
        self._inbox = inbox
        self._told = told
        self._budget = budget
        self.rules = rules
        """Any thread may replace it."""
        self._pictures = PictureFiles(folder)
        self._placing = Placing(self._pictures, budget, look)
        self._connection: sqlite3.Connection | None = None
        self._stored: set[str] = set()
        """Events of this run that last and have a row: an update of one that is gone now was deleted."""
        self._thread = threading.Thread(target=self._run, name="history", daemon=True)
        self._housekeeping: Housekeeping | None = None
        self._inode = 0
        self._first = 0
        """Number of the first row of this run."""
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

    def start(self) -> None:
        self._thread.start()

    def stop(self, timeout_s: float) -> None:
        """Write what waits, and end."""
        self._inbox.close()
        self._thread.join(timeout_s)

    def shift(self, connection: sqlite3.Connection, step_ms: int) -> bool:
        """Correct the times of what this run has stored. Called within a transaction."""
        shift_times(connection, self._first, step_ms)
        self._placing.forget()
        return True

    def _run(self) -> None:
        more = True
        while True:
            closing = self._inbox.closed
            batch = self._inbox.take(0.0 if more else _IDLE_S, self._budget.wait_s(self.is_watched))
            good = self._write(batch)
            if closing:
                break
            more = good and self._rest()
            if not good:
                self._inbox.wait_for_close(_AGAIN_S)
        _refuse(self._inbox.take(0.0), "the daemon is ending")
        self._close()

    def _close(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
        self._connection = self._housekeeping = None

    def _rest(self) -> bool:
        """Housekeeping, while nothing waits; True: there is more of it."""
        try:
            return self._housekeeping is not None and self.rules is not None and self._housekeeping.step(self.rules)
        except (sqlite3.Error, OSError) as error:
            self._failed(error)
            return False

    def _write(self, batch: Writes) -> bool:
        """Write a batch with one commit; False: it is kept for later."""
        try:
            connection = self._open()
            if batch.changes or batch.work:
                self._commit(connection, batch)
        except VitcamError as error:
            self._say(str(error))
        except (sqlite3.Error, OSError) as error:
            self._failed(error)
        except Exception:  # the outermost function of the thread: what cannot be written must not stop the rest
            log.exception("%d event(s) could not be kept because of an error in vitcam", len(batch.changes))
            _refuse(batch, "of an error in vitcam; see its log")
            self._inbox.dropped += len(batch.changes)
            return True
        else:
            self._say("")
            return True
        asked = Writes(work=[work for work in batch.work if work.asked])
        _refuse(asked, self.trouble)
        self._inbox.give_back(Writes(batch.changes, [work for work in batch.work if not work.asked]))
        return False

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None and inode_of(self._folder) != self._inode:
            self._close()  # somebody moved or deleted the file, as before restoring a backup
        if self._connection is None:
            connection = open_to_write(self._folder)
            self._inode = inode_of(self._folder)
            if self.rules is not None:
                close_open(connection)
                own = partial(frame_of, connection)
                self._pictures.remove(self._pictures.left_behind(own, partial(newest_pictures, connection)))
            self._first = first_free(connection)
            self._housekeeping = Housekeeping(connection, self._pictures)
            self._connection = connection
        return self._connection

    def _commit(self, connection: sqlite3.Connection, batch: Writes) -> None:
        written: list[str] = []
        replaced: list[str | None] = []
        results: list[tuple[Work, Any]] = []
        connection.execute("BEGIN IMMEDIATE")
        try:
            replaced += [self._store(connection, change, written) for change in batch.changes]
            results += [(work, _done(connection, work)) for work in batch.work if not work.after_commit]
            connection.execute("COMMIT")
        except BaseException:
            self._placing.forget()
            self._pictures.remove(written)
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise
        self._budget.commit(len(batch.changes) + len(batch.work))
        self._pictures.remove(replaced)
        self._tell(connection, batch.changes)
        if self._housekeeping is not None:
            self._housekeeping.look()
        results += [(work, _done(connection, work)) for work in batch.work if work.after_commit]
        for work, result in results:
            self._finish(work, result)
            if result is True and work.about and (event := get(connection, work.about)) is not None:
                self._told(event, "")

    def _store(self, connection: sqlite3.Connection, change: EventChange, written: list[str]) -> str | None:
        placed = self._placing.place(connection, change)
        if placed.frame is not None:
            written.append(placed.frame)
        new = change.event.id not in self._stored
        seen_ms = time.time_ns() // 1_000_000
        return write_change(connection, placed.change, seen_ms, placed.frame, new, placed.owner)

    def _tell(self, connection: sqlite3.Connection, changes: list[EventChange]) -> None:
        for change in changes:
            if change.phase == "end":
                self._stored.discard(change.event.id)
            else:
                self._stored.add(change.event.id)
            if (event := get(connection, change.event.id)) is not None:
                self._told(event, change.phase)

    def _finish(self, work: Work, result: Any) -> None:
        if isinstance(result, VitcamError):
            work.done.set_exception(result)
        elif work.asked or result:
            work.done.set_result(result)
        elif work.tries < _MOST_TRIES:  # its event may be written in a moment
            work.tries += 1
            self._inbox.give_back(Writes(work=[work]))
        else:
            work.done.set_result(result)

    def _failed(self, error: Exception) -> None:
        if isinstance(error, sqlite3.Error) and is_damage(error):
            self._begin_again()
            return
        reason = error.strerror if isinstance(error, OSError) else str(error)
        self._say(f"no events are kept in {self._folder}: {reason}; vitcam tries again")

    def _begin_again(self) -> None:
        self._close()
        self._stored.clear()
        try:
            self.notice = set_aside(self._folder)
            log.error("%s", self.notice)
        except OSError as error:
            self._say(f"the history in {self._folder} is damaged and cannot be renamed: {error.strerror}")

    def _say(self, trouble: str) -> None:
        """Log a trouble once, and once that it is over."""
        if trouble and not self.trouble:
            log.error("%s", trouble)
        elif self.trouble and not trouble:
            log.info("events are kept again")
        self.trouble = trouble


def _done(connection: sqlite3.Connection, work: Work) -> Any:
    """What it returns, or why it is refused."""
    try:
        return work.do(connection)
    except VitcamError as error:
        return error


def _refuse(batch: Writes, reason: str) -> None:
    for work in batch.work:
        refused: Future[Any] = work.done
        refused.set_exception(VitcamError(f"this cannot be changed now: {reason}"))
