"""What many viewers cost: pictures each is served, what the model loses, CPU time and memory of the daemon.

python -m tests.bench.viewers [--viewers 200] [--fps 10] [--seconds 20] [--width 640] [--overlay attention]
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.daemon import Daemon, daemon

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Usage:
    """Of a process, since its start."""

    cpu_s: float
    rss_mb: float


def usage(pid: int) -> Usage:
    """From /proc, proc(5)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return Usage((int(fields[11]) + int(fields[12])) * _TICK_S, pages * os.sysconf("SC_PAGE_SIZE") / 2**20)


def read_streams(address: str, target: str, viewers: int, seconds: float) -> "subprocess.Popen[str]":
    """Viewers in a process of their own."""
    command = [sys.executable, "-m", "tests.bench.readers", address, target, str(viewers), str(seconds)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@dataclass(frozen=True, slots=True)
class Stretch:
    """What the daemon did in some seconds."""

    classified_per_s: float
    infer_ms: float
    cpu: float
    """Of one core."""
    rss_mb: tuple[float, float, float]
    """At the start, in the middle, at the end."""


def watch(running: Daemon, seconds: float) -> Stretch:
    """Measure a daemon."""
    pid, began = running.process.pid, time.monotonic()
    first, count = usage(pid), running.state()["frames"]["classified"]
    time.sleep(seconds / 2)
    middle = usage(pid)
    time.sleep(seconds / 2)
    last, state, took = usage(pid), running.state(), time.monotonic() - began
    return Stretch(
        (state["frames"]["classified"] - count) / took,
        state["ms"]["infer"]["p50"],
        (last.cpu_s - first.cpu_s) / took,
        (first.rss_mb, middle.rss_mb, last.rss_mb),
    )


def main() -> None:
    """Print a table: nobody, one viewer, all of them."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.viewers")
    options.add_argument("--viewers", type=int, default=200)
    options.add_argument("--fps", type=int, default=10)
    options.add_argument("--seconds", type=float, default=20.0)
    options.add_argument("--width", type=int, default=640)
    options.add_argument("--overlay", default="attention")
    o = options.parse_args()
    target = f"/stream?overlay={o.overlay}&width={o.width}&fps={o.fps}"
    print("| viewers | pictures/s each: least, median, most | classified /s | infer p50 ms | CPU | RSS MB |")
    print("|---|---|---|---|---|---|")
    with daemon("--source", "demo:ram", "--realtime", "--loop") as running:
        running.wait_for("ok")
        time.sleep(2)
        print(_row(0, None, watch(running, o.seconds / 2)), flush=True)
        for viewers in (1, o.viewers):
            readers = read_streams(running.url.removeprefix("http://"), target, viewers, o.seconds)
            time.sleep(3)
            seen = watch(running, o.seconds - 2)
            print(_row(viewers, json.loads(readers.communicate(timeout=60)[0]), seen), flush=True)


def _row(viewers: int, served: dict[str, Any] | None, seen: Stretch) -> str:
    rates = served["per_s"] if served else []
    each = f"{min(rates):.1f}, {statistics.median(rates):.1f}, {max(rates):.1f}" if rates else "–"
    memory = ", ".join(f"{mb:.0f}" for mb in seen.rss_mb)
    return f"| {viewers} | {each} | {seen.classified_per_s:.1f} | {seen.infer_ms:.1f} | {seen.cpu:.0%} | {memory} |"


if __name__ == "__main__":
    main()
