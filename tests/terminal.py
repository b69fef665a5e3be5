"""A command on a real pseudo-terminal, and the screen as a person sees it."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyte

_PATIENCE_S = 60


class Terminal:
    """A child whose stdin, stdout and stderr are one terminal, unless one of them was led elsewhere."""

    def __init__(self, child: "subprocess.Popen[bytes]", master: int, columns: int, rows: int) -> None:
        self.child = child
        self._master = master
        self._screen = pyte.HistoryScreen(columns, rows, history=10_000)
        self._stream = pyte.ByteStream(self._screen)

    @property
    def rows(self) -> list[str]:
        """What stands on the screen now, without empty rows at the end."""
        rows = [row.rstrip() for row in self._screen.display]
        while rows and not rows[-1]:
            rows.pop()
        return rows

    @property
    def everything(self) -> list[str]:
        """The rows that scrolled away, and those on the screen."""
        columns = self._screen.columns
        past = ["".join(row[i].data for i in range(columns)).rstrip() for row in self._screen.history.top]
        return [*past, *self.rows]

    @property
    def cursor_shown(self) -> bool:
        return not self._screen.cursor.hidden

    def until(self, holds: Callable[["Terminal"], bool]) -> None:
        """Read on until it holds of the screen. Raises AssertionError if that takes too long."""
        deadline = time.monotonic() + _PATIENCE_S
        while not holds(self):
            if time.monotonic() > deadline or not self._read(0.1):
                if holds(self):
                    return
                raise AssertionError("never came to stand on the screen:\n" + "\n".join(self.everything))

    def until_end(self) -> int:
        """Read all that comes; the exit code."""
        deadline = time.monotonic() + _PATIENCE_S
        while self._read(0.1):
            assert time.monotonic() < deadline, "\n".join(self.everything)
        return self.child.wait(_PATIENCE_S)

    def watch(self, seconds: float) -> None:
        """Read whatever comes for a while."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self._read(0.05):
            pass

    def type(self, keys: str) -> None:
        """Press keys; `\\x03` is Ctrl-C."""
        os.write(self._master, keys.encode())

    def resize(self, columns: int, rows: int) -> None:
        """As if somebody dragged the window's corner."""
        self._screen.resize(rows, columns)
        _set_size(self._master, columns, rows)
        os.killpg(self.child.pid, signal.SIGWINCH)

    def _read(self, patience_s: float) -> bool:
        """Take what came; False once the child has left the terminal."""
        ready, _, _ = select.select([self._master], [], [], patience_s)
        if not ready:
            return self.child.poll() is None
        try:
            data = os.read(self._master, 65536)
        except OSError:  # EIO: nobody has it open any more
            return False
        self._stream.feed(data)
        return bool(data)


@contextmanager
def terminal(
    *command: str, columns: int = 80, rows: int = 24, stdout: Path | None = None, **environment: str
) -> Iterator[Terminal]:
    """Run `vitcam` on a terminal of that size; kills it at the end if it still runs.

    stdout  a file that it goes to instead of the terminal
    """
    master, slave = pty.openpty()
    _set_size(slave, columns, rows)
    env = {key: value for key, value in os.environ.items() if not key.startswith(("VITCAM_", "COLUMNS", "LINES"))}
    env |= {"XDG_CONFIG_HOME": "/nonexistent", "TERM": "xterm-256color"} | environment
    out = slave if stdout is None else os.open(stdout, os.O_WRONLY | os.O_CREAT)
    child = subprocess.Popen(
        # makes the terminal its own, so that Ctrl-C reaches it; preexec_fn would fork a process with threads in it
        ["setsid", "--ctty", sys.executable, "-m", "vitcam", *command],
        stdin=slave,
        stdout=out,
        stderr=slave,
        env=env,
    )
    os.close(slave)
    if stdout is not None:
        os.close(out)
    try:
        yield Terminal(child, master, columns, rows)
    finally:
        child.kill()
        child.wait(_PATIENCE_S)
        os.close(master)


def _set_size(descriptor: int, columns: int, rows: int) -> None:
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
