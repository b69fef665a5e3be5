"""A stage that failed begins again: an error ends one attempt, and not the run."""

import logging
import threading
import time
from collections.abc import Callable

from vitcam.errors import TOLD_ELSEWHERE

log = logging.getLogger(__name__)

BACK_OFF_S = (0.5, 1.0, 2.0)  # RTSP takes 2 s to open, too: its picture is back within 5 s of its server
_SAY_AGAIN_S = 600.0


class Retries:
    """Counts the failures of one stage in a row. Called in its thread; `trouble` may be read in any.

    stage     for people, such as `the classify stage`
    stopping  ends every wait
    tell      called with the sentence of each failure
    """

    def __init__(self, stage: str, stopping: threading.Event, tell: Callable[[str], None] = lambda _: None) -> None:
        self._tell = tell
        self.stage = stage
        self._stopping = stopping
        self._failed = 0
        self._logged: dict[str, float] = {}
        self.faults = 0
        """How often it failed since the start."""
        self.trouble = ""
        """Why the last attempt failed, as one sentence; empty if it did not."""

    def failed(self, error: Exception) -> str:
        """Take an error that nobody expected: log it with its stack, once in ten minutes, and return a sentence."""
        self.faults += 1
        what = repr(error)
        now_s = time.monotonic()
        if now_s - self._logged.get(what, -_SAY_AGAIN_S) >= _SAY_AGAIN_S:
            self._logged = {what: now_s}
            log.error("%s failed unexpectedly", self.stage, exc_info=error, extra=TOLD_ELSEWHERE)
        self.trouble = f"{self.stage} failed unexpectedly: {what}; vitcam tries again"
        self._tell(self.trouble)
        return self.trouble

    def worked(self) -> None:
        """The attempt went well, so the next failure is the first again."""
        self._failed = 0
        if self.trouble:
            self.trouble = ""
            log.info("%s works again", self.stage)

    def wait(self) -> None:
        """Wait before the next attempt: longer after each failure in a row, and no longer than the run lasts."""
        self._stopping.wait(BACK_OFF_S[min(self._failed, len(BACK_OFF_S) - 1)])
        self._failed += 1
