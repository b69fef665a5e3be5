"""Trainings that last for hours, and measurements of seconds, on one machine: the trainings wait while one is taken.

Both agree by a lock of one file, which the kernel gives back however a process ends. A training holds it with others;
a measurement holds it alone.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vitcam_training.fit.session import Stop

_POLL_S = 0.5


def lock_file() -> Path:
    """Where they meet: a file of this user."""
    return Path(tempfile.gettempdir(), f"vitcam-measuring-{os.getuid()}")


@contextmanager
def measuring() -> Iterator[None]:
    """Trainings of studies stand still within this `with`, from their next step on."""
    with _opened() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


class Yielding(Stop):
    """Waits after a step as long as something is measured."""

    def check(self, gained: bool) -> None:
        """As `Stop` has it; it may wait. Raises Stopped."""
        super().check(gained)
        with _opened() as file:
            while not _shared(file):
                time.sleep(_POLL_S)
                super().check(gained)


@contextmanager
def _opened() -> Iterator[int]:
    file = os.open(lock_file(), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        yield file
    finally:
        os.close(file)


def _shared(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
