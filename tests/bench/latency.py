"""From capture to prediction at the camera's pace: how long after its capture a frame is known.

python -m tests.bench.latency [--seconds 30] [--threads 2] [--model everyday]

`demo:ram` at 720p, 30 frames/s, one viewer of the overlay at 640 px. The bound is the median
inference of the same run plus one frame interval.
"""

import argparse
import json
import time
import urllib.request

import numpy as np

from tests.bench.throughput import one_viewer
from tests.daemon import daemon

_INTERVAL_MS = 1000 / 30


def follow(url: str, seconds: float) -> list[dict[str, float]]:
    """The timings of every prediction that `/api/predictions` tells of in some seconds, in ms."""
    found, end = [], time.monotonic() + seconds
    with urllib.request.urlopen(f"{url}/api/predictions", timeout=30) as events:
        while time.monotonic() < end:
            line = events.readline()
            record = json.loads(line.removeprefix(b"data: ")) if line.startswith(b"data: ") else {}
            if record.get("type") == "prediction":
                found.append(record["ms"])
    return found


def main() -> None:
    """Print a table."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.latency")
    options.add_argument("--seconds", type=float, default=30.0)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--model", default="everyday")
    o = options.parse_args()
    run = ("--source", "demo:ram", "--realtime", "--loop", "--threads", str(o.threads), "--model", o.model)
    with daemon(*run) as running:
        running.wait_for("ok")
        with one_viewer(running.url):
            time.sleep(2)
            timings = follow(running.url, o.seconds)
        state = running.state()
    print(f"{len(timings)} predictions, {state['frames']['dropped']} frames dropped\n")
    print("| ms | p50 | p90 | p99 |\n|---|---|---|---|")
    for stage in ("infer", "total"):
        p50, p90, p99 = np.percentile([each[stage] for each in timings], (50, 90, 99))
        name = "capture to prediction" if stage == "total" else "inference"
        print(f"| {name} | {p50:.1f} | {p90:.1f} | {p99:.1f} |")
    p50 = np.median([each["infer"] for each in timings])
    print(f"\np99 of capture to prediction may be {p50 + _INTERVAL_MS:.1f} ms: the median inference and one interval")


if __name__ == "__main__":
    main()
