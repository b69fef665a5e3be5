"""Signals. SIGTERM and Ctrl-C: the daemon ends in good order, and in time even where a part of it hangs. SIGHUP: it
reads its settings again.
"""

import os
import select
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

EXIT_WITHIN_S = 1.5  # two seconds are promised, and the kernel needs some of them to clear up

_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class ShutdownRequest:
    """Set by a signal; plain flags, since a signal may come while the main thread holds any lock."""

    def __init__(self) -> None:
        self.requested = False
        self._reload = False
        # of `nohup` SIGHUP was ignored before, and a terminal that goes away must not end it
        self._at_terminal = signal.getsignal(signal.SIGHUP) == signal.SIG_DFL and _has_terminal()

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if number == signal.SIGHUP:
            self._reload = True
        else:
            self.requested = True

    def take_reload(self) -> bool:
        """Whether the settings should be read again; True once for all signals since the last call."""
        if not self._reload:
            return False
        self._reload = False
        self.requested = self.requested or self.hung_up()
        return not self.requested

    def hung_up(self) -> bool:
        """Whether SIGHUP had its first meaning: the terminal that the run was started at is gone."""
        return self._at_terminal and not _has_terminal()


@contextmanager
def shutdown_signals() -> Iterator[ShutdownRequest]:
    """Handle the signals that ask the process to end or to reload. Main thread only.

    After the first signal to end, the process has `EXIT_WITHIN_S`, and then exits with 0. A second one ends it at once.
    The clock runs on after the `with`: the interpreter waits for threads before it ends, and a decode or a write to a
    full pipe may keep one without end.
    """
    request = ShutdownRequest()
    read_fd, write_fd = os.pipe()
    os.set_blocking(write_fd, False)
    threading.Thread(target=_exit_in_time, args=(read_fd, request), name="end", daemon=True).start()
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


def _exit_in_time(read_fd: int, request: ShutdownRequest) -> None:
    """Wait for a signal by a pipe that the interpreter writes to at once, also while the main thread is stuck."""
    while (number := _next_signal(read_fd)) == signal.SIGHUP and not request.hung_up():
        pass
    if number is None:
        os.close(read_fd)
        return
    ends_s = time.monotonic() + EXIT_WITHIN_S
    while select.select([read_fd], [], [], max(0.0, ends_s - time.monotonic()))[0]:
        if _next_signal(read_fd) != signal.SIGHUP:
            break
    os._exit(0)


def _next_signal(read_fd: int) -> int | None:
    """The number of the next signal; None once the pipe was closed."""
    found = os.read(read_fd, 1)
    return found[0] if found else None


def _has_terminal() -> bool:
    """Whether the process has a controlling terminal now."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        return False
    return True
