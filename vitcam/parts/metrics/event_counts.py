"""How many events began, by label and zone."""

import threading
from collections import Counter

from vitcam.daemon.run import Run
from vitcam.frames import Event, Prediction
from vitcam.run.kinds import Hears

MOST_SERIES = 1000
OTHERS = "(others)"
"""The label that all further ones are counted under: each pair of label and zone is a series that Prometheus keeps."""


class EventCounts(Hears):
    """Counts what begins."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[tuple[str, str]] = Counter()

    def snapshot(self) -> dict[tuple[str, str], int]:
        """(label, zone) -> how many events began there; the zone is empty for the whole view. Any thread may ask."""
        with self._lock:
            return dict(self._counts)

    def heard(self, prediction: Prediction | None, events: tuple[Event, ...]) -> None:
        for event in events:
            if event.phase == "new":
                self._count(event)

    def _count(self, event: Event) -> None:
        series = event.shown.label or event.label, event.zone or ""
        with self._lock:
            if series not in self._counts and len(self._counts) >= MOST_SERIES:
                series = OTHERS, ""
            self._counts[series] += 1


def make(_: Run) -> list[object]:
    """They are counted in every run: Prometheus may come at any time."""
    return [EventCounts()]
