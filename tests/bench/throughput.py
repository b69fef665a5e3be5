"""How much of the bare interpreter's rate is left in the daemon, with one viewer of the overlay.

python -m tests.bench.throughput [--rounds 5] [--seconds 8] [--threads 2] [--model everyday]
"""

import argparse
import statistics
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

from tests.daemon import Daemon, daemon

_VIEW = "/stream?overlay=attention&width=640&fps=15"
_BARE = """
import sys, time
import numpy as np
from pathlib import Path
from vitcam.model.find import find_model
from vitcam.model.runtime import open_interpreter
graph = open_interpreter(find_model(sys.argv[1]), int(sys.argv[2]))
graph.write(np.random.default_rng(0).integers(0, 256, graph.inputs[0].shape[1:], np.uint8))
for _ in range(20):
    graph.invoke()
end, count = time.monotonic() + float(sys.argv[3]), 0
start = time.monotonic()
while time.monotonic() < end:
    graph.invoke()
    count += 1
print(count / (time.monotonic() - start))
"""


def bare_rate(model: str, threads: int, seconds: float) -> float:
    """Inferences/s of the interpreter alone, in a process of its own."""
    command = [sys.executable, "-c", _BARE, model, str(threads), str(seconds)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def daemon_rate(running: Daemon, seconds: float) -> float:
    """Frames/s that a running daemon classifies."""
    before, started = running.state()["frames"]["classified"], time.monotonic()
    time.sleep(seconds)
    after = running.state()["frames"]["classified"]
    return float((after - before) / (time.monotonic() - started))


@contextmanager
def one_viewer(url: str) -> Iterator[None]:
    """Somebody who reads the stream as fast as it comes."""
    stream = urllib.request.urlopen(url + _VIEW, timeout=30)
    gone = threading.Event()

    def read() -> None:
        while not gone.is_set() and stream.read1(65536):
            pass

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        yield
    finally:
        gone.set()
        reader.join(5)
        stream.close()


def main() -> None:
    """Print each round and the medians."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.throughput")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--seconds", type=float, default=8.0)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--model", default="everyday")
    o = options.parse_args()
    run = ("--source", "demo:ram", "--no-realtime", "--loop", "--threads", str(o.threads), "--model", o.model)
    print("| round | bare interpreter /s | daemon, nobody watches /s | daemon, one viewer /s | kept |")
    print("|---|---|---|---|---|")
    rows = []
    for number in range(o.rounds):
        bare = bare_rate(o.model, o.threads, o.seconds)
        with daemon(*run) as running:
            running.wait_for("ok")
            alone = daemon_rate(running, o.seconds)
            with one_viewer(running.url):
                watched = daemon_rate(running, o.seconds)
        rows.append((bare, alone, watched, watched / bare))
        print(f"| {number + 1} | {bare:.1f} | {alone:.1f} | {watched:.1f} | {watched / bare:.1%} |", flush=True)
    bare, alone, watched, kept = (statistics.median(column) for column in zip(*rows, strict=True))
    print(f"| median | {bare:.1f} | {alone:.1f} | {watched:.1f} | {kept:.1%} |")


if __name__ == "__main__":
    main()
