"""One JSON object a line, for machines."""

import json
import logging
import threading
from typing import Any, TextIO

from vitcam.frames import Event, Prediction, Unreadable
from vitcam.sinks.sink import Summary
from vitcam.wire import error_record, event_record, prediction_record, summary_record

log = logging.getLogger(__name__)


class JsonLines:
    """Writes each record at once.

    every   write every prediction; else those at which the smoothed top label changes, and the events
    raises  OSError from any call when the reader is gone or the disk is full
    """

    def __init__(self, out: TextIO, every: bool) -> None:
        self._out = out
        self.every = every
        """Any thread may change it."""
        self._lock = threading.Lock()  # broken files are reported by the thread that reads them

    def serving(self, url: str) -> None:
        log.info("watch at %s", url)  # not a record of the run, so it goes to the log

    def prediction(self, prediction: Prediction, changed: bool) -> None:
        if self.every or changed:
            self._write(prediction_record(prediction))

    def event(self, event: Event) -> None:
        if not self.every:
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
