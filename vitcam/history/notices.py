"""What those who follow the history have to be told: each event once it is on the disk."""

import logging
import sqlite3
from collections.abc import Callable
from dataclasses import replace

from vitcam.history.database.search import get
from vitcam.history.stored import StoredEvent

Listener = Callable[[StoredEvent, str], None]
log = logging.getLogger(__name__)

_MOST = 256
"""Events of which others than the begin and the end wait to be told."""


class Notices:
    """Used by the writer's thread. Of each event `new` is told before `end`, also where both were written at once.

    notify  called with the event as it is stored, and its phase; empty: a clip, an action or a person's word was added
    """

    def __init__(self, notify: Listener) -> None:
        self._notify = notify
        self._waiting: dict[str, list[str]] = {}
        """Phases by id, in the order in which they are told."""
        self._begun: set[str] = set()
        """Events whose `new` was told, or waits, and whose `end` was not yet committed."""

    def add(self, event_id: str, phase: str) -> None:
        """Something about an event was committed."""
        phases = self._waiting.setdefault(event_id, [])
        if phase and event_id not in self._begun:
            self._begun.add(event_id)
            phases.append("new")
        if phase not in phases:
            phases.append(phase)
        if phase == "end":
            self._begun.discard(event_id)
        if len(self._waiting) > _MOST:
            spare = (each for each, found in self._waiting.items() if not {"new", "end"}.intersection(found))
            self._waiting.pop(next(spare, ""), None)

    def tell(self, connection: sqlite3.Connection) -> None:
        """Tell what waits. After an error the rest is told the next time. Raises sqlite3.Error."""
        while self._waiting:
            event_id = next(iter(self._waiting))
            try:
                event = get(connection, event_id)
            except (ValueError, TypeError, LookupError, OverflowError, RecursionError):  # vitcam has not written it
                log.exception("the event %s is stored, and cannot be read: it is not passed on", event_id)
                event = None
            for phase in self._waiting.pop(event_id):
                if event is not None:
                    self._notify(replace(event, end_ms=None) if phase == "new" else event, phase)
