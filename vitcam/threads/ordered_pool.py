"""Many tasks on several threads, with their results in the order of the tasks."""

import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from typing import Generic, NoReturn, TypeAlias, TypeVar

Resource = TypeVar("Resource")
"""What each thread has one of, such as an interpreter."""
Result = TypeVar("Result")

MAX_BYTES = 512 * 2**20  # a photo of 100 megapixels takes more while it is decoded; it is then done alone
_LOOK_AHEAD = 4  # runs for each thread, so that one large photo among small ones does not stop the others
_RUN = 8  # tasks; around an inference of 11.4 ms one takes 1.5 ms alone, 1.0 in a run of four, 0.9 in one of eight
_RUN_BYTES = 32 * 2**20  # of a run of more than one task
_PATIENCE_S = 0.5  # at the end, for threads that are still working


@dataclass(frozen=True, slots=True)
class StartedTask(Generic[Resource, Result]):
    """A task that was started; any thread can finish it."""

    size: int
    """Bytes of memory that it takes until its result was used."""
    finish: Callable[[Resource], Result]

    def steps(self, resource: Resource) -> Generator[None, None, Result]:
        """All in one."""
        yield from ()
        return self.finish(resource)


@dataclass(frozen=True, slots=True)
class SteppedTask(Generic[Resource, Result]):
    """A task that was started, in steps; what the last one returns is the result."""

    size: int
    """As of a `StartedTask`."""
    steps: Callable[[Resource], Generator[None, None, Result]]


Started: TypeAlias = StartedTask[Resource, Result] | SteppedTask[Resource, Result]
Task: TypeAlias = Callable[[], Started[Resource, Result]]


@dataclass(frozen=True, slots=True)
class Neighbour(Generic[Resource, Result]):
    """A task that one thread may do together with those beside it, each step of all of them one after the other.

    A step then finds code and data in the processor's caches, which an inference fills with something else. Only for
    tasks that take no memory before they start, and start without waiting.
    """

    start: Callable[[], Started[Resource, Result]]

    def __call__(self) -> Started[Resource, Result]:
        return self.start()


def in_order(
    tasks: Iterator[Task[Resource, Result]],
    resources: Sequence[Resource],
    max_bytes: int = MAX_BYTES,
) -> Generator[Result, None, None]:
    """Do all tasks and give their results in order, each as soon as it and all before it are there.

    Tasks are taken and started one after the other, so `tasks` may be a generator that reads a video. They are finished
    in parallel.

    tasks      what a task raises, or `tasks` itself, is raised in its turn and ends everything
    resources  one for each thread; no other thread uses it
    max_bytes  of the tasks that are started and whose results were not used yet; a larger task is done alone
    """
    pool = _Pool(tasks, len(resources), max_bytes)
    threads = [
        threading.Thread(target=pool.serve, args=(resource,), name=f"worker {number}", daemon=True)
        for number, resource in enumerate(resources)
    ]
    try:
        for thread in threads:
            thread.start()
        yield from pool.results()
    finally:
        pool.close()
        deadline = time.monotonic() + _PATIENCE_S
        for thread in threads:
            if thread.ident is not None:  # else the system gave none
                thread.join(max(0.0, deadline - time.monotonic()))


@dataclass(frozen=True, slots=True)
class _Pending(Generic[Resource, Result]):
    """A started task and its result, which may not be there yet."""

    task: Started[Resource, Result]
    result: Future[Result]

    def step(self, steps: Generator[None, None, Result]) -> bool:
        """Do the next step; False: there is none left."""
        try:
            next(steps)
        except StopIteration as end:
            self.result.set_result(end.value)
        except BaseException as error:  # noqa: BLE001 - it is raised where the results are fetched
            self.result.set_exception(error)
        return not self.result.done()


class _Pool(Generic[Resource, Result]):
    """The tasks that are started and whose results were not used yet: bounded in number and in bytes.

    Memory is granted in the order of the tasks, so the oldest never waits for a later one.
    """

    def __init__(self, tasks: Iterator[Task[Resource, Result]], threads: int, max_bytes: int) -> None:
        self._tasks = tasks
        self._threads = threads
        self._max_bytes = max_bytes
        self._most = _LOOK_AHEAD * _RUN * threads
        self._turn = threading.Lock()
        self._changed = threading.Condition()
        self._pending: deque[_Pending[Resource, Result]] = deque()
        self._ahead: deque[Task[Resource, Result]] = deque()
        """Not started yet. All but the last are neighbours."""
        self._over = self._closed = False
        self._failure: BaseException | None = None

    def serve(self, resource: Resource) -> None:
        """Do tasks until there is none left; for a thread of its own."""
        try:
            self._serve(resource)
        except BaseException as error:  # noqa: BLE001 - the outermost function: whoever fetches results gets it
            with self._changed:
                self._failure = error
                self._changed.notify_all()

    def _serve(self, resource: Resource) -> None:
        while run := self._take():
            going = [(pending, pending.task.steps(resource)) for pending in run]
            del run  # while this thread waits for its next tasks, it must not keep the results in memory
            while going:
                going = [(pending, steps) for pending, steps in going if pending.step(steps)]

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
            self._changed.wait_for(lambda: self._pending or self._over or self._failure)
            if self._failure is not None:
                raise self._failure
            return self._pending[0].result if self._pending else None

    def _take(self) -> list[_Pending[Resource, Result]]:
        """Start the next task once there is memory for it, and those that go with it; empty: there is none."""
        with self._turn:
            if not self._wait_for(self._has_place) or self._over:
                return []
            self._look_ahead()
            near = sum(1 for _ in takewhile(_is_neighbour, self._ahead))
            share = max(1, -(-near // self._threads))  # near the end each thread has as much to do
            run: list[_Pending[Resource, Result]] = []
            while self._ahead and len(run) < share and (not run or self._has_place()):
                started = _started(self._ahead.popleft())
                if run and not self._fits_beside(run, started):
                    self._ahead.appendleft(partial(_as_it_is, started))
                    break
                if not self._wait_for(partial(self._fits, started.size)):
                    break
                run.append(self._add(started))
            if not run:
                self._end()
            return run

    def _end(self) -> None:
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def _look_ahead(self) -> None:
        """See whether there is a whole run for each thread."""
        while len(self._ahead) < _RUN * self._threads and (not self._ahead or _is_neighbour(self._ahead[-1])):
            try:
                task = next(self._tasks, None)
            except BaseException as error:  # noqa: BLE001 - it is raised in its turn
                task = partial(_raise, error)
            if task is None:
                return
            self._ahead.append(task)

    def _add(self, started: Started[Resource, Result]) -> _Pending[Resource, Result]:
        pending: _Pending[Resource, Result] = _Pending(started, Future())
        with self._changed:
            self._pending.append(pending)
            self._changed.notify_all()
        return pending

    def _has_place(self) -> bool:
        return len(self._pending) < self._most

    def _fits_beside(self, run: list[_Pending[Resource, Result]], started: Started[Resource, Result]) -> bool:
        together = started.size + sum(each.task.size for each in run)
        with self._changed:
            return together <= _RUN_BYTES and self._fits(started.size)

    def _fits(self, size: int) -> bool:
        return not self._pending or sum(each.task.size for each in self._pending) + size <= self._max_bytes

    def _wait_for(self, condition: Callable[[], bool]) -> bool:
        """Wait for a condition; False if the pool is closed before."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or condition())
            return not self._closed


def _is_neighbour(task: object) -> bool:
    return isinstance(task, Neighbour)


def _started(task: Task[Resource, Result]) -> Started[Resource, Result]:
    try:
        return task()
    except BaseException as error:  # noqa: BLE001 - it is raised in its turn
        return StartedTask(0, partial(_raise, error))


def _as_it_is(started: Started[Resource, Result]) -> Started[Resource, Result]:
    return started


def _raise(error: BaseException, *_: object) -> NoReturn:
    raise error
