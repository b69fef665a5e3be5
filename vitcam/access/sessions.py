"""Sessions: who has logged in on the page. They outlast a restart, and end when the password changes."""

import hashlib
import hmac
import json
import logging
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from vitcam.storage.entries import Entries
from vitcam.storage.state_file import StateFile

LASTS_S = 90 * 24 * 3600
_MOST = 64
_FILE = "sessions.json"
_LATEST = 4_102_444_800.0  # the year 2100, in s since the epoch

log = logging.getLogger(__name__)


class Sessions:
    """Open sessions by a digest of their identifier, so that the file opens none.

    The digest is keyed with what is kept of the password: with another password no session is found any more.
    `open` and `close` write to the disk, so they are called from one thread of their own; `is_open` may be called from
    any thread.

    folder  where they are kept; None: they end with the process
    clock   seconds since the epoch
    """

    def __init__(self, folder: Path | None, clock: Callable[[], float] = time.time) -> None:
        self._file = StateFile(folder / _FILE, private=True) if folder else None
        self._clock = clock
        self._entries = (self._file and self._file.read_if_good(_parsed)) or Entries()
        self._ends = dict(self._entries.values)
        """Of each session in s since the epoch; the oldest session first."""

    def open(self, key: str) -> str:
        """The identifier of a new session; the oldest ends where there are too many.

        key  what is kept of the password
        """
        identifier = secrets.token_urlsafe(32)
        now = self._clock()
        lasting = {digest: end for digest, end in self._ends.items() if now < end <= now + LASTS_S}
        newest = list(lasting.items())[-(_MOST - 1) :]
        self._replace(dict([*newest, (_digest(key, identifier), now + LASTS_S)]))
        return identifier

    def is_open(self, key: str, identifier: str) -> bool:
        """Whether a client that shows this identifier has logged in. Compares digests, so time says nothing."""
        ends = self._ends
        end = ends.get(_digest(key, identifier))
        if end is None:
            return False
        newest_login_s = max(ends.values()) - LASTS_S  # a clock that lags brings no session back that was over then
        return max(self._clock(), newest_login_s) < end

    def close(self, key: str, identifier: str) -> None:
        """Log out."""
        gone = _digest(key, identifier)
        if gone in self._ends:
            self._replace({digest: end for digest, end in self._ends.items() if digest != gone})

    def _replace(self, ends: dict[str, float]) -> None:
        self._ends = ends
        if self._file is None:
            return
        try:
            self._file.write(json.dumps(self._entries.table(ends), indent=1) + "\n")
        except OSError as error:
            log.warning("%s cannot be written: %s; after a restart everybody must log in again", self._file.path, error)


def _parsed(text: str) -> Entries[float]:
    """The end of each session."""
    return Entries.of_table(json.loads(text), _end, _MOST)


def _end(_: str, record: Any) -> float:
    """Raises ValueError for what is no time."""
    if type(record) not in (int, float) or not 0 < record < _LATEST:
        raise ValueError("not a time")
    return float(record)


def _digest(key: str, identifier: str) -> str:
    return hmac.new(key.encode(), identifier.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
