"""The progress of a loop: a bar where stderr is a terminal, elsewhere at most one log line a minute."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from rich.console import Console
from rich.logging import RichHandler
from rich.progress import track

import vitcam_training

LINE_S = 60.0

T = TypeVar("T")

log = logging.getLogger(__name__)


def with_progress(items: Iterable[T], what: str, total: int | None = None) -> Iterable[T]:
    """The items, while a bar or a line says how many of them are done.

    total  how many there are, where `items` cannot tell
    """
    console = log_console()
    count = len(items) if total is None and isinstance(items, Sequence) else total
    if console.is_terminal:
        return track(items, what, count, console=console, transient=True)
    return _in_lines(items, what, "" if count is None else f" of {count:,}")


def _in_lines(items: Iterable[T], what: str, of_all: str) -> Iterator[T]:
    told_s = time.monotonic()
    for done, item in enumerate(items):
        if time.monotonic() - told_s >= LINE_S:
            log.info("%s: %s%s", what, f"{done:,}", of_all)
            told_s = time.monotonic()
        yield item


def log_console() -> Console:
    """The log's console, if it has one: two consoles on one terminal would write over each other."""
    parent = logging.getLogger(vitcam_training.__name__)
    return next((h.console for h in parent.handlers if isinstance(h, RichHandler)), None) or Console(stderr=True)
