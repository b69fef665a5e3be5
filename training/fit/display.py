"""The progress of a run: a bar on a terminal, elsewhere at most one log line a minute."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from datetime import timedelta

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from vitcam_training.fit.remaining import Remaining, StageWork
from vitcam_training.progress import LINE_S, log_console

log = logging.getLogger(__name__)


class Display:
    """Shows steps as they are done.

    stage  what is to be done, all epochs of it
    done   steps that lie behind it already
    later  the stages after it, whose time counts, too
    """

    def __init__(self, stage: StageWork, done: int, later: Sequence[StageWork] = (), quiet: bool = False) -> None:
        console = log_console()
        left = TextColumn("{task.fields[left]}")
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), left)
        self._bar = Progress(*columns, console=console, disable=quiet or not console.is_terminal)
        self._quiet, self._lines = quiet, not (quiet or console.is_terminal)
        self._total, self._done = stage.epochs * stage.steps, done
        self._task = self._bar.add_task("compiling", total=self._total, completed=done, left="")
        self._begun_s = self._told_s = time.monotonic()
        self._remaining = Remaining(stage, later, self._begun_s)
        self._first, self._told_pace = True, False
        self._text = "compiling"

    def __enter__(self) -> Display:
        self._bar.start()
        if self._done < self._total and not self._quiet:
            log.info("compiling the first of %s steps", f"{self._total - self._done:,}")
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def show(self, done: int, text: str) -> None:
        """Say that `done` steps are behind it, and what else there is to say."""
        now_s = time.monotonic()
        self._done, self._text = done, text
        self._remaining.stepped(now_s)
        if self._first and not self._quiet:
            log.info("the first step took %.0f s, with what was compiled for it", now_s - self._begun_s)
        self._first = False
        if not (self._told_pace or self._quiet):
            self._tell_pace(now_s)
        self._update(now_s)

    def _tell_pace(self, now_s: float) -> None:
        epoch_s = self._remaining.epoch_s()
        if epoch_s is not None:
            log.info("an epoch takes about %s here, %s in all", timedelta(seconds=round(epoch_s)), self._left(now_s))
            self._told_pace = True

    def scored(self, photos: int) -> None:
        """Say that this many more photos were scored."""
        now_s = time.monotonic()
        self._remaining.scored(photos, now_s)
        self._update(now_s)

    def epoch_ended(self) -> None:
        """Say that an epoch is scored and saved."""
        self._remaining.epoch_ended(time.monotonic())

    def _update(self, now_s: float) -> None:
        left = self._left(now_s)
        self._bar.update(self._task, completed=self._done, description=self._text, left=left)
        if self._lines and now_s - self._told_s >= LINE_S:
            step = f"step {self._done:,} of {self._total:,}"
            log.info("%s", ", ".join(filter(None, (self._text, step, left))))
            self._told_s = now_s

    def _left(self, now_s: float) -> str:
        seconds = self._remaining.left_s(self._done, now_s)
        return "" if seconds is None else f"{timedelta(seconds=round(seconds))} left"
