"""What a still camera costs, by the processor time of the daemon and its children: nobody watches, and one viewer.

python -m tests.bench.rest [--seconds 20] [--cameras mjpeg,usb,rtsp,picamera] [--set look.rest=0]

The scene is one picture of the demo at 720p with a sensor's noise. Its camera is a process of its own, but picamera2's
stand-in: it hands out pictures that were made before, in the daemon's child, and its own time counts, too.
"""

import argparse
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from types import MappingProxyType

from tests.bench import still_cameras
from tests.bench.throughput import one_viewer
from tests.bench.viewers import usage
from tests.daemon import Daemon, daemon

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


def main() -> None:
    """Print a table."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.rest")
    options.add_argument("--seconds", type=float, default=20.0)
    options.add_argument("--cameras", default=",".join(CAMERAS))
    options.add_argument("--set", action="append", default=[], help="A setting of the daemon, as in vitcam run.")
    o = options.parse_args()
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


if __name__ == "__main__":
    main()
