"""Who has logged in on the page. Kept in memory: after a restart everybody logs in again."""

import hashlib
import secrets
import time
from collections.abc import Callable

LASTS_S = 30 * 24 * 3600
_MOST = 64


class Sessions:
    """Open sessions by the hash of their identifier, so that memory that leaks opens none.

    clock  seconds that only grow
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ends: dict[bytes, float] = {}  # the oldest first

    def open(self) -> str:
        """The identifier of a new session; the oldest ends where there are too many."""
        identifier = secrets.token_urlsafe(32)
        self._ends[_key(identifier)] = self._clock() + LASTS_S
        if len(self._ends) > _MOST:
            del self._ends[next(iter(self._ends))]
        return identifier

    def is_open(self, identifier: str) -> bool:
        """Whether a client that shows this identifier has logged in. Compares hashes, so time says nothing."""
        ends = self._ends.get(_key(identifier))
        if ends is None:
            return False
        if ends < self._clock():
            self.close(identifier)
            return False
        return True

    def close(self, identifier: str) -> None:
        """Log out."""
        self._ends.pop(_key(identifier), None)

    def close_all(self) -> None:
        """Log everybody out, such as when the password has changed."""
        self._ends.clear()


def _key(identifier: str) -> bytes:
    return hashlib.sha256(identifier.encode("utf-8", "surrogatepass")).digest()
