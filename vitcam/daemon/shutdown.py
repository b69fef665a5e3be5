"""SIGTERM and Ctrl-C: the daemon ends in good order, and where a part of it hangs, it ends all the same."""

import os
import select
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

AT_LAST_S = 1.5  # two seconds are promised, and the kernel needs some of them to clear up

_NUMBERS = (signal.SIGTERM, signal.SIGINT)


class Asked:
    """Set by a signal; a plain flag, since a signal may come while the main thread holds any lock."""

    def __init__(self) -> None:
        self.to_end = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.to_end = True


@contextmanager
def asked_to_end() -> Iterator[Asked]:
    """Whether somebody asked; from then on the process has `AT_LAST_S`, and ends with 0 after it. Main thread only.

    Whoever asks twice is impatient: the process ends at once. The clock runs on after the `with`: the interpreter, too,
    waits for threads before it ends, and a decode or a write to a full pipe may keep one for ever.
    """
    asked = Asked()
    heard, told = os.pipe()
    os.set_blocking(told, False)
    threading.Thread(target=_end_in_time, args=(heard,), name="end", daemon=True).start()
    before_fd = signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    before = {number: signal.signal(number, asked) for number in _NUMBERS}
    try:
        yield asked
    finally:
        if not asked.to_end:
            for number, handler in before.items():
                signal.signal(number, handler)
            signal.set_wakeup_fd(before_fd)
            os.close(told)


def _end_in_time(heard: int) -> None:
    """Wait for a signal by a pipe that the interpreter writes to at once, also while the main thread is stuck."""
    asked = os.read(heard, 1)  # empty: the pipe was closed
    if asked:
        select.select([heard], [], [], AT_LAST_S)
        os._exit(0)
    os.close(heard)
