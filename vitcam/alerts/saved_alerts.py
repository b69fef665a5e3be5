"""Alerts from one start to the next: a file of the state folder that holds secrets, so only its owner may read it."""

import json
import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from vitcam.alerts.alert import Alert, saved_alert, saved_record
from vitcam.errors import UsageError
from vitcam.storage.state_file import StateFile

log = logging.getLogger(__name__)

MOST_ALERTS = 64


class SavedAlerts:
    """The alerts of the page.

    folder  the state folder; None: nothing is kept
    """

    def __init__(self, folder: Path | None) -> None:
        self._file = StateFile(folder / "alerts.json", private=True) if folder else None

    def load(self) -> tuple[Alert, ...]:
        """Those of earlier runs. One that is none is left out, and the log says so."""
        found: list[Alert] = []
        for record in (self._file.read_if_good(_parsed) if self._file else None) or ():
            try:
                alert = saved_alert(record, [each.rule.name for each in found])
            except UsageError as error:
                log.warning("%s: an alert is left out: %s", self._file and self._file.path, error)
                continue
            if len(found) < MOST_ALERTS and all(alert.id != each.id for each in found):
                found.append(alert)
        return tuple(found)

    def save(self, alerts: Iterable[Alert]) -> str:
        """Save them; returns why that failed, "" if it did not."""
        if self._file is None:
            return "there is no folder to keep them in"
        try:
            self._file.write(json.dumps({"alerts": [saved_record(each) for each in alerts]}, indent=1))
        except OSError as error:
            return f"{self._file.path} cannot be written: {error.strerror}"
        return ""


def _parsed(text: str) -> list[Any]:
    """Raises ValueError, TypeError or LookupError if it is damaged."""
    found = json.loads(text)["alerts"]
    if not isinstance(found, list):
        raise ValueError("it holds no list of alerts")
    return found
