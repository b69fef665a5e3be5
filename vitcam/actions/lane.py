"""Actions of one kind, in threads of their own: one that hangs delays no action of another kind."""

import logging
import queue
import threading
import time
from collections.abc import Callable
from typing import Protocol

from vitcam.actions.task import Act, ActionFailed, Note, Task

log = logging.getLogger(__name__)

_MOST_WAITING = 32
_LOOK_S = 1.0


class Hand(Protocol):
    """Does the actions of one kind. Every method may be called in any thread."""

    @property
    def waiting(self) -> int:
        """Tasks that are not done yet."""
        ...

    def put(self, task: Task) -> None:
        """Do a task soon. Does not wait. Where too many wait already, it has failed."""
        ...

    def drain(self, deadline_s: float) -> None:
        """Wait until none waits, up to this monotonic time in s."""
        ...

    def close(self) -> None:
        """Begin nothing more, and end what can be ended. Does not wait."""
        ...


class Lane:
    """Does tasks in order. Its threads begin with the first task.

    kind     of the actions, as in `Outcome`
    act      does one task
    note     gets what came of each
    threads  how many tasks are done at once
    end      makes the tasks end that are being done
    """

    def __init__(
        self, kind: str, act: Act, note: Note, threads: int = 1, end: Callable[[], None] = lambda: None
    ) -> None:
        self._kind = kind
        self._act = act
        self._note = note
        self._threads = threads
        self._end = end
        self._started = 0
        self._tasks: queue.Queue[Task] = queue.Queue(_MOST_WAITING)
        self._over = threading.Event()
        self._changed = threading.Condition()
        self._undone = 0

    @property
    def waiting(self) -> int:
        return self._undone

    def put(self, task: Task) -> None:
        with self._changed:
            try:
                self._tasks.put_nowait(task)
            except queue.Full:
                self._note(task.failed(self._kind, f"{_MOST_WAITING} actions of this kind wait already"))
                return
            self._undone += 1
            if self._started < min(self._threads, self._undone):
                self._started += 1
                threading.Thread(target=self._run, name=f"act on {self._kind}", daemon=True).start()

    def drain(self, deadline_s: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self._undone, max(0.0, deadline_s - time.monotonic()))

    def close(self) -> None:
        self._over.set()
        self._end()

    def _run(self) -> None:
        while not self._over.is_set():
            try:
                task = self._tasks.get(timeout=_LOOK_S)
            except queue.Empty:
                continue
            try:
                self._do(task)
            finally:
                with self._changed:
                    self._undone -= 1
                    self._changed.notify_all()

    def _do(self, task: Task) -> None:
        try:
            detail = self._act(task)
        except ActionFailed as error:
            self._note(task.failed(self._kind, str(error)))
        except Exception:
            log.exception("the rule %s: %s failed unexpectedly", task.rule.name, self._kind)
            self._note(task.failed(self._kind, "it failed unexpectedly; the log says more"))
        else:
            self._note(task.done(self._kind, detail))
