"""What the daemon takes of a core while there is little to do: a still scene at 720p and 30 frames/s, nobody watching.

python -m tests.bench.idle [--seconds 15]

The scene is one picture of the demo with a sensor's noise, fed in three ways: from memory with the model's input beside
it, as a Pi's scaler delivers it; through a pipe as raw yuv420; through a pipe as MJPEG, whose decoding is the camera's
price. The demo's film, which moves, is there for `--fps 1` alone.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import cv2

from tests.bench.still import scene
from tests.bench.viewers import usage
from vitcam.frames import Image

_FPS = 30
_SETTLE_S = 8.0  # the gate learns the scene, and rests after 3 s
_GATE = ("--set", "motion.enabled=true")
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


def share_of_core(feed: Feed, options: tuple[str, ...], seconds: float) -> float:
    """CPU time of the daemon over wall time, once it has settled."""
    command = [sys.executable, "-m", feed.module, "run", "--source", feed.source, "--log", "json", "--port", "0"]
    pictures = [feed.encode(picture) for picture in scene()] if feed.encode else []
    with subprocess.Popen(
        [*command, *options], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as child:
        try:
            _feed(child, pictures, _SETTLE_S)
            before, began = usage(child.pid).cpu_s, time.monotonic()
            _feed(child, pictures, seconds)
            return (usage(child.pid).cpu_s - before) / (time.monotonic() - began)
        finally:
            child.kill()


def _feed(child: "subprocess.Popen[bytes]", pictures: list[bytes], seconds: float) -> None:
    if child.stdin is None or not pictures:
        time.sleep(seconds)
        return
    began = time.monotonic()
    for number in range(round(seconds * _FPS)):
        time.sleep(max(0.0, began + number / _FPS - time.monotonic()))
        child.stdin.write(pictures[number % len(pictures)])
        child.stdin.flush()


def main() -> None:
    """Print a table."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.idle")
    options.add_argument("--seconds", type=float, default=15.0)
    o = options.parse_args()
    print("| a still scene, 720p at 30/s | with the motion gate | `--fps 1` |\n|---|---|---|")
    for feed in FEEDS:
        gate = f"{share_of_core(feed, _GATE, o.seconds):.1%}" if feed.still else "–"
        print(f"| {feed.name} | {gate} | {share_of_core(feed, _ONE, o.seconds):.1%} |", flush=True)


if __name__ == "__main__":
    main()
