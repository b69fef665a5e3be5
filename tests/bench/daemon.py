"""A real `vitcam run` as a child process, and its own figures."""

import json
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_START_TIMEOUT_S = 60


def free_port() -> int:
    """A TCP port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def get_json(url: str) -> dict[str, Any]:
    """The JSON object at `url`."""
    with urllib.request.urlopen(url, timeout=10) as answer:
        found: dict[str, Any] = json.load(answer)
        return found


@contextmanager
def running(*options: str) -> Iterator[str]:
    """Start `vitcam run` with these options; gives its address once it classifies."""
    url = f"http://127.0.0.1:{free_port()}"
    command = [sys.executable, "-m", "vitcam", "run", "--log", "json", "--port", url.rsplit(":", 1)[1], *options]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        _wait_until_it_classifies(url, child)
        yield url
    finally:
        child.terminate()
        child.communicate(timeout=10)


def _wait_until_it_classifies(url: str, child: "subprocess.Popen[str]") -> None:
    deadline = time.monotonic() + _START_TIMEOUT_S
    while time.monotonic() < deadline:
        if child.poll() is not None:
            raise RuntimeError(f"vitcam ended with {child.returncode}: {child.communicate()[1]}")
        try:
            if get_json(f"{url}/api/state")["frames"]["classified"] > 0:
                return
        except OSError:
            pass  # not listening yet
        time.sleep(0.1)
    raise RuntimeError(f"vitcam classified nothing within {_START_TIMEOUT_S} s")
