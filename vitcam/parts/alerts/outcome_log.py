"""What came of actions: counted, logged, passed on, and the last ones of each rule kept for people."""

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass

from vitcam.parts.alerts.task import Note, Outcome, is_made_up

log = logging.getLogger(__name__)

_LOG_EVERY_S = 60.0
_MOST_LAST = 5
_MOST_RULES = 256  # names: a rule that was renamed leaves its old one behind


@dataclass(frozen=True, slots=True)
class LastOutcome:
    """What came of an action, and when."""

    outcome: Outcome
    at_s: float
    """Seconds since the epoch."""


class OutcomeLog:
    """Counts outcomes, remembers the last trouble, logs each failure, and passes outcomes on. In any thread.

    Those of events that were made up are only kept for the person who tries a rule.

    note  gets each outcome
    """

    def __init__(self, note: Note) -> None:
        self._note = note
        self._lock = threading.Lock()
        self.ok = self.failed = 0
        self.trouble = ""
        self._logged_s = 0.0
        self._last: OrderedDict[str, tuple[LastOutcome, ...]] = OrderedDict()

    def __call__(self, outcome: Outcome) -> None:
        trial = is_made_up(outcome.event_id)
        with self._lock:
            self._keep(LastOutcome(outcome, time.time()))
            self.ok += outcome.status == "ok" and not trial
            if outcome.status == "failed" and not trial:
                self.failed += 1
                self._tell(f"{outcome.kind} of the rule {outcome.rule}: {outcome.detail}")
        if not trial:
            self._note(outcome)

    def last(self, rule: str) -> tuple[LastOutcome, ...]:
        """What came of the last actions of the rule of this name, the newest first."""
        with self._lock:
            return self._last.get(rule, ())

    def forget(self, rules: Iterable[str]) -> None:
        """The rules of these names are gone, or are about something else now."""
        with self._lock:
            for rule in rules:
                self._last.pop(rule, None)

    def _keep(self, last: LastOutcome) -> None:
        """One that waits gives its place to what comes of it."""
        name, key = last.outcome.rule, (last.outcome.event_id, last.outcome.kind)
        before = self._last.pop(name, ())
        others = [each for each in before if (each.outcome.event_id, each.outcome.kind) != key]
        self._last[name] = (last, *others)[:_MOST_LAST]
        if len(self._last) > _MOST_RULES:
            self._last.popitem(last=False)

    def _tell(self, trouble: str) -> None:
        """Log it, the same sentence once a minute at most: events may come fast."""
        now_s = time.monotonic()
        if trouble != self.trouble or now_s - self._logged_s >= _LOG_EVERY_S:
            self._logged_s = now_s
            log.warning("%s", trouble)
        self.trouble = trouble
