"""Actions of one kind, in threads of their own: one that hangs delays no action of another kind."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Protocol

from vitcam.parts.alerts.task import Act, ActionFailed, Note, Outcome, Task
from vitcam.parts.alerts.threads import ACT_ON
from vitcam.threads.worker import Watched, Worker

log = logging.getLogger(__name__)

_MOST_WAITING = 32
_LOOK_S = 1.0
_FULL = f"{_MOST_WAITING} actions of this kind wait already"
_ENDED = "vitcam ended before it began"


class ActionHandler(Protocol):
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

    def leave(self, deadline_s: float) -> None:
        """Wait for what was ended, up to this monotonic time in s. What is lost then has failed, and says so."""
        ...

    @property
    def workers(self) -> tuple[Watched, ...]:
        """The threads that do them."""
        ...


class WorkerQueue:
    """Does tasks in order. Its threads begin with the first task. Each task that was taken has one outcome.

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
        self._end = end
        self._threads = tuple(Worker(f"act on {kind}", partial(self._run, index), ACT_ON) for index in range(threads))
        self._changed = threading.Condition()
        self._waiting: deque[Task] = deque()
        self._doing: dict[int, Task] = {}
        """By the index of the thread."""
        self._over = False

    @property
    def waiting(self) -> int:
        return len(self._waiting) + len(self._doing)

    @property
    def workers(self) -> tuple[Watched, ...]:
        return self._threads

    def put(self, task: Task) -> None:
        with self._changed:
            refusal = _ENDED if self._over else _FULL if len(self._waiting) >= _MOST_WAITING else ""
            if not refusal:
                self._waiting.append(task)
                self._changed.notify_all()
                if len(self._threads) > (begun := sum(each.started for each in self._threads)) < self.waiting:
                    self._threads[begun].start()
        if refusal:
            self._note(task.failed(self._kind, refusal))

    def drain(self, deadline_s: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self.waiting, max(0.0, deadline_s - time.monotonic()))

    def close(self) -> None:
        """What was not begun has failed."""
        with self._changed:
            self._over = True
            rest = [*self._waiting]
            self._waiting.clear()
            self._changed.notify_all()
        for task in rest:
            self._note(task.failed(self._kind, _ENDED))
        self._end()

    def leave(self, deadline_s: float) -> None:
        self.drain(deadline_s)
        with self._changed:
            rest = [*self._doing.values()]
            self._doing.clear()
        for task in rest:
            self._note(task.failed(self._kind, "vitcam ended before it was done"))
        for each in self._threads:
            each.stop()

    def _run(self, index: int) -> None:
        worker = self._threads[index]
        while (task := self._next(index)) is not None:
            worker.beat(task.rule.timeout_s)
            outcome = self._do(task)
            with self._changed:
                own = self._doing.pop(index, None) is not None
            if own:  # else `close` has said already what came of it
                self._note(outcome)
            with self._changed:
                self._changed.notify_all()

    def _next(self, index: int) -> Task | None:
        """The next task; None at the end."""
        with self._changed:
            while not self._waiting and not self._over:
                self._threads[index].beat()
                self._changed.wait(_LOOK_S)
            if self._over:
                return None
            return self._doing.setdefault(index, self._waiting.popleft())

    def _do(self, task: Task) -> Outcome:
        try:
            detail = self._act(task)
        except ActionFailed as error:
            return task.failed(self._kind, str(error))
        except BaseException as error:  # a library that sends messages may even call sys.exit
            log.error("the rule %s: %s failed unexpectedly", task.rule.name, self._kind, exc_info=error)
            return task.failed(self._kind, "it failed unexpectedly; the log says more")
        return task.done(self._kind, detail)
