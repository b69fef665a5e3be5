"""What each of many cameras takes of one machine: the fleet of `examples/fleet`, with its broker and its Prometheus.

python -m tests.bench.fleet [--cameras 20] [--fps 2] [--seconds 30]

Each camera is a daemon that plays the demo's film and classifies so many frames/s of it. Printed are the time of the
processor and the memory of each, and of broker and Prometheus. The memory that a process has alone is counted whole,
pages that several share by their share (PSS, proc(5)): only so the rows may be added up.
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.viewers import usage
from tests.daemon import free_port, get_json
from tests.eventually import eventually

_ROOT = Path(__file__).parents[2]
_START_S = 600.0


@dataclass(frozen=True, slots=True)
class Taken:
    """By a process and its children."""

    cpu_s: float
    rss_mb: float
    pss_mb: float


def taken(pid: int) -> Taken:
    """So far, and now."""
    pids = [pid, *_children(pid)]
    used = [usage(each) for each in pids]
    return Taken(sum(each.cpu_s for each in used), sum(each.rss_mb for each in used), sum(map(_pss_mb, pids)))


def _children(pid: int) -> list[int]:
    listed = " ".join(path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children"))
    return [int(each) for each in listed.split()]


def _pss_mb(pid: int) -> float:
    found = re.search(r"^Pss:\s+(\d+) kB", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
    return int(found[1]) / 1024 if found else 0.0


@contextmanager
def fleet(folder: Path, cameras: int, fps: float) -> Iterator[dict[str, Any]]:
    """Start one; what it notes down of itself, once every camera classifies."""
    line = f'["demo", "--fps", "{fps:g}"]'
    (folder / "cameras.toml").write_text("[here]\n" + "".join(f"camera-{n:02} = {line}\n" for n in range(cameras)))
    ports = [word for name in ("broker-port", "prometheus-port") for word in (f"--{name}", str(free_port()))]
    command = [sys.executable, "-m", "examples.fleet", "run", "--cameras", str(folder / "cameras.toml")]
    command += ["--folder", str(folder / "kept"), *ports, "--first-port", str(free_port())]
    own = {**os.environ, "XDG_CONFIG_HOME": "/nonexistent"}
    with subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.DEVNULL, env=own) as child:
        try:
            noted = folder / "kept/fleet.json"
            assert eventually(noted.exists)
            record: dict[str, Any] = json.loads(noted.read_text())
            assert eventually(lambda: all(map(_sees, record["cameras"].values())), _START_S, 1.0)
            yield {**record, "pid": child.pid}
        finally:
            child.send_signal(signal.SIGTERM)
            child.wait(60)


def _sees(camera: dict[str, Any]) -> bool:
    try:
        return bool(get_json(f"{camera['address']}/api/state")["frames"]["classified"] > 0)
    except OSError:
        return False


def _classified(camera: dict[str, Any]) -> int:
    return int(get_json(f"{camera['address']}/api/state")["frames"]["classified"])


def main() -> None:
    """Print a table."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.fleet")
    options.add_argument("--cameras", type=int, default=20)
    options.add_argument("--fps", type=float, default=2.0)
    options.add_argument("--seconds", type=float, default=30.0)
    o = options.parse_args()
    with tempfile.TemporaryDirectory() as name, fleet(Path(name), o.cameras, o.fps) as record:
        cameras = record["cameras"]
        pids = {each: camera["pid"] for each, camera in cameras.items()}
        others = set(_children(record["pid"])) - set(pids.values())
        pids |= {Path(f"/proc/{pid}/comm").read_text().strip(): pid for pid in others}
        counts = {each: _classified(camera) for each, camera in cameras.items()}
        before, began = {each: taken(pid) for each, pid in pids.items()}, time.monotonic()
        time.sleep(o.seconds)
        after, took_s = {each: taken(pid) for each, pid in pids.items()}, time.monotonic() - began
        counts = {each: _classified(camera) - counts[each] for each, camera in cameras.items()}
    print(f"{o.cameras} cameras, {o.fps:g} frames/s asked of each, {took_s:.0f} s\n")
    print("| | frames/s | processor, s | of a core | ms a frame | RSS, MB | PSS, MB |\n|---|---|---|---|---|---|---|")
    for each, late in after.items():
        cpu_s, frames = late.cpu_s - before[each].cpu_s, counts.get(each)
        rate, ms = ("", "") if not frames else (f"{frames / took_s:.2f}", f"{1000 * cpu_s / frames:.0f}")
        memory = f"{late.rss_mb:.0f} | {late.pss_mb:.0f}"
        print(f"| {each} | {rate} | {cpu_s:.2f} | {cpu_s / took_s:.1%} | {ms} | {memory} |")
    cpu_s = sum(late.cpu_s - before[each].cpu_s for each, late in after.items())
    rss_mb, pss_mb = (sum(getattr(late, kind) for late in after.values()) for kind in ("rss_mb", "pss_mb"))
    rate = f"{sum(counts.values()) / took_s:.1f}"
    print(f"| all | {rate} | {cpu_s:.1f} | {cpu_s / took_s:.0%} | | {rss_mb:.0f} | {pss_mb:.0f} |")


if __name__ == "__main__":
    main()
