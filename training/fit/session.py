"""Options of one call, and what may end it early: a signal or a time limit. The weights do not depend on them."""

from __future__ import annotations

import logging
import math
import signal
import threading
import time
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

log = logging.getLogger(__name__)


class Stopped(Exception):
    """A run was stopped before its end: the reason, and the exit code of the command."""

    def __init__(self, why: str, exit_code: int) -> None:
        super().__init__(why)
        self.exit_code = exit_code


class Stop:
    """Says after every batch whether to continue. Within a `with` it handles SIGINT and SIGTERM.

    minutes  from now on; a call does at least one step or one scoring, so that repeated calls reach the end
    """

    def __init__(self, minutes: float = math.inf) -> None:
        self._minutes, self._deadline_s = minutes, time.monotonic() + 60 * minutes
        self._signal, self._gained = 0, False
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> Stop:
        if threading.current_thread() is threading.main_thread():  # Python gives signals to no other
            for number in (signal.SIGINT, signal.SIGTERM):
                self._handlers[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._handlers.clear()

    def check(self, gained: bool) -> None:
        """Continue, or stop.

        gained  whether the last work is kept if the run stops now: a step is, half a scoring is not
        raises  Stopped
        """
        self._gained |= gained
        if self._signal:
            raise Stopped("interrupted", 128 + self._signal)  # as shells count: 130 for Ctrl-C, 143 for SIGTERM
        if self._gained and time.monotonic() >= self._deadline_s:
            raise Stopped(f"the time of --stop-after is over, {self._minutes:g} min", 0)

    def _note(self, number: int, _: FrameType | None) -> None:
        if self._signal:
            raise KeyboardInterrupt
        self._signal = number
        log.info("stopping after this step; interrupt again to stop at once, without saving")


@dataclass(frozen=True)
class Session:
    """What a call of a run may choose."""

    quiet: bool = False
    """Show no progress."""
    save_every_s: float = 300.0
    """Between two saves within an epoch: what a run that is killed may lose. 0: save after every step."""
    tensorboard: bool = False
    """Write event files for TensorBoard beside the weights."""
    stop: Stop = field(default_factory=Stop)
