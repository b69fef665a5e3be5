"""An address that gives one picture each time: when it is asked again, and what is shown until then."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from http.client import HTTPMessage
from itertools import chain, repeat

from vitcam.errors import SourceError, SourceLost, UsageError
from vitcam.frames import Image
from vitcam.sources.network.client import RequestRefused

_SHOW_AGAIN_S = 1.0  # a picture that lasts longer is delivered again: events last, and a new crop is seen
_BACK_OFF_S = (0.25, 0.5, 1.0, 2.0)
_VALIDATORS = {"ETag": "If-None-Match", "Last-Modified": "If-Modified-Since"}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One picture."""

    image: Image
    """(H, W, 3) uint8, RGB, read-only."""
    arrived_ns: int
    """Monotonic time."""
    unless_changed: dict[str, str]
    """Headers of the next request, by which the camera need not send the same picture again."""


def unless_changed(headers: HTTPMessage) -> dict[str, str]:
    """`Snapshot.unless_changed` of a response's headers (RFC 9110, 13.1)."""
    return {condition: headers[name] for name, condition in _VALIDATORS.items() if name in headers}


class Snapshots:
    """Asks at its times, and again sooner where that failed.

    every_s     time between two requests
    patience_s  how long the address may give no picture
    ask         takes the picture that is known; raises RequestRefused and UsageError where another attempt may succeed
    """

    def __init__(
        self, every_s: float, patience_s: float, ask: Callable[[Snapshot], Snapshot], stopped: threading.Event
    ) -> None:
        self._every_s, self._patience_s = every_s, patience_s
        self._ask, self._stopped = ask, stopped

    def after(self, snapshot: Snapshot) -> Iterator[Snapshot]:
        """What follows a picture, until the source is stopped. Raises SourceError, SourceLost."""
        due_s = time.monotonic() + self._every_s
        while True:
            yield from self._shown_until(snapshot, due_s)
            if self._stopped.is_set():
                return
            due_s = max(due_s, time.monotonic()) + self._every_s
            found = self._next(snapshot)
            if found is None:
                return
            snapshot = found
            yield snapshot

    def _shown_until(self, snapshot: Snapshot, due_s: float) -> Iterator[Snapshot]:
        """The same picture each second, as often as it fits."""
        while (rest_s := due_s - time.monotonic()) > 0:
            if self._stopped.wait(min(rest_s, _SHOW_AGAIN_S)):
                return
            if rest_s > _SHOW_AGAIN_S:
                yield replace(snapshot, arrived_ns=time.monotonic_ns())

    def _next(self, known: Snapshot) -> Snapshot | None:
        """The next picture; None once the source is stopped."""
        gives_up_s = time.monotonic() + self._patience_s
        for wait_s in chain(_BACK_OFF_S, repeat(_BACK_OFF_S[-1])):
            try:
                return self._ask(known)
            except SourceError as error:
                if not isinstance(error, RequestRefused):
                    raise
                why = str(error)
            except UsageError as error:
                why = str(error)
            if time.monotonic() + wait_s > gives_up_s:
                raise SourceLost(why)
            if self._stopped.wait(wait_s):
                return None
        return None
