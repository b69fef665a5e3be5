"""SIGTERM and Ctrl-C: the daemon ends in good order, and in time even where a part of it hangs."""

import os
import select
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

EXIT_WITHIN_S = 1.5  # two seconds are promised, and the kernel needs some of them to clear up

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class ShutdownRequest:
    """Set by a signal; a plain flag, since a signal may come while the main thread holds any lock."""

    def __init__(self) -> None:
        self.requested = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.requested = True


@contextmanager
def shutdown_signals() -> Iterator[ShutdownRequest]:
    """Handle the signals that ask the process to end. Main thread only.

    After the first signal the process has `EXIT_WITHIN_S`, and then exits with 0. A second signal ends it at once. The
    clock runs on after the `with`: the interpreter waits for threads before it ends, and a decode or a write to a full
    pipe may keep one without end.
    """
    request = ShutdownRequest()
    read_fd, write_fd = os.pipe()
    os.set_blocking(write_fd, False)
    threading.Thread(target=_exit_in_time, args=(read_fd,), name="end", daemon=True).start()
    fd_before = signal.set_wakeup_fd(write_fd, warn_on_full_buffer=False)
    handlers_before = {number: signal.signal(number, request) for number in _SIGNALS}
    try:
        yield request
    finally:
        if not request.requested:
            for number, handler in handlers_before.items():
                signal.signal(number, handler)
            signal.set_wakeup_fd(fd_before)
            os.close(write_fd)


def _exit_in_time(read_fd: int) -> None:
    """Wait for a signal by a pipe that the interpreter writes to at once, also while the main thread is stuck."""
    signalled = os.read(read_fd, 1)  # empty: the pipe was closed
    if signalled:
        select.select([read_fd], [], [], EXIT_WITHIN_S)
        os._exit(0)
    os.close(read_fd)
