"""Frames of films, several at the same time: a replica of the model for each. Answers keep the order of the frames."""

import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import Generic, NoReturn, Protocol, TypeAlias, TypeVar

from vitcam.frames import Frame, Prediction
from vitcam.slot import Handover
from vitcam.sources.masks import masked
from vitcam.zones.active import ActiveAreas

T = TypeVar("T")
Finish: TypeAlias = Callable[[], Prediction]
"""Makes the prediction of an inference that is over, in the classifying thread. Raises what went wrong before, too."""
Infer: TypeAlias = Callable[[Frame], Finish]
Answered: TypeAlias = tuple[Frame, Finish]

_NOTICE_S = 0.25  # how soon the end of the pipeline is seen
_PATIENCE_S = 0.5  # at the end, for threads that are still working


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
    """What a handover gives to one thread. It takes the last value back."""

    def __init__(self, values: Handover[T]) -> None:
        self._values = values
        self._coming = iter(values)
        self._back: list[T] = []

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        return self._back.pop() if self._back else next(self._coming)

    def put_back(self, value: T) -> None:
        """It is the next one again."""
        self._back.append(value)

    @property
    def ready(self) -> bool:
        """Whether the next value is there."""
        return bool(self._back) or (self._values.waiting and not self._values.over)

    @property
    def over(self) -> bool:
        """Whether there is no next value, and none will come."""
        return not self._back and self._values.over

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call `changed` in another thread for each value that comes, and at the end; returns what ends that."""
        return self._values.subscribe(changed)


class FramesInFlight:
    """The frames that are classified now. Used in the classifying thread.

    Its own threads run the inferences, and little else: while one prepares its next inference, a core may be idle. The
    classifying thread takes the frames, and does what is left of each.

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

        At most one frame more than there are replicas is on its way. The first frame that does not fit is not taken.

        fits  asked before each frame; False: it has to be looked at in another way
        """
        replicas = self._replicas
        if replicas is None:
            raise ValueError("there are no replicas")
        flight = _Flight(replicas.ready(), self._areas)
        self._workers = flight.workers
        unsubscribe = frames.subscribe(flight.came)
        try:
            flight.start()
            fit = True
            while flight.frames or (fit and not frames.over):
                while fit and flight.has_room and frames.ready:
                    fit = fits() and not replicas.outdated
                    if fit and (frame := next(frames, None)) is not None:  # none where the pipeline stops just now
                        flight.take(frame)
                        del frame  # it may be long until the next one comes
                if (answered := flight.first_answered()) is not None:
                    yield answered
                    del answered
                elif flight.frames or fit:
                    flight.wait()
        finally:
            unsubscribe()
            self._workers = ()
            flight.end()

    def give_back(self) -> None:
        """Free the memory of the replicas, if they have any."""
        if self._replicas is not None:
            self._replicas.give_back()


class _Flight:
    """Replicas at work, each in a thread of its own, and the frames that are on their way, in their order."""

    def __init__(self, replicas: Sequence[Infer], areas: ActiveAreas) -> None:
        self.frames: deque[_Task] = deque()
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._happened: SimpleQueue[None] = SimpleQueue()
        self.workers = tuple(_Worker(infer, areas, self._tasks, self._wake) for infer in replicas)
        self._threads = [
            threading.Thread(target=worker.serve, name=f"replica {number}", daemon=True)
            for number, worker in enumerate(self.workers)
        ]

    def start(self) -> None:
        """Raises RuntimeError where the system gives no thread."""
        for thread in self._threads:
            thread.start()

    @property
    def has_room(self) -> bool:
        """Any thread may ask."""
        return len(self.frames) <= len(self.workers)

    def take(self, frame: Frame) -> None:
        """It is the next one for a replica."""
        task = _Task(frame)
        self.frames.append(task)
        self._tasks.put(task)

    def first_answered(self) -> Answered | None:
        """The oldest frame, once its inference is over; it is not on its way any more."""
        finish = self.frames[0].finish if self.frames else None
        return None if finish is None else (self.frames.popleft().frame, finish)

    def came(self) -> None:
        """There is a next frame, or none will come. For any thread."""
        if self.has_room:
            self._wake()

    def _wake(self) -> None:
        if self._happened.empty():
            self._happened.put(None)

    def wait(self) -> None:
        """Until an inference is over or a frame has come, but not for long."""
        with suppress(Empty):
            self._happened.get(timeout=_NOTICE_S)

    def end(self) -> None:
        """Let replicas that wait end, and wait a moment for those that work."""
        with suppress(Empty):
            while True:
                self._tasks.get_nowait()
        for _ in self._threads:
            self._tasks.put(None)
        deadline = time.monotonic() + _PATIENCE_S
        for thread in self._threads:
            if thread.ident is not None:  # else the system gave none
                thread.join(max(0.0, deadline - time.monotonic()))


class _Task:
    """A frame that is classified, and what makes its prediction; None while the inference is not over."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.finish: Finish | None = None


class _Worker:
    """A replica, and since when it works.

    tasks  what all replicas take their next one from; None: there is none left
    done   called after each
    """

    def __init__(
        self, infer: Infer, areas: ActiveAreas, tasks: "SimpleQueue[_Task | None]", done: Callable[[], None]
    ) -> None:
        self._infer = infer
        self._areas = areas
        self._tasks = tasks
        self._done = done
        self.since_ns: int | None = None

    def serve(self) -> None:
        """For a thread of its own."""
        while (task := self._tasks.get()) is not None:
            self.since_ns = time.monotonic_ns()
            try:
                task.frame = masked(task.frame, self._areas.areas.masks)
                task.finish = self._infer(task.frame)
            except BaseException as error:  # noqa: BLE001 - the outermost function; it is raised in its turn
                task.finish = partial(_raise, error)
            self.since_ns = None
            self._done()
            del task  # it may be long until the next one comes


def _raise(error: BaseException) -> NoReturn:
    raise error
