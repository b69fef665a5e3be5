"""Delivers by HTTP: one at a time, in order, again and again with growing pauses, across restarts."""

import logging
import queue
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from vitcam.parts.alerts.http_post import Refused, RetryLater
from vitcam.parts.alerts.settings import OnSettings
from vitcam.parts.alerts.task import Note, Outcome, Task, is_made_up, short_detail
from vitcam.parts.alerts.threads import THREADS
from vitcam.sentence import Sentence
from vitcam.storage.outbox import Delivery, Outbox
from vitcam.threads.worker import Watched, Worker

if TYPE_CHECKING:
    import asyncio

log = logging.getLogger(__name__)

_MOST_WAITING = 256
_MOST_AGE_S = 86_400.0
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 300.0
_LONGEST_WISH_S = 3600.0  # of a receiver that wants to be left alone
_LOOK_S = 5.0


@dataclass(frozen=True, slots=True)
class Sent:
    """What came of a delivery that was taken."""

    detail: str
    """What the receiver said."""
    picture: str = ""
    """The id of the event whose picture it has; empty: none went with it."""


class Transport(ABC):
    """Says what is sent of one kind, and where."""

    kind: ClassVar[str]
    """Of the actions, as in `Outcome`."""
    thread: ClassVar[str]
    """Its name in `THREADS`."""

    @abstractmethod
    def destination(self, rule: OnSettings) -> str:
        """Where a rule sends it, as one text; empty: nowhere."""

    @abstractmethod
    def text(self, task: Task) -> str:
        """What waits in the outbox."""

    @abstractmethod
    async def send(self, delivery: Delivery) -> Sent:
        """Try once. Raises RetryLater, Refused."""


@dataclass(frozen=True, slots=True)
class _Pause:
    """An address that failed is left alone for a while, with all deliveries to it."""

    until_s: float
    length_s: float


class Deliveries:
    """The handler of one kind of actions. Its thread begins where there is something to deliver.

    transport      sends them
    outbox         where they wait
    note           gets what came of each
    first_pause_s  after a failure; doubled at each further one
    """

    def __init__(self, transport: Transport, outbox: Outbox, note: Note, first_pause_s: float = _FIRST_PAUSE_S) -> None:
        self._transport = transport
        self._kind = transport.kind
        self._outbox = outbox
        self._note = note
        self._destinations: frozenset[str] = frozenset()
        self._first_pause_s = first_pause_s
        self._tasks: queue.Queue[Task | None] = queue.Queue(_MOST_WAITING)
        self._pauses: dict[str, _Pause] = {}
        self._failing: dict[int, float] = {}
        """Number of a delivery, and the monotonic time at which it failed first in this run."""
        self._in_outbox = 0
        self._over = threading.Event()
        self._idle = threading.Event()
        self._sending: tuple[asyncio.AbstractEventLoop, asyncio.Task[Sent]] | None = None
        self._lock = threading.Lock()
        self._worker = Worker(transport.thread, self._run, THREADS[transport.thread])

    @property
    def waiting(self) -> int:
        return self._tasks.qsize() + self._in_outbox

    def serve(self, rules: Iterable[OnSettings]) -> None:
        """Only what these rules ask for is delivered from now on; the rest is given up. In any thread."""
        self._destinations = frozenset(filter(None, map(self._transport.destination, rules)))

    def start(self) -> None:
        """Deliver what an earlier run left. Does nothing where it runs already."""
        if not self._over.is_set():
            self._worker.start()

    @property
    def workers(self) -> tuple[Watched, ...]:
        return (self._worker,)

    def put(self, task: Task) -> None:
        if self._over.is_set():
            self._note(task.failed(self._kind, "vitcam ended before it began"))
            return
        try:
            self._tasks.put_nowait(task)
        except queue.Full:
            self._note(task.failed(self._kind, f"{_MOST_WAITING} of this kind wait to be written down already"))
        self._idle.clear()
        self.start()

    def drain(self, deadline_s: float) -> None:
        if self._worker.started:
            self._idle.wait(max(0.0, deadline_s - time.monotonic()))

    def close(self) -> None:
        self._over.set()
        with suppress(queue.Full):
            self._tasks.put_nowait(None)  # wakes the thread
        with self._lock:
            if self._sending is not None:
                loop, sending = self._sending
                loop.call_soon_threadsafe(sending.cancel)

    def leave(self, deadline_s: float) -> None:
        self._worker.join(deadline_s - time.monotonic())
        self._worker.stop()

    def _run(self) -> None:
        """May begin again after an error, with the deliveries that it had."""
        outbox = self._outbox
        import asyncio  # a run that delivers nothing does not need it

        loop = asyncio.new_event_loop()
        try:
            while not self._over.is_set():
                self._turn(outbox, loop)
            self._write_down(outbox, 0)
        finally:
            loop.close()
        for delivery in outbox.lost_at_end(self._kind):
            self._note_outcome(delivery, "failed", "vitcam ended before it was delivered")

    def _turn(self, outbox: Outbox, loop: "asyncio.AbstractEventLoop") -> None:
        self._worker.beat()
        delivery = self._next(outbox)
        self._in_outbox = outbox.waiting(self._kind)
        if delivery is None:
            if self._tasks.empty():
                self._idle.set()
            self._write_down(outbox, self._wait_s())
            return
        if delivery.destination not in self._destinations and not delivery.urgent:  # a rule that is off can be tried
            self._give_up(outbox, delivery, "no rule has this address any more")
        else:
            self._deliver(outbox, delivery, loop)
        self._write_down(outbox, 0)

    def _next(self, outbox: Outbox) -> Delivery | None:
        """The oldest delivery to an address that is not left alone now; one that a person waits for comes first."""
        now_s = time.monotonic()
        heads = (
            each
            for each in outbox.heads(self._kind)
            if each.destination not in self._pauses or self._pauses[each.destination].until_s <= now_s
        )
        return outbox.urgent(self._kind) or next(heads, None)

    def _wait_s(self) -> float:
        now_s = time.monotonic()
        until = [pause.until_s for pause in self._pauses.values() if pause.until_s > now_s]
        return min([_LOOK_S, *(each - now_s for each in until)])

    def _write_down(self, outbox: Outbox, wait_s: float) -> None:
        """Put what came into the outbox; the first may be waited for."""
        while True:
            try:
                task = self._tasks.get(timeout=wait_s) if wait_s else self._tasks.get_nowait()
            except queue.Empty:
                return
            if task is None:
                return
            wait_s = 0
            urgent = is_made_up(task.event_id)
            destination, text = self._transport.destination(task.rule), self._transport.text(task)
            made = Delivery(self._kind, destination, task.event_id, task.rule.name, text, urgent)
            for oldest in outbox.put(made):
                self._note_outcome(oldest, "failed", "it is too old, or too many newer ones wait")
            self._in_outbox = outbox.waiting(self._kind)

    def _deliver(self, outbox: Outbox, delivery: Delivery, loop: "asyncio.AbstractEventLoop") -> None:
        from asyncio import CancelledError

        try:
            sent = self._send(delivery, loop)
        except CancelledError:  # the run ends: the next one delivers it
            return
        except Refused as refusal:
            self._give_up(outbox, delivery, refusal.sentence)
        except RetryLater as failure:
            self._retry_later(outbox, delivery, failure.sentence, failure.after_s)
        except Exception:
            log.exception("%s failed unexpectedly", self._kind)
            self._retry_later(outbox, delivery, "it failed unexpectedly; the log says more")
        else:
            self._pauses.pop(delivery.destination, None)
            if outbox.remove(delivery):
                self._note_outcome(delivery, "ok", sent.detail, sent.picture)

    def _send(self, delivery: Delivery, loop: "asyncio.AbstractEventLoop") -> Sent:
        sending = loop.create_task(self._transport.send(delivery))
        with self._lock:
            self._sending = (loop, sending)
        try:
            return loop.run_until_complete(sending)
        finally:
            with self._lock:
                self._sending = None

    def _retry_later(self, outbox: Outbox, delivery: Delivery, why: str, after_s: float = 0.0) -> None:
        if delivery.urgent:  # a person waits for it now, and tries again
            self._give_up(outbox, delivery, why)
            return
        before = self._pauses.get(delivery.destination)
        length_s = min(before.length_s * 2, _LONGEST_PAUSE_S) if before else self._first_pause_s
        wish_s = min(after_s, _LONGEST_WISH_S)
        self._pauses[delivery.destination] = _Pause(time.monotonic() + max(length_s, wish_s), length_s)
        now_s = time.monotonic()  # the wall clock may be set by years
        if now_s - self._failing.get(delivery.number, now_s) > _MOST_AGE_S:
            self._give_up(outbox, delivery, _longer(why, f"{why}, for a day"))
        elif delivery.number not in self._failing:
            self._failing[delivery.number] = now_s
            log.info("the rule %s: %s; its %s is tried again", delivery.rule, why, self._kind)
            self._note_outcome(delivery, "waiting", _longer(why, f"{why}; it is tried again"))

    def _give_up(self, outbox: Outbox, delivery: Delivery, why: str) -> None:
        outbox.remove(delivery)
        self._note_outcome(delivery, "failed", why)

    def _note_outcome(self, delivery: Delivery, status: str, detail: str, picture: str = "") -> None:
        if status != "waiting":
            self._failing.pop(delivery.number, None)
        told = short_detail(detail)
        self._note(Outcome(delivery.event_id, delivery.rule, self._kind, status, told, picture))  # type: ignore[arg-type]


def _longer(why: str, whole: str) -> str:
    """More than a sentence says. The page says no more than that: what comes of it stands beside it."""
    return Sentence(whole, why.key, **why.values) if isinstance(why, Sentence) else whole
