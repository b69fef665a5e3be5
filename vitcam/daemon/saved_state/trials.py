"""What is changed on the page is kept for the next start once it has worked on a frame.

A part of the picture that makes a stage fail is taken back, and never meets a later start.
"""

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field

from vitcam.errors import UsageError
from vitcam.storage.unsaved import Unsaved
from vitcam.threads.worker import Worker

log = logging.getLogger(__name__)

_WAIT_S = 3.0
_LOOK_S = 1.0
_LATER = "no picture has come since; it is kept once one was classified with it"
_ENDING = "the run is ending"
_REPLACED = "it was changed again before a picture was classified with it"


@dataclass(eq=False, slots=True)
class _OnTrial:
    since_ns: int
    save: Callable[[], str]
    done: "Future[str]" = field(default_factory=Future)


class Trials:
    """The publishing thread says what worked and what failed, a thread of its own saves, and viewers wait for it."""

    def __init__(self) -> None:
        self._saving = threading.Lock()
        """Held from where a change is taken to its end, so that an older one is never saved after a newer one."""
        self._changed = threading.Condition()
        self._waiting: dict[str, _OnTrial] = {}
        self._due: dict[str, _OnTrial] = {}
        self._closed = False
        self.unsaved = Unsaved()
        """Saves what needs no trial, too."""
        self.worker = Worker("remember", self._work)

    def keep(self, what: str, save: Callable[[], str], undo: Callable[[], None] | None = None) -> str:
        """Save a change once it has worked; returns why it is not kept, or not yet.

        what    kind of change: a newer one of the same kind takes the place of one that waits
        save    returns why it will not be kept, "" if it will
        undo    called if a stage failed with it, also later; None: the stage's owner does it
        raises  UsageError if a stage failed with it
        """
        trial = self.begin(what, save)
        if undo is not None:
            trial.add_done_callback(lambda done: undo() if done.exception() else None)
        try:
            return trial.result(_WAIT_S)
        except TimeoutError:
            return _LATER

    def begin(self, what: str, save: Callable[[], str]) -> "Future[str]":
        """The same for a caller who does not wait."""
        trial = _OnTrial(time.monotonic_ns(), save)
        with self._changed:
            self._drop(what)
            if self._closed:
                trial.done.set_result(_ENDING)
            else:
                self._waiting[what] = trial
        self.worker.start()
        return trial.done

    def keep_now(self, what: str, save: Callable[[], str]) -> str:
        """Save a change that needs no trial, in place of one of its kind that waits. Arguments as those of `keep`."""
        with self._saving:
            self._save_what_is_due()  # it was changed before, so it is saved before
            with self._changed:
                self._drop(what)
            return self.unsaved.keep(what, save)

    def _drop(self, what: str) -> None:
        for before in (self._waiting.pop(what, None), self._due.pop(what, None)):
            if before is not None:
                before.done.set_result(_REPLACED)

    def worked(self, captured_ns: int) -> None:
        """A frame of that time was classified and published: what was in force then works."""
        if not self._waiting:  # nothing but this, for nearly every frame
            return
        with self._changed:
            for what in [what for what, trial in self._waiting.items() if trial.since_ns < captured_ns]:
                self._due[what] = self._waiting.pop(what)
            self._changed.notify_all()

    def failed(self, why: str) -> None:
        """A stage failed unexpectedly: what waits is to blame until it is known to work."""
        if not self._waiting:
            return
        with self._changed:
            blamed, self._waiting = [*self._waiting.values()], {}
        for trial in blamed:
            trial.done.set_exception(UsageError(f"what was before is in force again, since this does not work: {why}"))

    def close(self) -> None:
        """What has not worked so far is not kept."""
        with self._changed:
            left, self._waiting = [*self._waiting.values()], {}
            self._closed = True
            self._changed.notify_all()
        for trial in left:
            trial.done.set_result(_ENDING)

    def _work(self) -> None:
        while self._due or not self._closed:  # what has worked is kept, also at the end
            self.worker.beat()
            with self._changed:
                self._changed.wait_for(lambda: self._due or self._closed, _LOOK_S)
            with self._saving:
                self._save_what_is_due()

    def _save_what_is_due(self) -> None:
        with self._changed:
            due, self._due = self._due, {}
        self.unsaved.try_again(at_once=self._closed)
        for what, trial in due.items():
            try:
                trial.done.set_result(self.unsaved.keep(what, trial.save))
            except Exception as error:  # the caller who waits gets it, and the next one is saved all the same
                log.exception("a change could not be kept")
                trial.done.set_exception(error)
