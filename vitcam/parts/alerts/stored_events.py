"""What actions need of the history: the picture of an event, and a place for what came of them."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from vitcam.errors import VitcamError
from vitcam.history.store import EventStore
from vitcam.history.stored import Action, Query
from vitcam.parts.alerts.task import Outcome
from vitcam.wire import wall_time

_SOON_S = 2.0
_LOOKED_AT = 20  # of the newest events: most have a picture


class StoredEvents:
    """In any thread.

    history  None: nothing is kept
    """

    def __init__(self, history: EventStore | None) -> None:
        self._history = history

    def note(self, outcome: Outcome) -> None:
        """Keep with its event what came of an action."""
        if self._history is not None:
            now = wall_time(time.monotonic_ns())
            action = Action(outcome.rule, outcome.kind, outcome.status, outcome.detail, now)
            self._history.note_action(outcome.event_id, action)

    def newest_picture(self) -> str:
        """The id of the newest event that has a picture; empty where there is none, or the history cannot be read."""
        if self._history is None:
            return ""
        with suppress(VitcamError):
            return next((each.id for each in self._history.find(Query(), _LOOKED_AT).events if each.frame), "")
        return ""

    @contextmanager
    def picture(self, event_id: str) -> Iterator[bytes | None]:
        """The JPEG of an event that began just now: waits two seconds at most until it is on the disk.

        It is sent within the context: masks that are drawn meanwhile wait for the end of that.
        """
        if self._history is None:
            yield None
            return
        with self._history.underway.begin():
            yield self._stored(self._history, event_id)

    def _stored(self, history: EventStore, event_id: str) -> bytes | None:
        try:
            event = history.wait_for_picture(event_id, _SOON_S)
            return history.picture(event) if event else None
        except VitcamError:
            return None
