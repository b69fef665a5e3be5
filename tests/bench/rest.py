"""What a still camera costs, by the processor time of the daemon and its children: nobody watches, and one viewer.

python -m tests.bench.rest [--seconds 20] [--cameras mjpeg,usb,rtsp,picamera] [--set look.rest=0]
python -m tests.bench.rest --first 20       how soon the first look comes at something that appears
python -m tests.bench.rest --events 10 [--skip 10]    events of two clips and of so many drawn cameras, ten minutes
                                                      each, beside those at full rate

The scene is one picture of the demo at 720p with a sensor's noise. Its camera is a process of its own, but picamera2's
stand-in: it hands out pictures that were made before, in the daemon's child, and its own time counts, too.
"""

import argparse
import json
import time
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from datetime import datetime
from http.client import HTTPResponse
from pathlib import Path
from types import MappingProxyType

import numpy as np

from tests.bench import still_cameras
from tests.bench.rest_events import show_events
from tests.bench.still_cameras import SwitchedCamera
from tests.bench.throughput import one_viewer
from tests.bench.viewers import usage
from tests.daemon import Daemon, daemon
from tests.eventually import eventually
from tests.http_camera import server

_SETTLE_S = 8.0
_VIEW = "/stream?fps=15"
CAMERAS: Mapping[str, tuple[str, "Callable[[Path, int], object]", int]] = MappingProxyType(
    {
        "mjpeg": ("MJPEG by HTTP, 15/s", still_cameras.http_mjpeg, 15),
        "usb": ("USB, MJPG, 15/s", still_cameras.usb_mjpeg, 15),
        "rtsp": ("RTSP, H.264, 15/s", still_cameras.rtsp_h264, 15),
        "picamera": ("picamera2's stand-in, 30/s", still_cameras.picamera, 30),
    }
)


def share_of_a_core(running: Daemon, seconds: float) -> float:
    """Of the daemon and of its children that live all the time."""
    pids = [running.process.pid, *running.children()]
    before, began = sum(usage(pid).cpu_s for pid in pids), time.monotonic()
    time.sleep(seconds)
    return (sum(usage(pid).cpu_s for pid in pids) - before) / (time.monotonic() - began)


def show_first_looks(count: int, rest_s: float) -> None:
    """Print how long it takes from the first picture that shows something until a look at it is told."""
    camera, took_s = SwitchedCamera(), list[float]()
    with server(camera.answer) as port:
        run = ("--source", f"http://127.0.0.1:{port}/stream", "--set", f"look.rest={rest_s}", "--log", "json")
        with daemon(*run) as running:
            running.wait_for("ok")
            with urllib.request.urlopen(f"{running.url}/api/predictions", timeout=60) as told:
                for number in range(count):
                    if not eventually(lambda: running.state()["resting_since"] is not None, every_s=0.2):
                        raise RuntimeError("the camera does not rest")
                    time.sleep(1 + number % 7 / 3)
                    took_s.append(_first_look(camera, told))
        camera.shows = []
    median, p95 = np.percentile(took_s, (50, 95))
    print("| first look at what appears, MJPEG at 15/s | median | p95 | worst |\n|---|---|---|---|")
    print(f"| {count} times | {median:.3f} s | {p95:.3f} s | {max(took_s):.3f} s |")


def _first_look(camera: SwitchedCamera, told: HTTPResponse) -> float:
    sent_s = camera.switch()
    while True:
        line = told.readline()
        record = json.loads(line.removeprefix(b"data: ")) if line.startswith(b"data: ") else {}
        if record.get("type") == "prediction" and datetime.fromisoformat(record["time"]).timestamp() >= sent_s:
            return time.time() - sent_s


def main() -> None:
    """Print a table."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.rest")
    options.add_argument("--seconds", type=float, default=20.0)
    options.add_argument("--cameras", default=",".join(CAMERAS))
    options.add_argument("--set", action="append", default=[], help="A setting of the daemon, as in vitcam run.")
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--events", type=int, default=0)
    options.add_argument("--skip", type=int, default=0, help="Drawn cameras that were measured before.")
    options.add_argument("--rest", type=float, default=2.0)
    options.add_argument("--follow", choices=("off", "motion"), default="motion", help="With --events.")
    o = options.parse_args()
    if o.first:
        return show_first_looks(o.first, o.rest)
    if o.events:
        return show_events(o.events, o.skip, o.rest, o.follow)
    sets = [word for each in o.set for word in ("--set", each)]
    print("| a still scene, 720p | nobody watches | one viewer |\n|---|---|---|")
    for name in o.cameras.split(","):
        said, kind, fps = CAMERAS[name]
        found = []
        with still_cameras.ready(kind, fps) as camera:
            for watched in (False, True):
                run = ("--source", camera.source, *camera.options, *sets)
                with daemon(*run, **camera.environment) as running:
                    running.wait_for("ok")
                    with one_viewer(running.url, _VIEW) if watched else nullcontext():
                        time.sleep(_SETTLE_S)
                        found.append(share_of_a_core(running, o.seconds))
        print(f"| {said} | {found[0]:.1%} | {found[1]:.1%} |", flush=True)
    return None


if __name__ == "__main__":
    main()
