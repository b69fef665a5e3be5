"""Alerts from one start to the next: a file of the state folder that holds secrets, so only its owner may read it."""

import json
import logging
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from vitcam.parts.alerts.alert import Alert, saved_alert, saved_record
from vitcam.storage.entries import Entries
from vitcam.storage.state_file import StateFile
from vitcam.storage.unsaved import NotWritten, Unsaved

log = logging.getLogger(__name__)

MOST_ALERTS = 64


class SavedAlerts:
    """The alerts of the page. What cannot be read of their file is not in force, and stays there.

    folder   the state folder; None: nothing is kept
    unsaved  saves them; None: there is one of its own
    """

    def __init__(self, folder: Path | None, unsaved: Unsaved | None = None) -> None:
        self._unsaved = unsaved or Unsaved()
        self._file = StateFile(folder / "alerts.json", private=True) if folder else None
        self._content = (self._file.read_if_good(_parsed) if self._file else None) or {"alerts": []}
        names: list[str] = []

        def read(record: Any) -> Alert:
            alert = saved_alert(record, names)
            names.append(alert.rule.name)
            return alert

        self._entries = Entries.of_list(self._content["alerts"], "id", read, MOST_ALERTS)
        for unread in self._entries.unread:
            log.warning("%s: an alert is left out: %s", self._file and self._file.path, unread.reason)

    def load(self) -> tuple[Alert, ...]:
        """Those of earlier runs."""
        return tuple(self._entries)

    def save(self, alerts: Iterable[Alert]) -> str:
        """Save them; returns why that failed, "" if it did not."""
        return self._unsaved.keep("alerts", partial(self._write, tuple(alerts)))

    def _write(self, alerts: tuple[Alert, ...]) -> str:
        if self._file is None:
            return "there is no folder to keep them in"
        records = self._entries.list(map(saved_record, alerts), "id")
        try:
            self._file.write(json.dumps({**self._content, "alerts": records}, indent=1))
        except OSError as error:
            return NotWritten.of(self._file.path, error)
        return ""


def _parsed(text: str) -> dict[str, Any]:
    """Raises ValueError, TypeError or LookupError if it is damaged."""
    content = json.loads(text)
    if not isinstance(content["alerts"], list):
        raise ValueError("it holds no list of alerts")
    return dict(content)
