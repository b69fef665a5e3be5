"""Acts on events: it asks the rules at each event and each second, and hands over what has to be done."""

import logging
import queue
import time
from collections.abc import Mapping, Sequence
from datetime import datetime

from vitcam.frames import Event
from vitcam.names.vocabulary import Meanings
from vitcam.parts.alerts.outcome_log import OutcomeLog
from vitcam.parts.alerts.settings import OnSettings
from vitcam.parts.alerts.state import Actions
from vitcam.parts.alerts.task import Task
from vitcam.parts.alerts.threads import RULES
from vitcam.parts.alerts.worker_queue import ActionHandler
from vitcam.rules import TICK_S, Firing, Instant, RuleState, step
from vitcam.threads.event_room import EventRoom
from vitcam.threads.worker import Watched, Worker

log = logging.getLogger(__name__)

_MOST_EVENTS = 256
_END_WITHIN_S = 0.2
_LEAVE_S = 0.1  # for commands that were killed
_IDLE_S = 5.0


class ActionRunner:
    """Called by the publisher; nothing here makes it wait.

    rules     as they stand in the settings
    meanings  by which rules may name labels and groups
    handlers  kind of action -> who does it
    outcomes  what came of the actions
    """

    def __init__(
        self,
        rules: Sequence[OnSettings],
        meanings: Meanings,
        handlers: Mapping[str, ActionHandler],
        outcomes: OutcomeLog,
    ) -> None:
        self.rules = tuple(rules)
        """Any thread may replace them."""
        self.camera_name = ""
        """What people call the camera; any thread may replace it."""
        self._meanings = meanings
        self._handlers = handlers
        self._outcomes = outcomes
        self._events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self._room = EventRoom(_MOST_EVENTS)
        self._rule_state = RuleState()
        self._worker = Worker("rules", self._run, RULES)
        self._dropped = 0

    def event(self, event: Event) -> None:
        """Hand an event over; where too many wait, it is dropped and counted. Called by one thread."""
        if self.rules:
            self._worker.start()
        if self._worker.started:
            if self._room.takes(event.id, event.phase, self._events.qsize()):
                self._events.put(event)
            else:
                self._dropped += 1

    def close(self) -> None:
        """Begin what the last events ask for, wait a moment for it, and end the rest."""
        deadline_s = time.monotonic() + _END_WITHIN_S
        if self._worker.started:
            self._events.put(None)
            if not self._worker.join(deadline_s - time.monotonic()):
                log.error("the rules hang; their last events are lost")
            self._worker.stop()
        for handler in self._handlers.values():
            handler.drain(deadline_s)
        for handler in self._handlers.values():
            handler.close()
        deadline_s = time.monotonic() + _LEAVE_S
        for handler in self._handlers.values():
            handler.leave(deadline_s)

    def state(self) -> Actions:
        """Counts since the start. In any thread."""
        outcomes, waiting = self._outcomes, sum(handler.waiting for handler in self._handlers.values())
        return Actions(len(self.rules), outcomes.ok, outcomes.failed, waiting, self._dropped, outcomes.trouble)

    @property
    def workers(self) -> tuple[Watched, ...]:
        """Its own thread, and those that do the actions."""
        return (self._worker, *(worker for handler in self._handlers.values() for worker in handler.workers))

    def _run(self) -> None:
        ticked_s = time.monotonic()
        while True:
            self._worker.beat()
            try:
                event = self._events.get(timeout=TICK_S / 2 if self._rule_state.lasting else _IDLE_S)
            except queue.Empty:
                pass
            else:
                if event is None:
                    return
                self._ask(event)
            if self._rule_state.lasting and time.monotonic() - ticked_s >= TICK_S / 2:
                ticked_s = time.monotonic()
                self._ask(None)

    def _ask(self, event: Event | None) -> None:
        try:
            self._fire(event)
        except Exception:
            log.exception("the rules failed at an event; please report it")

    def _fire(self, event: Event | None) -> None:
        moment = Instant.at(time.monotonic_ns(), datetime.now())
        self._rule_state, firings = step(self.rules, self._meanings, self._rule_state, moment, event)
        for firing in firings:
            self._begin(firing)

    def _begin(self, firing: Firing[OnSettings]) -> None:
        self.do(Task.of(firing, self.camera_name))

    def do(self, task: Task) -> None:
        """Do soon what the rule of a task asks for. In any thread; does not wait."""
        for kind in task.rule.kinds:
            self._handlers[kind].put(task)
