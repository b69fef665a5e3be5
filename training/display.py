"""How far a run is, for people: a bar on a terminal; elsewhere a line a minute at most, for who reads the log later."""

from __future__ import annotations

import logging
import time
from datetime import timedelta

from rich.console import Console
from rich.logging import RichHandler
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

LINE_S = 60.0

log = logging.getLogger(__name__)


class Display:
    """Shows steps as they are done.

    total  steps of the whole run
    done   steps that lie behind it already
    """

    def __init__(self, total: int, done: int, quiet: bool = False) -> None:
        console = _console()
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._bar = Progress(*columns, console=console, disable=quiet or not console.is_terminal)
        self._lines = not (quiet or console.is_terminal)
        self._task = self._bar.add_task("starting", total=total, completed=done)
        self._total = total
        self._warm: tuple[int, float] | None = None  # steps and time after the first step, which compiles
        self._told_s = time.monotonic()

    def __enter__(self) -> Display:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def show(self, done: int, text: str) -> None:
        """Say that `done` steps are behind it, and what else there is to say."""
        now_s = time.monotonic()
        self._warm = self._warm or (done, now_s)
        self._bar.update(self._task, completed=done, description=text)
        if self._lines and now_s - self._told_s >= LINE_S:
            log.info("%s, %s", text, self._left(done, now_s))
            self._told_s = now_s

    def _left(self, done: int, now_s: float) -> str:
        first, since_s = self._warm or (done, now_s)
        if done == first:
            return f"step {done:,} of {self._total:,}"
        seconds = round((now_s - since_s) / (done - first) * (self._total - done))
        return f"step {done:,} of {self._total:,}, {timedelta(seconds=seconds)} left"


def _console() -> Console:
    """The log's console where it has one: two that write to one terminal would write over each other."""
    parent = logging.getLogger(__package__)
    return next((h.console for h in parent.handlers if isinstance(h, RichHandler)), None) or Console(stderr=True)
