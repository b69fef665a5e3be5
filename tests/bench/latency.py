"""From capture to prediction at the camera's pace, beside a bare interpreter at the same pace.

python -m tests.bench.latency [--turns 10] [--seconds 6] [--threads 2] [--model everyday]

`demo:ram` at 720p, 30 frames/s, one viewer of the overlay at 640 px. The bare interpreter sleeps until a frame is due,
and does nothing else: what its inferences vary by is the machine's. Both are there all the time, and take turns.
"""

import argparse
import json
import signal
import time
import urllib.request
from collections.abc import Sequence

import numpy as np

from tests.bench.throughput import answer_of, bare_interpreter, one_viewer
from tests.daemon import daemon

_INTERVAL_MS = 1000 / 30
_AWAKE_S = 2.0  # until a daemon that slept is at its pace again
PACED = """
import json, sys, time
import numpy as np
from vitcam.model.files import find_model
from vitcam.model.runtime import open_interpreter
graph = open_interpreter(find_model(sys.argv[1]), int(sys.argv[2]))
image = np.random.default_rng(0).integers(0, 256, graph.inputs[0].shape[1:], np.uint8)
graph.set_input(image)
graph.invoke()
print("ready", flush=True)
for _ in sys.stdin:
    found, spent_s, due_s = [], time.process_time(), time.monotonic()
    ends_s = due_s + float(sys.argv[3])
    while due_s < ends_s:
        due_s = max(due_s, time.monotonic() - 1 / 30) + 1 / 30
        time.sleep(max(0.0, due_s - time.monotonic()))
        began_s = time.monotonic()
        graph.set_input(image)
        graph.invoke()
        over_s = time.monotonic()
        found.append({"infer": 1000 * (over_s - began_s), "total": 1000 * (over_s - due_s)})
    cpu_ms = 1000 * (time.process_time() - spent_s) / len(found)
    print(json.dumps({"looks": found, "cpu_ms": cpu_ms}), flush=True)
"""
"""A bare interpreter at the pace of a camera: times of each inference, and processor time of one, in ms."""


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
    options.add_argument("--turns", type=int, default=10)
    options.add_argument("--seconds", type=float, default=6.0)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--model", default="everyday")
    o = options.parse_args()
    run = ("--source", "demo:ram", "--realtime", "--loop", "--threads", str(o.threads), "--model", o.model)
    ours: list[dict[str, float]] = []
    others: list[dict[str, float]] = []
    with bare_interpreter(o.model, o.threads, o.seconds, PACED) as bare, daemon(*run) as running:
        running.wait_for("ok")
        with one_viewer(running.url):
            for _ in range(o.turns):
                time.sleep(_AWAKE_S)
                ours += follow(running.url, o.seconds)
                running.process.send_signal(signal.SIGSTOP)
                others += json.loads(answer_of(bare))["looks"]
                running.process.send_signal(signal.SIGCONT)
        state = running.state()
    print(f"{len(ours)} predictions, {state['frames']['dropped']} frames dropped\n")
    print("| ms | p50 | p90 | p99 | p99 / p50 of the inference |\n|---|---|---|---|---|")
    for who, timings in (("daemon", ours), ("bare interpreter", others)):
        for stage, name in (("infer", "inference"), ("total", "capture to prediction")):
            print(_row(f"{who}, {name}", timings, stage))
    p50 = _percentiles(ours, "infer")[0]
    print(f"\np99 of capture to prediction may be {p50 + _INTERVAL_MS:.1f} ms: the median inference and one interval")


def _row(name: str, timings: Sequence[dict[str, float]], stage: str) -> str:
    p50, p90, p99 = _percentiles(timings, stage)
    return f"| {name} | {p50:.1f} | {p90:.1f} | {p99:.1f} | {p99 / _percentiles(timings, 'infer')[0]:.2f} |"


def _percentiles(timings: Sequence[dict[str, float]], stage: str) -> list[float]:
    return [float(each) for each in np.percentile([timing[stage] for timing in timings], (50, 90, 99))]


if __name__ == "__main__":
    main()
