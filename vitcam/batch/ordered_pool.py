"""Many tasks on several threads, with their results in the order of the tasks."""

import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import Generic, NoReturn, TypeAlias, TypeVar

Resource = TypeVar("Resource")
"""What each thread has one of, such as an interpreter."""
Result = TypeVar("Result")

MAX_BYTES = 512 * 2**20  # a photo of 100 megapixels takes more while it is decoded; it is then done alone
_LOOK_AHEAD = 4  # tasks for each thread, so that one large photo among small ones does not stop the others
_PATIENCE_S = 0.5  # at the end, for threads that are still working


@dataclass(frozen=True, slots=True)
class StartedTask(Generic[Resource, Result]):
    """A task that was started; any thread can finish it."""

    size: int
    """Bytes of memory that it takes until its result was used."""
    finish: Callable[[Resource], Result]


Task: TypeAlias = Callable[[], StartedTask[Resource, Result]]


def in_order(
    tasks: Iterator[Task[Resource, Result]], resources: Sequence[Resource], max_bytes: int = MAX_BYTES
) -> Generator[Result, None, None]:
    """Do all tasks and give their results in order, each as soon as it and all before it are there.

    Tasks are taken and started one after the other, so `tasks` may be a generator that reads a video. They are finished
    in parallel.

    tasks      what a task raises, or `tasks` itself, is raised in its turn and ends everything
    resources  one for each thread; no other thread uses it
    max_bytes  of the tasks that are started and whose results were not used yet; a larger task is done alone
    """
    pool = _Pool(tasks, _LOOK_AHEAD * len(resources), max_bytes)
    threads = [
        threading.Thread(target=pool.serve, args=(resource,), name=f"worker {number}", daemon=True)
        for number, resource in enumerate(resources)
    ]
    for thread in threads:
        thread.start()
    try:
        yield from pool.results()
    finally:
        pool.close()
        deadline = time.monotonic() + _PATIENCE_S
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))


@dataclass(frozen=True, slots=True)
class _Pending(Generic[Resource, Result]):
    """A started task and its result, which may not be there yet."""

    task: StartedTask[Resource, Result]
    result: Future[Result]


class _Pool(Generic[Resource, Result]):
    """The tasks that are started and whose results were not used yet: bounded in number and in bytes.

    Memory is granted in the order of the tasks, so the oldest never waits for a later one.
    """

    def __init__(self, tasks: Iterator[Task[Resource, Result]], max_pending: int, max_bytes: int) -> None:
        self._tasks = tasks
        self._max_pending = max_pending
        self._max_bytes = max_bytes
        self._turn = threading.Lock()
        self._changed = threading.Condition()
        self._pending: deque[_Pending[Resource, Result]] = deque()
        self._over = self._closed = False

    def serve(self, resource: Resource) -> None:
        """Do tasks until there is none left; for a thread of its own."""
        while (pending := self._take()) is not None:
            try:
                pending.result.set_result(pending.task.finish(resource))
            except BaseException as error:  # noqa: BLE001 - it is raised where the results are fetched
                pending.result.set_exception(error)
            del pending  # while this thread waits for its next task, it must not keep the result in memory

    def results(self) -> Iterator[Result]:
        """Every result, in order; raises what a task raised."""
        while (result := self._first()) is not None:
            yield result.result()
            del result
            with self._changed:
                self._pending.popleft()
                self._changed.notify_all()

    def close(self) -> None:
        """Start no further task."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _first(self) -> Future[Result] | None:
        with self._changed:
            self._changed.wait_for(lambda: self._pending or self._over)
            return self._pending[0].result if self._pending else None

    def _take(self) -> _Pending[Resource, Result] | None:
        """Start the next task once there is memory for it; None: there is none, or the pool is closed."""
        with self._turn:
            if not self._wait_for(lambda: len(self._pending) < self._max_pending) or self._over:
                return None
            task = self._start_next()
            if task is None or not self._wait_for(lambda: self._fits(task.size)):
                with self._changed:
                    self._over = True
                    self._changed.notify_all()
                return None
            pending: _Pending[Resource, Result] = _Pending(task, Future())
            with self._changed:
                self._pending.append(pending)
                self._changed.notify_all()
            return pending

    def _start_next(self) -> StartedTask[Resource, Result] | None:
        try:
            start = next(self._tasks, None)
            return None if start is None else start()
        except BaseException as error:  # noqa: BLE001 - it is raised in its turn
            return StartedTask(0, partial(_raise, error))

    def _fits(self, size: int) -> bool:
        return not self._pending or sum(each.task.size for each in self._pending) + size <= self._max_bytes

    def _wait_for(self, condition: Callable[[], bool]) -> bool:
        """Wait for a condition; False if the pool is closed before."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or condition())
            return not self._closed


def _raise(error: BaseException, _: object) -> NoReturn:
    raise error
