"""The same rude clients at vitcam, and at Debian's ustreamer and motion: who still serves a good client, and how fast.

python -m tests.bench.crowds [--seconds 15]

All show the demo's pictures, 640×360 at 10/s. The good client watches the stream and sends a short request ten times a
second. Everything stays on this machine.
"""

import argparse
import http.client
import json
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.bench.motion import missing as motion_missing
from tests.bench.motion import motion
from tests.bench.readers import Reader
from tests.bench.ustreamer import missing as ustreamer_missing
from tests.bench.ustreamer import ustreamer
from tests.daemon import daemon
from tests.own_state import own_state
from tests.soak.camera import FaultyCamera
from tests.soak.gauge import read

_SIZE, _FPS = (640, 360), 10
_ASK_EVERY_S = 0.1
_TIMEOUT_S = 5.0
CROWDS = {
    "nobody else": ("left_open", 0),
    "50 that never read": ("never_read", 50),
    "500 connections opened and left": ("left_open", 500),
    "20 requests of a byte a second": ("byte_by_byte", 20),
    "10,000 short requests": ("short_requests", 10_000),
}


@dataclass(frozen=True)
class Server:
    """One to compare."""

    name: str
    start: Callable[[], AbstractContextManager[tuple[str, int]]]
    """Gives HOST:PORT and the process's id."""
    stream: str
    short: str
    """What the short requests ask for: the smallest thing that it serves."""
    missing: str = ""


@dataclass
class GoodClient:
    """Watches the stream, and sends short requests, until it is told to end."""

    address: str
    stream: str
    short: str
    ms: list[float] = field(default_factory=list)
    refused: int = 0
    pictures: int = 0
    ended: threading.Event = field(default_factory=threading.Event)

    def watch(self) -> None:
        """Count pictures; connect again if the server hangs up."""
        host, port = self.address.split(":")
        buffer = bytearray(1 << 20)
        while not self.ended.is_set():
            try:
                reader = Reader(host, int(port), self.stream)
                reader.socket.settimeout(0.5)
                with reader.socket:
                    while not self.ended.is_set():
                        before = reader.parts
                        self._read(reader, buffer)
                        self.pictures += reader.parts - before
            except OSError:
                self.ended.wait(0.2)

    def _read(self, reader: Reader, buffer: bytearray) -> None:
        try:
            reader.read(buffer)
        except TimeoutError:
            return

    def ask(self) -> None:
        """Short requests, each in a connection of its own."""
        while not self.ended.wait(_ASK_EVERY_S):
            began = time.monotonic()
            connection = http.client.HTTPConnection(self.address, timeout=_TIMEOUT_S)
            try:
                connection.request("GET", self.short)
                with connection.getresponse() as answer:
                    answer.read()
                    self.refused += answer.status != 200
                self.ms.append((time.monotonic() - began) * 1e3)
            except (OSError, http.client.HTTPException):
                self.refused += 1
            finally:
                connection.close()


def measure(server: Server, address: str, pid: int, crowd: tuple[str, int], seconds: float) -> str:
    """The cells of one row: pictures/s, the short request, memory, what became of the crowd."""
    kind, count = crowd
    good = GoodClient(address, server.stream, server.short)
    threads = [threading.Thread(target=each) for each in (good.watch, good.ask)]
    for thread in threads:
        thread.start()
    target = server.stream if kind == "never_read" else server.short
    command = [sys.executable, "-m", "tests.bench.rude", kind, address, target, str(count), str(seconds)]
    began, most_mb = time.monotonic(), 0.0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as rude:
        while rude.poll() is None:
            most_mb = max(most_mb, read(pid, 0).memory_mb)
            time.sleep(0.3)
        came: dict[str, Any] = json.loads(rude.stdout.read()) if rude.stdout else {}
    took_s = time.monotonic() - began
    good.ended.set()
    for thread in threads:
        thread.join(2 * _TIMEOUT_S)
    slowest = f"{statistics.median(good.ms):.0f}, {max(good.ms):.0f} ms" if good.ms else "–"
    answered = f"{len(good.ms)} of {len(good.ms) + good.refused}"
    return f"{good.pictures / took_s:.1f} | {answered} answered | {slowest} | {most_mb:.0f} MB | {_became(came)}"


def _became(came: dict[str, Any]) -> str:
    if not came.get("came"):
        return "–"
    if "answered" in came:
        return f"{came['answered']} answered, {came['answered'] / came['took_s']:.0f}/s"
    return f"{came['connected']} connected, {came['still open']} still open at the end"


@contextmanager
def vitcam(camera: str) -> Iterator[tuple[str, int]]:
    """The daemon, with its model at one picture a second: serving is compared."""
    with daemon("--source", camera, "--fps", "1") as running:
        running.wait_for("ok")
        yield running.url.removeprefix("http://"), running.process.pid


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.crowds")
    options.add_argument("--seconds", type=float, default=15.0)
    o = options.parse_args()
    print(
        "| server | besides the good client | pictures/s | its short requests | median, slowest | memory | the rest |"
    )
    print("|---|---|---|---|---|---|---|")
    with own_state(), FaultyCamera(_FPS, _SIZE, pictures=64) as camera:
        servers = (
            Server("vitcam", lambda: vitcam(camera.url), "/stream?overlay=none", "/healthz"),
            Server("ustreamer", lambda: ustreamer(*_SIZE, _FPS), "/stream", "/state", ustreamer_missing()),
            Server("motion", lambda: motion(camera.url, *_SIZE, _FPS), "/stream", "/current", motion_missing()),
        )
        for server in servers:
            if server.missing:
                print(f"| {server.name} | not measured: {server.missing} not installed | | | | | |")
                continue
            for name, crowd in CROWDS.items():
                with server.start() as (address, pid):
                    time.sleep(2)
                    print(f"| {server.name} | {name} | {measure(server, address, pid, crowd, o.seconds)} |", flush=True)


if __name__ == "__main__":
    main()
