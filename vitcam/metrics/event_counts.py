"""How many events began, by label and zone."""

import threading
from collections import Counter

from vitcam.frames import Event, Prediction, Unreadable
from vitcam.sinks.sink import Summary

MOST_SERIES = 1000
OTHERS = "(others)"
"""The label that all further ones are counted under: each pair of label and zone is a series that Prometheus keeps."""


class EventCounts:
    """A `vitcam.sinks.sink.Sink` that counts what begins."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[tuple[str, str]] = Counter()

    def snapshot(self) -> dict[tuple[str, str], int]:
        """(label, zone) -> how many events began there; the zone is empty for the whole view. Any thread may ask."""
        with self._lock:
            return dict(self._counts)

    def serving(self, url: str) -> None:
        """As `Sink` has it."""

    def prediction(self, prediction: Prediction, changed: bool) -> None:
        """As `Sink` has it."""

    def event(self, event: Event) -> None:
        """As `Sink` has it."""
        if event.phase != "new":
            return
        series = event.shown.label or event.label, event.zone or ""
        with self._lock:
            if series not in self._counts and len(self._counts) >= MOST_SERIES:
                series = OTHERS, ""
            self._counts[series] += 1

    def unreadable(self, bad: Unreadable) -> None:
        """As `Sink` has it."""

    def close(self, summary: Summary | None) -> None:
        """As `Sink` has it."""
