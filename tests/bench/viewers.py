"""What many viewers cost: pictures each is served, what the model loses, CPU time and memory; and ustreamer beside it.

python -m tests.bench.viewers [--viewers 200] [--fps 10] [--seconds 20] [--width 640] [--overlay attention]
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.bench import ustreamer
from tests.daemon import Daemon, daemon

_SETTLE_S = 3.0
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


@dataclass(frozen=True, slots=True)
class Crowd:
    """Viewers, all of one stream."""

    count: int
    target: str
    seconds: float


def watch_crowd(running: Daemon, crowd: Crowd) -> tuple[dict[str, Any], Stretch]:
    """What the viewers were given, and what the daemon did meanwhile."""
    readers = read_streams(running.url.removeprefix("http://"), crowd.target, crowd.count, crowd.seconds)
    time.sleep(_SETTLE_S)
    seen = watch(running, crowd.seconds - 2)
    return json.loads(readers.communicate(timeout=60)[0]), seen


def show_what_the_model_loses(run: tuple[str, ...], crowd: Crowd) -> None:
    """The daemon at the camera's pace: nobody, one viewer, all of them."""
    print("| viewers | pictures/s each: least, median, most | classified /s | infer p50 ms | CPU | readers' | RSS MB |")
    print("|---|---|---|---|---|---|---|")
    with daemon(*run) as running:
        running.wait_for("ok")
        time.sleep(2)
        print(_row(0, None, watch(running, crowd.seconds / 2)), flush=True)
        for count in (1, crowd.count):
            print(_row(count, *watch_crowd(running, replace(crowd, count=count))), flush=True)


def show_beside_ustreamer(run: tuple[str, ...], crowd: Crowd, size: tuple[int, int], fps: int) -> None:
    """CPU of serving alone: the daemon's beyond what it takes with nobody there, and all that ustreamer takes."""
    print("\n| the same readers of | pictures/s each: least, median, most | kB each | CPU |\n|---|---|---|---|")
    with daemon(*run, "--fps", "1") as running:
        running.wait_for("ok")
        time.sleep(2)
        idle = watch(running, crowd.seconds / 2).cpu
        served, seen = watch_crowd(running, crowd)
    ours = seen.cpu - idle
    print(f"| vitcam, overlay drawn | {_each(served)} | {served['mean_kb']:.1f} | {ours:.1%} |", flush=True)
    if lacking := ustreamer.missing():
        print(f"| ustreamer | not measured: {lacking} not installed | | |")
        return
    with ustreamer.ustreamer(*size, fps) as (address, pid):
        readers = read_streams(address, "/stream", crowd.count, crowd.seconds)
        time.sleep(_SETTLE_S)
        before, began = usage(pid).cpu_s, time.monotonic()
        time.sleep(crowd.seconds - 2)
        theirs = (usage(pid).cpu_s - before) / (time.monotonic() - began)
        served = json.loads(readers.communicate(timeout=60)[0])
    print(f"| ustreamer, JPEG made by the CPU | {_each(served)} | {served['mean_kb']:.1f} | {theirs:.1%} |")
    print(f"\nvitcam takes {ours / theirs:.2f} times the CPU seconds of ustreamer; the readers' own are not counted")


def main() -> None:
    """Print both tables."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.viewers")
    options.add_argument("--viewers", type=int, default=200)
    options.add_argument("--fps", type=int, default=10)
    options.add_argument("--seconds", type=float, default=20.0)
    options.add_argument("--width", type=int, default=640)
    options.add_argument("--overlay", default="attention")
    o = options.parse_args()
    target = f"/stream?overlay={o.overlay}&width={o.width}&fps={o.fps}"
    run, crowd = ("--source", "demo:ram", "--realtime", "--loop"), Crowd(o.viewers, target, o.seconds)
    show_what_the_model_loses(run, crowd)
    show_beside_ustreamer(run, crowd, (o.width, o.width * 9 // 16), o.fps)


def _each(served: dict[str, Any]) -> str:
    rates = served["per_s"]
    return f"{min(rates):.1f}, {statistics.median(rates):.1f}, {max(rates):.1f}"


def _row(viewers: int, served: dict[str, Any] | None, seen: Stretch) -> str:
    each, readers = (_each(served), f"{served['cpu']:.0%}") if served else ("–", "–")
    memory = ", ".join(f"{mb:.0f}" for mb in seen.rss_mb)
    model = f"{seen.classified_per_s:.1f} | {seen.infer_ms:.1f} | {seen.cpu:.0%}"
    return f"| {viewers} | {each} | {model} | {readers} | {memory} |"


if __name__ == "__main__":
    main()
