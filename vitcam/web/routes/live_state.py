"""The state as server-sent events: each change once, for all clients that ask for it. It is made for nobody else."""

import json
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vitcam.daemon.report import Reporter

EVERY_S = 1.0
_LATEST_S = 60.0  # rates and counts change all the time, and are not worth a message


class LiveState:
    """Asked on the event loop, once a second by each client; the state is made once for all of them."""

    def __init__(self, report: "Reporter") -> None:
        self._report = report
        self._asked_s = self._made_s = float("-inf")
        self._key = ""
        self._message = b""

    def message(self) -> bytes:
        """The newest message: the same object until something changes that people or rules look at, or a minute."""
        now_s = time.monotonic()
        if now_s - self._asked_s >= EVERY_S / 2:
            self._asked_s = now_s
            report, about = self._report(), json.dumps(self._report.about())
            if (key := f"{about}{report.key}") != self._key or now_s - self._made_s >= _LATEST_S:
                record = {"type": "state", **self._report.about(), **report.record()}
                self._key, self._made_s = key, now_s
                self._message = f"event: state\ndata: {json.dumps(record)}\n\n".encode()
        return self._message
