"""Runs a user's program: without a shell, with few variables, within its time, and with all that it started."""

import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from vitcam.parts.alerts.task import ActionFailed, Task
from vitcam.processes.child import how_it_ended
from vitcam.text import printable

AT_ONCE = 4
"""Commands that run at the same time."""
PASSED_ON = ("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "TMPDIR", "TZ", "USER", "XDG_RUNTIME_DIR")
"""Variables that a command gets, if they are set. Others may hold a password."""
_MOST_OUTPUT = 1_000_000  # bytes
_TAIL = 4096  # bytes
_GRACE_S = 2.0
_NICE = 10


class Commands:
    """Runs the command of a task, in the thread of its caller.

    environ  of the daemon
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = {name: environ[name] for name in PASSED_ON if name in environ}
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._over = False

    def __call__(self, task: Task) -> str:
        """Run it to its end; returns the last line of its output. Raises ActionFailed."""
        with self._child(task.rule.command) as child:
            _give(child, task.text)
            watch = _OutputWatch(child, time.monotonic() + task.rule.timeout_s)
            reason = watch.run()
            if reason:
                _ask_to_end(child)
            _kill_group(child)
            status = _reap(child)
        if reason or status != 0:
            what = reason or f"it ended {how_it_ended(status)}"
            raise ActionFailed(": ".join(filter(None, (what, watch.last_line))))
        return watch.last_line

    def close(self) -> None:
        """Kill what still runs, and begin nothing more."""
        with self._lock:
            self._over = True
            for child in self._running:
                _kill_group(child)

    @contextmanager
    def _child(self, command: tuple[str, ...]) -> Iterator["subprocess.Popen[bytes]"]:
        with self._lock:
            if self._over:
                raise ActionFailed("vitcam ended before it began")
            child = _start(command, self._environ)
            self._running.add(child)
        try:
            yield child
        finally:
            for pipe in (child.stdin, child.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
            with self._lock:
                self._running.discard(child)


class _OutputWatch:
    """Reads what a child writes until it ends, writes too much or takes too long. Keeps the end of its output."""

    def __init__(self, child: "subprocess.Popen[bytes]", deadline_s: float) -> None:
        self._child = child
        self._deadline_s = deadline_s
        self._tail = b""
        self._count = 0

    def run(self) -> str:
        """Why it has to be ended; empty if it ended by itself."""
        assert self._child.stdout is not None  # noqa: S101 - a pipe was asked for
        output, ended = self._child.stdout.fileno(), os.pidfd_open(self._child.pid)
        os.set_blocking(output, False)
        try:
            with selectors.DefaultSelector() as either:
                either.register(output, selectors.EVENT_READ)
                either.register(ended, selectors.EVENT_READ)
                while (left_s := self._deadline_s - time.monotonic()) > 0:
                    ready = {key.fd for key, _ in either.select(left_s)}
                    if output in ready and not self._read(output):
                        either.unregister(output)
                    if self._count > _MOST_OUTPUT:
                        return f"it was ended because it wrote more than {_MOST_OUTPUT // 1_000_000} MB"
                    if ended in ready and output not in ready:
                        return ""
        finally:
            os.close(ended)
        return "it was ended because it took too long"

    @property
    def last_line(self) -> str:
        """The last line that is not empty, safe for a terminal."""
        lines = self._tail.decode(errors="replace").split("\n")
        return printable(next((line.strip() for line in reversed(lines) if line.strip()), ""))

    def _read(self, output: int) -> bool:
        """False at the end of the output."""
        try:
            found = os.read(output, 65_536)
        except BlockingIOError:
            return True
        self._count += len(found)
        self._tail = (self._tail + found)[-_TAIL:]
        return bool(found)


def _start(command: tuple[str, ...], environ: Mapping[str, str]) -> "subprocess.Popen[bytes]":
    try:
        child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environ,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise ActionFailed(f"{command[0]} cannot be run: {getattr(error, 'strerror', None) or error}") from error
    with suppress(OSError):  # the sandbox of the service forbids it
        os.setpriority(os.PRIO_PROCESS, child.pid, _NICE)
    with suppress(OSError):  # when memory runs out, it goes before the daemon
        Path(f"/proc/{child.pid}/oom_score_adj").write_text("1000")
    return child


def _give(child: "subprocess.Popen[bytes]", text: str) -> None:
    """One line on stdin. A pipe has room for it, so this never waits."""
    assert child.stdin is not None  # noqa: S101 - a pipe was asked for
    os.set_blocking(child.stdin.fileno(), False)
    with suppress(OSError):  # a command need not read it
        os.write(child.stdin.fileno(), f"{text}\n".encode())
    with suppress(OSError):
        child.stdin.close()


def _ask_to_end(child: "subprocess.Popen[bytes]") -> None:
    """SIGTERM to the whole group, and time to clear up."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGTERM)
    ended = os.pidfd_open(child.pid)
    try:
        with selectors.DefaultSelector() as one:
            one.register(ended, selectors.EVENT_READ)
            one.select(_GRACE_S)
    finally:
        os.close(ended)


def _kill_group(child: "subprocess.Popen[bytes]") -> None:
    """What it started goes with it. Called before it is reaped: until then its number is not used again."""
    if child.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)


def _reap(child: "subprocess.Popen[bytes]") -> int | None:
    """Its exit status; None if even SIGKILL does not end it, because a driver hangs."""
    try:
        return child.wait(1)
    except subprocess.TimeoutExpired:
        return None
