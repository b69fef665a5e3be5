"""Frames of films, several at the same time: a replica of the model for each. Answers keep the order of the frames."""

import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import Generic, NoReturn, Protocol, TypeAlias, TypeVar

from vitcam.frames import Frame, Prediction
from vitcam.sources.masks import masked
from vitcam.threads.ordered_pool import StartedTask, Task, in_order
from vitcam.zones.active import ActiveAreas

T = TypeVar("T")
Finish: TypeAlias = Callable[[], Prediction]
"""Makes the prediction of an inference that is over, in the classifying thread. Raises what went wrong before, too."""
Infer: TypeAlias = Callable[[Frame], Finish]
Answered: TypeAlias = tuple[Frame, Finish]


class Replicas(Protocol):
    """Interpreters of the model in use that work at the same time."""

    def ready(self) -> Sequence[Infer]:
        """At least one, each for a thread of its own. Called in the classifying thread while none of them works."""
        ...

    @property
    def outdated(self) -> bool:
        """Whether `ready` would give others by now. May be asked in any thread."""
        ...

    def give_back(self) -> None:
        """Free their memory until `ready` is called again. Called as that is."""
        ...


class Returnable(Generic[T]):
    """An iterator that takes the last value back. Of several threads that want the next value each gets another."""

    def __init__(self, values: Iterable[T]) -> None:
        self._values = iter(values)
        self._back: list[T] = []
        self._turn = threading.Lock()

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        with self._turn:
            return self._back.pop() if self._back else next(self._values)

    def put_back(self, value: T) -> None:
        """It is the next one again."""
        self._back.append(value)


class FramesInFlight:
    """The frames that are classified now. Used in the classifying thread.

    Its own threads do what takes long: the inference, and what has to be done before it. So the next inferences run
    while the classifying thread does what is left of a frame.

    replicas  None: `results` is never called
    areas     the masks in force
    """

    def __init__(self, replicas: Replicas | None, areas: ActiveAreas) -> None:
        self._replicas = replicas
        self._areas = areas
        self._workers: tuple[_Worker, ...] = ()

    @property
    def since_ns(self) -> int | None:
        """Monotonic time at which the oldest inference began; None while there is none. Any thread may ask."""
        began = [worker.since_ns for worker in self._workers]
        return min((at_ns for at_ns in began if at_ns is not None), default=None)

    @property
    def at_once(self) -> int:
        """How many frames are classified at the same time. Any thread may ask."""
        return max(1, len(self._workers))

    def results(self, frames: Returnable[Frame], fits: Callable[[], bool]) -> Generator[Answered, None, None]:
        """Frames in their order, each with its answer as soon as that is there.

        At most one frame more than there are replicas is on its way. The first frame that does not fit is put back.

        fits  asked before each frame, in one of the threads; False: it has to be looked at in another way
        """
        replicas = self._replicas
        if replicas is None:
            raise ValueError("there are no replicas")
        self._workers = workers = tuple(map(_Worker, replicas.ready()))
        tasks = self._tasks(frames, lambda: fits() and not replicas.outdated)
        try:
            with closing(in_order(tasks, workers, most=len(workers) + 1, name="replica")) as results:
                yield from results
        finally:
            self._workers = ()

    def give_back(self) -> None:
        """Free the memory of the replicas, if they have any."""
        if self._replicas is not None:
            self._replicas.give_back()

    def _tasks(self, frames: Returnable[Frame], fits: Callable[[], bool]) -> Iterator[Task["_Worker", Answered]]:
        for frame in frames:
            if not fits():
                frames.put_back(frame)
                return
            yield partial(StartedTask, frame.preview.nbytes, partial(self._inferred, frame))
            del frame  # it may be long until the next one comes

    def _inferred(self, frame: Frame, worker: "_Worker") -> Answered:
        try:
            frame = masked(frame, self._areas.areas.masks)
            return frame, worker.infer(frame)
        except Exception as error:  # noqa: BLE001 - it is raised in its turn
            return frame, partial(_raise, error)


class _Worker:
    """A replica and since when it works."""

    def __init__(self, infer: Infer) -> None:
        self._infer = infer
        self.since_ns: int | None = None

    def infer(self, frame: Frame) -> Finish:
        self.since_ns = time.monotonic_ns()
        try:
            return self._infer(frame)
        finally:
            self.since_ns = None


def _raise(error: Exception) -> NoReturn:
    raise error
