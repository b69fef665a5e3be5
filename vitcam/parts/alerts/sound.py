"""A sound in every window that shows the page."""

import json
from collections.abc import Callable

from vitcam.parts.alerts.task import ActionFailed, Task

Ring = Callable[[bytes], int]
"""Passes a message on to every connection that is open; returns how many there are. In any thread."""


class Chimes:
    """Where alerts come from that open pages play. The web server follows it."""

    def __init__(self) -> None:
        self._ring: Ring = lambda _: 0

    def follow(self, ring: Ring) -> None:
        """From now on `ring` gets each of them: the data of a server-sent event."""
        self._ring = ring

    def ring(self, data: bytes) -> int:
        """Pass one on; returns to how many connections."""
        return self._ring(data)


class Sound:
    """Tells open pages to play a sound, and what it is about."""

    def __init__(self, chimes: Chimes) -> None:
        self._chimes = chimes

    def __call__(self, task: Task) -> str:
        """Raises ActionFailed where no page is open."""
        record = {"type": "alert", "rule": task.rule.name, "event": task.record}
        heard = self._chimes.ring(json.dumps(record).encode())
        if not heard:
            raise ActionFailed("no window shows the page now, so nobody hears it")
        return f"{heard} {'window has' if heard == 1 else 'windows have'} got it"
