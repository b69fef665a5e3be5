"""One JSON object a line, for machines."""

import json
import logging
import threading
import time
from typing import Any, TextIO

from vitcam.frames import Event, Prediction, Unreadable
from vitcam.sinks.sink import Summary
from vitcam.wire import error_record, event_record, prediction_record, summary_record

log = logging.getLogger(__name__)


_LONGEST_GAP_NS = 600_000_000_000


class RarerUpdates:
    """Which updates of a lasting event are worth a line: the first, and then each after twice the time, up to 10 min.

    A thing that stays for a day would else be 17,000 lines in the journal. A change of its name is always worth one.
    """

    def __init__(self) -> None:
        self._name = ""
        self._told_ns = self._gap_ns = 0

    def wants(self, event: Event, now_ns: int) -> bool:
        """Called for every event in order. now_ns is monotonic time."""
        name = event.shown.label or event.label
        if event.phase != "update":
            self._name, self._told_ns, self._gap_ns = name, now_ns, 0
            return True
        if name == self._name and now_ns - self._told_ns < self._gap_ns:
            return False
        self._gap_ns = min(2 * (now_ns - self._told_ns), _LONGEST_GAP_NS)
        self._name, self._told_ns = name, now_ns
        return True


class JsonLines:
    """Writes each record at once.

    every   write every prediction; else those at which another thing is there, and the events
    raises  OSError from any call when the reader is gone or the disk is full
    """

    def __init__(self, out: TextIO, every: bool) -> None:
        self._out = out
        self._updates: dict[str, RarerUpdates] = {}
        """Of each event that lasts, by id."""
        self.every = every
        """Any thread may change it."""
        self._lock = threading.Lock()  # broken files are reported by the thread that reads them

    def serving(self, url: str) -> None:
        log.info("watch at %s", url)  # not a record of the run, so it goes to the log

    def prediction(self, prediction: Prediction, changed: bool) -> None:
        if self.every or changed:
            self._write(prediction_record(prediction))

    def event(self, event: Event) -> None:
        updates = self._updates.setdefault(event.id, RarerUpdates())
        if event.phase == "end":
            del self._updates[event.id]
        if updates.wants(event, time.monotonic_ns()) and not self.every:
            self._write(event_record(event))

    def unreadable(self, bad: Unreadable) -> None:
        self._write(error_record(bad))

    def close(self, summary: Summary | None) -> None:
        if summary is not None:
            self._write(summary_record(summary.frames, summary.errors, summary.dropped, summary.seconds))

    def _write(self, record: dict[str, Any]) -> None:
        line = json.dumps(record, ensure_ascii=False) + "\n"
        with self._lock:
            self._out.write(line)
            self._out.flush()
