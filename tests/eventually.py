"""Waiting for what another thread or process does: the one place of the tests that looks again and again."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
PATIENCE_S = 60.0
"""Far longer than anything takes on a loaded machine; who waits that long has found a bug."""


def eventually(found: Callable[[], T], within_s: float = PATIENCE_S, every_s: float = 0.01) -> T:
    """The first result that is true. Where none comes in time the last one, so that an assertion shows it.

    within_s  how long to look for it
    every_s   the pause between two looks; a process is asked less often than a variable
    """
    deadline = time.monotonic() + within_s
    while not (result := found()) and time.monotonic() < deadline:
        time.sleep(every_s)
    return result
