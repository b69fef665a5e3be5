"""Two commands that change the service at once would undo each other's work."""

import fcntl
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from vitcam.errors import VitcamError
from vitcam.service.places import Places


@contextmanager
def alone(places: Places) -> Iterator[None]:
    """Be the only one; what ends this program, such as a lost connection by ssh, ends it as Ctrl-C does.

    raises  VitcamError if another command is at work; OSError if the folder of releases cannot be made
    """
    places.releases.mkdir(0o755, parents=True, exist_ok=True)
    with (places.releases / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise VitcamError("another `vitcam service` command is at work; wait until it has ended") from None
        before = {number: signal.signal(number, _interrupt) for number in (signal.SIGTERM, signal.SIGHUP)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
