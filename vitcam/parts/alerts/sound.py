"""A sound in every window that shows the page."""

import json

from vitcam.parts.alerts.task import ActionFailed, Task
from vitcam.web.open_pages import OpenPages


class Sound:
    """Tells open pages to play a sound, and what it is about."""

    def __init__(self, pages: OpenPages) -> None:
        self._pages = pages

    def __call__(self, task: Task) -> str:
        """Raises ActionFailed where no page is open."""
        record = {"type": "alert", "rule": task.rule.name, "event": task.record}
        heard = self._pages.tell("alert", json.dumps(record).encode())
        if not heard:
            raise ActionFailed("no window shows the page now, so nobody hears it")
        return f"{heard} {'window has' if heard == 1 else 'windows have'} got it"
