"""Many jobs, several threads, one order: results come as if one thread had done everything."""

import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import Generic, NoReturn, TypeAlias, TypeVar

Tool = TypeVar("Tool")
Result = TypeVar("Result")

ROOM = 512 * 2**20  # bytes; one photo of 100 megapixels takes more while it is decoded, and then has all of it
_LOOK_AHEAD = 4  # jobs for each thread: a large photo among small ones keeps nobody waiting
_PATIENCE_S = 0.5  # at the end, for threads that are in the middle of something


@dataclass(frozen=True, slots=True)
class Work(Generic[Tool, Result]):
    """A job that was begun: any thread can do the rest."""

    weight: int
    """Bytes that it takes until its result was fetched and is done with."""
    do: Callable[[Tool], Result]


Job: TypeAlias = Callable[[], Work[Tool, Result]]


def in_order(
    jobs: Iterator[Job[Tool, Result]], tools: Sequence[Tool], room: int = ROOM
) -> Generator[Result, None, None]:
    """Do every job; results in the order of the jobs, each as soon as it and all before it are there.

    Jobs are taken and begun one after the other, so `jobs` may be a generator that reads a video. What they give is
    done side by side.

    jobs    what one raises, also `jobs` itself, comes in its turn and ends everything
    tools   one for each thread; no other thread uses it
    room    bytes of work that is begun and not fetched yet; work that weighs more is done alone
    """
    line = _Line(jobs, _LOOK_AHEAD * len(tools), room)
    threads = [
        threading.Thread(target=line.serve, args=(tool,), name=f"worker {number}", daemon=True)
        for number, tool in enumerate(tools)
    ]
    for thread in threads:
        thread.start()
    try:
        yield from line.results()
    finally:
        line.close()
        deadline = time.monotonic() + _PATIENCE_S
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))


@dataclass(frozen=True, slots=True)
class _Place(Generic[Tool, Result]):
    """Where one job stands in the line."""

    work: Work[Tool, Result]
    result: Future[Result]


class _Line(Generic[Tool, Result]):
    """The jobs that are begun and whose results were not fetched yet: bounded in number and weight.

    Room is given in the order of the jobs, so the oldest never waits for one behind it.
    """

    def __init__(self, jobs: Iterator[Job[Tool, Result]], most: int, room: int) -> None:
        self._jobs = jobs
        self._most = most
        self._room = room
        self._turn = threading.Lock()
        self._changed = threading.Condition()
        self._places: deque[_Place[Tool, Result]] = deque()
        self._over = self._closed = False

    def serve(self, tool: Tool) -> None:
        """Do jobs until there is none left; for a thread of its own."""
        while (place := self._take()) is not None:
            try:
                place.result.set_result(place.work.do(tool))
            except BaseException as error:  # noqa: BLE001 - it is raised where the results are fetched
                place.result.set_exception(error)
            del place  # while this thread waits for its next job, the result is not its own any more

    def results(self) -> Iterator[Result]:
        """Every result, in order; raises what a job raised."""
        while (result := self._first()) is not None:
            yield result.result()
            del result
            with self._changed:
                self._places.popleft()
                self._changed.notify_all()

    def close(self) -> None:
        """Let nobody begin another job."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _first(self) -> Future[Result] | None:
        with self._changed:
            self._changed.wait_for(lambda: self._places or self._over)
            return self._places[0].result if self._places else None

    def _take(self) -> _Place[Tool, Result] | None:
        """The next job, begun, once there is room for it; None: there is none, or nobody wants it any more."""
        with self._turn:
            if not self._wait_for(lambda: len(self._places) < self._most) or self._over:
                return None
            work = self._begin_next()
            if work is None or not self._wait_for(lambda: self._fits(work.weight)):
                with self._changed:
                    self._over = True
                    self._changed.notify_all()
                return None
            place: _Place[Tool, Result] = _Place(work, Future())
            with self._changed:
                self._places.append(place)
                self._changed.notify_all()
            return place

    def _begin_next(self) -> Work[Tool, Result] | None:
        try:
            job = next(self._jobs, None)
            return None if job is None else job()
        except BaseException as error:  # noqa: BLE001 - it is raised in its turn
            return Work(0, partial(_raise, error))

    def _fits(self, weight: int) -> bool:
        return not self._places or sum(place.work.weight for place in self._places) + weight <= self._room

    def _wait_for(self, condition: Callable[[], bool]) -> bool:
        """Wait until something holds; False if this is over before."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or condition())
            return not self._closed


def _raise(error: BaseException, _: object) -> NoReturn:
    raise error
