"""Options of one call, and what may end it early: a signal or a time limit. The weights do not depend on them."""

from __future__ import annotations

import logging
import math
import re
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from vitcam.errors import UsageError

log = logging.getLogger(__name__)

MORE = 1.25
"""So many times as many epochs must fit as are planned, for the plan to become longer."""

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}


class Stopped(Exception):
    """A run was stopped before its end: the reason, and the exit code of the command."""

    def __init__(self, why: str, exit_code: int) -> None:
        super().__init__(why)
        self.exit_code = exit_code


def parse_budget(text: str) -> float:
    """`90s`, `10m` or `1.5h` in seconds. Raises UsageError."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh])", text.strip())
    if not found or float(found[1]) == 0:
        raise UsageError(f"--budget is {text!r}; give a number and s, m or h, such as 10m")
    return float(found[1]) * _UNITS[found[2]]


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
            raise Stopped(f"{self._minutes:g} minutes have passed", 0)

    def _note(self, number: int, _: FrameType | None) -> None:
        if self._signal:
            raise KeyboardInterrupt
        self._signal = number
        log.info("stopping after this step; interrupt again to stop at once, without saving")


@dataclass(frozen=True)
class Deadline:
    """When a run shall be over; epochs are planned again as they go by, and the last one may be cut short."""

    ends_s: float
    """On the clock of `time.monotonic`."""
    finish_s: float
    """For the last scoring, and to save."""
    note: Callable[[int], None]
    """Gets the number of epochs each time that they are planned again."""

    def is_near(self, now_s: float) -> bool:
        """Whether no other step fits."""
        return now_s + self.finish_s >= self.ends_s

    def epochs(self, planned: int, behind: int, left_s: float | None, now_s: float) -> int:
        """How many the run shall have: fewer than planned if time runs out, more if there is plenty early on.

        There is always one more, as long as one is planned; it may be cut short, and is scored.

        behind  epochs that are done
        left_s  what those to come would take, as far as the pace so far tells; None: it does not
        """
        if left_s is None or behind >= planned:
            return planned
        fitting = math.floor((self.ends_s - now_s) * (planned - behind) / max(left_s, 1e-3))
        is_early = 2 * behind <= planned
        if fitting < planned - behind or (is_early and fitting > MORE * (planned - behind)):
            return behind + max(1, fitting)
        return planned


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
    deadline: Deadline | None = None
    """None: the run lasts as long as it takes."""
