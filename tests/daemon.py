"""A real `vitcam run` as a child process, and what it says of itself over HTTP."""

import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tests.eventually import eventually

_START_TIMEOUT_S = 60.0
_FPS = 8.0


@dataclass
class Daemon:
    """A running child."""

    url: str
    process: "subprocess.Popen[bytes]"
    _errors: IO[bytes]

    def state(self) -> dict[str, Any]:
        """What `/api/state` says."""
        return get_json(f"{self.url}/api/state")

    def wait_for(self, status: str, timeout_s: float = _START_TIMEOUT_S) -> dict[str, Any]:
        """The state once it has this status. Raises AssertionError if that takes too long, or the child ends."""
        eventually(lambda: self._status() == status or self.process.poll() is not None, timeout_s, every_s=0.05)
        assert self._status() == status, f"exit code {self.process.poll()}, {self.errors()}"
        return self.state()

    def _status(self) -> str:
        try:
            return str(self.state()["status"])
        except OSError:
            return "not listening"

    def end(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, float]:
        """Send a signal; the exit code and how many seconds the end took."""
        started = time.monotonic()
        self.process.send_signal(number)
        return self.process.wait(30), time.monotonic() - started

    def peak_memory(self) -> int:
        """Bytes that it and its child processes that run now have had in memory at most, each counted by itself."""
        return sum(_peak(pid) for pid in [self.process.pid, *self.children()])

    def children(self, module: str = "vitcam.") -> list[int]:
        """Its child processes that run a module whose name begins so."""
        listed = " ".join(path.read_text() for path in Path(f"/proc/{self.process.pid}/task").glob("*/children"))
        return [pid for pid in map(int, listed.split()) if module.encode() in _command_line(pid)]

    def errors(self) -> str:
        """What it said to people so far. The child writes where the shared position of the file is: it stays."""
        descriptor = self._errors.fileno()
        return os.pread(descriptor, os.fstat(descriptor).st_size, 0).decode(errors="replace")


def _command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except FileNotFoundError:  # it has ended meanwhile
        return b""


def _peak(pid: int) -> int:
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


def free_port() -> int:
    """A TCP port that nobody listens on, below those that outgoing connections take (ip_local_port_range)."""
    for port in random.sample(range(20_000, 32_768), 100):
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("none of 100 ports was free")


def get_json(url: str) -> dict[str, Any]:
    """The JSON object at `url`."""
    with urllib.request.urlopen(url, timeout=10) as answer:
        found: dict[str, Any] = json.load(answer)
        return found


def first_message(url: str, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The state that a daemon sends first to everybody who listens."""
    request = urllib.request.Request(f"{url}/api/predictions?predictions=0", headers=headers or {})
    with urllib.request.urlopen(request, timeout=60) as messages:
        found: dict[str, Any] = json.loads(next(line for line in messages if line.startswith(b"data: {"))[6:])
    return found


def answer_to(
    url: str, body: object, method: str = "POST", headers: Mapping[str, str] | None = None
) -> tuple[int, dict[str, Any]]:
    """Send bytes or a text as it is, anything else as JSON. The status and the JSON of the answer, or of a refusal."""
    data = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
    request = urllib.request.Request(url, data, headers or {}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code, json.load(refusal)


def status_of(url: str) -> int:
    """The HTTP status at `url`, also where it is an error."""
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code


@contextmanager
def daemon(
    *options: str, python: str = sys.executable, stdout: str = os.devnull, **environment: str
) -> Iterator[Daemon]:
    """Start `vitcam run` with these options on a port of its own; kills it at the end if it still runs.

    In a test without a configuration of its own it classifies 8 frames/s at most, unless an option says another rate:
    at full rate each daemon takes all cores from the tests beside it. A measurement gets what the machine has.

    python  the interpreter whose vitcam it is
    stdout  path of what it writes to
    """
    port = free_port()
    command = [python, "-P", "-m", "vitcam", "run", "--log", "json", "--port", str(port), *options]
    env = {key: value for key, value in os.environ.items() if not key.startswith("VITCAM_")}
    if "PYTEST_CURRENT_TEST" in os.environ and {"--no-realtime", "--config"}.isdisjoint(options):
        env["VITCAM_MODEL_FPS"] = str(_FPS)
    env |= {"XDG_CONFIG_HOME": "/nonexistent"} | environment
    with tempfile.TemporaryFile() as errors, Path(stdout).open("wb") as out:
        child = subprocess.Popen(command, stdout=out, stderr=errors, env=env)
        try:
            yield Daemon(f"http://127.0.0.1:{port}", child, errors)
        finally:
            child.kill()
            child.wait(30)
