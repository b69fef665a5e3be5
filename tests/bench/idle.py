"""What the daemon takes of a core while there is little to do: a still scene at 720p and 30 frames/s, nobody watching.

python -m tests.bench.idle [--seconds 15] [--day]

`--day` measures what it costs to leave it on, from the same scene: hours of a core and MB written to disks, per day,
and how many lines it logged meanwhile. Lines become rarer the longer nothing changes (test_log_volume.py).

The scene is one picture of the demo with a sensor's noise, fed in three ways: from memory with the model's input beside
it, as a Pi's scaler delivers it; through a pipe as raw yuv420; through a pipe as MJPEG, whose decoding is the camera's
price. The demo's film, which moves, is there for `--fps 1` alone.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cv2

from tests.bench.still import scene
from tests.bench.viewers import usage
from vitcam.frames import Image

_FPS = 30
_DAY_S = 86400
_SETTLE_S = 8.0  # the gate learns the scene, and rests after 3 s
_GATE = ("--set", "look.rest=1")
_ONE = ("--fps", "1")


@dataclass(frozen=True, slots=True)
class Feed:
    """A way to give the daemon its pictures."""

    name: str
    module: str
    source: str
    encode: Callable[[Image], bytes] | None = None
    """For what goes through a pipe."""
    still: bool = True


def _yuv420(picture: Image) -> bytes:
    return bytes(cv2.cvtColor(picture, cv2.COLOR_RGB2YUV_I420))


def _jpeg(picture: Image) -> bytes:
    return bytes(cv2.imencode(".jpg", cv2.cvtColor(picture, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, 85])[1])


FEEDS = (
    Feed("from memory, as a Pi's scaler delivers it", "tests.bench.still", "still"),
    Feed("raw yuv420 through a pipe", "vitcam", "-:yuv420:1280x720", _yuv420),
    Feed("MJPEG through a pipe", "vitcam", "-", _jpeg),
    Feed("the demo's film, H.264", "vitcam", "demo", still=False),
)


@dataclass(frozen=True, slots=True)
class Rest:
    """What a daemon at rest took, per second."""

    cores: float
    written_bytes: float
    log_lines: float


def at_rest(feed: Feed, options: tuple[str, ...], seconds: float) -> Rest:
    """Measure a daemon once it has settled."""
    command = [sys.executable, "-m", feed.module, "run", "--source", feed.source, "--log", "json", "--port", "0"]
    pictures = [feed.encode(picture) for picture in scene()] if feed.encode else []
    with (
        tempfile.NamedTemporaryFile(dir="/dev/shm") as log,  # so that its bytes are none of a disk
        subprocess.Popen([*command, *options], stdin=subprocess.PIPE, stdout=log, stderr=log) as child,
    ):
        try:
            _feed(child, pictures, _SETTLE_S)
            before, began = _counts(child.pid, log.name), time.monotonic()
            _feed(child, pictures, seconds)
            after, took_s = _counts(child.pid, log.name), time.monotonic() - began
        finally:
            child.kill()
    return Rest(*((late - early) / took_s for early, late in zip(before, after, strict=True)))


def _counts(pid: int, log: str) -> tuple[float, float, float]:
    """Time of the cores in s, bytes written to disks, lines of the log; it has no child at rest."""
    io = dict(line.split(": ") for line in Path(f"/proc/{pid}/io").read_text().splitlines())
    return usage(pid).cpu_s, float(io["write_bytes"]), Path(log).read_bytes().count(b"\n")


def _feed(child: "subprocess.Popen[bytes]", pictures: list[bytes], seconds: float) -> None:
    if child.stdin is None or not pictures:
        time.sleep(seconds)
        return
    began = time.monotonic()
    for number in range(round(seconds * _FPS)):
        time.sleep(max(0.0, began + number / _FPS - time.monotonic()))
        child.stdin.write(pictures[number % len(pictures)])
        child.stdin.flush()


def show_days(seconds: float) -> None:
    """Print what a day costs, where the scaler makes the model's input."""
    print(
        "| a still scene, nobody watches | hours of a core a day | MB written a day | lines logged |\n|---|---|---|---|"
    )
    for name, options in {"every frame": (), "with the motion gate": _GATE, "`--fps 1`": _ONE}.items():
        rest = at_rest(FEEDS[0], options, seconds)
        logged = f"{rest.log_lines * seconds:.0f} in {seconds:.0f} s"
        print(f"| {name} | {rest.cores * 24:.1f} | {rest.written_bytes * _DAY_S / 1e6:.2f} | {logged} |", flush=True)


def main() -> None:
    """Print a table."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.idle")
    options.add_argument("--seconds", type=float, default=15.0)
    options.add_argument("--day", action="store_true", help="Measure what a day costs.")
    o = options.parse_args()
    if o.day:
        return show_days(o.seconds)
    print("| a still scene, 720p at 30/s | with the motion gate | `--fps 1` |\n|---|---|---|")
    for feed in FEEDS:
        gate = f"{at_rest(feed, _GATE, o.seconds).cores:.1%}" if feed.still else "–"
        print(f"| {feed.name} | {gate} | {at_rest(feed, _ONE, o.seconds).cores:.1%} |", flush=True)
    return None


if __name__ == "__main__":
    main()
