"""A daemon that is fuzzed, and what must hold of it afterwards."""

import re
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.daemon import Daemon, daemon
from tests.eventually import eventually
from tests.fuzz.outcome import Outcome

_PATIENCE_S = 15.0
"""Within which a good client is answered, however busy this machine is with the fuzzing itself."""
_MOST_GROWTH = {"MB of memory": 48, "descriptors": 12, "threads": 10}


class GoodClient:
    """Asks for a small answer again and again, and notes when none comes."""

    def __init__(self, url: str, outcome: Outcome) -> None:
        self._url, self._outcome = url, outcome
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.asked = 0

    def __enter__(self) -> "GoodClient":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(_PATIENCE_S * 2)

    def ask(self) -> None:
        """Ask once."""
        self.asked += 1
        try:
            with urllib.request.urlopen(f"{self._url}/readyz", timeout=_PATIENCE_S) as answer:
                answer.read()
        except OSError as error:
            self._outcome.found(self.asked, f"a good client was not served: {error}")

    def _run(self) -> None:
        while not self._over.wait(0.5):
            self.ask()


@contextmanager
def watched(outcome: Outcome) -> Iterator[Daemon]:
    """A daemon for wrong requests: afterwards it must live, serve, not have grown, and have logged no traceback."""
    with daemon("--source", "demo", "--loop", "--threads", "1", "--fps", "8") as running:
        running.wait_for("ok")
        before = None
        with GoodClient(running.url, outcome) as client:
            started = time.monotonic()
            _warm_up(running.url)
            before = _size(running)
            yield running
            outcome.seconds = time.monotonic() - started
            client.ask()
        _judge(running, before, outcome)


def _warm_up(url: str) -> None:
    """What is loaded when it is first needed is no leak."""
    photo = (Path(__file__).parents[2] / "models" / "golden" / "coffee.jpg").read_bytes()
    for target, body in (
        ("/snapshot.jpg", None),
        ("/openapi.json", None),
        ("/api/classify", photo),
        ("/api/explain", photo),
    ):
        for _ in range(5):
            with urllib.request.urlopen(urllib.request.Request(url + target, body), timeout=30) as answer:
                answer.read()


def _judge(running: Daemon, before: dict[str, int], outcome: Outcome) -> None:
    if (code := running.process.poll()) is not None:
        outcome.found(-1, f"the daemon ended with {code}: {running.errors()[-2000:]}")
        return
    # connections end a moment after their clients have left
    eventually(lambda: not _grown(before, _size(running)), _PATIENCE_S, every_s=0.5)
    if grown := _grown(before, _size(running)):
        outcome.found(-1, f"it grew: {grown}")
    said = running.errors()
    if "Traceback" in said:
        outcome.found(-1, f"a traceback: {said[said.index('Traceback') - 300 :][:1500]}")


def _grown(before: dict[str, int], after: dict[str, int]) -> str:
    return ", ".join(
        f"{after[name] - before[name]} {name} more"
        for name, most in _MOST_GROWTH.items()
        if after[name] - before[name] > most
    )


def _size(running: Daemon) -> dict[str, int]:
    process = Path(f"/proc/{running.process.pid}")
    memory = re.search(r"VmRSS:\s+(\d+) kB", (process / "status").read_text())
    return {
        "MB of memory": int(memory[1]) // 1024 if memory else 0,
        "descriptors": len(list((process / "fd").iterdir())),
        "threads": len(list((process / "task").iterdir())),
    }
