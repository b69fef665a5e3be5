"""From the start of the process to the first prediction, and how much memory it then takes with one viewer.

python -m tests.bench.startup [--rounds 5] [--model everyday] [--source demo]

The first start finds no byte code of vitcam itself (as after an update by git), the later ones do; files are in the
kernel's cache for all.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import vitcam
from tests.bench.throughput import one_viewer
from tests.bench.viewers import usage
from tests.daemon import daemon

_WATCHED_S = 10.0


@contextmanager
def cold_package() -> Iterator[None]:
    """vitcam without its byte code; what is run inside writes it anew."""
    for folder in Path(vitcam.__file__).parent.rglob("__pycache__"):
        shutil.rmtree(folder)
    yield


def first_prediction_s(model: str, source: str, python: str = sys.executable) -> float:
    """Seconds from the start of `vitcam run` to its first line on stdout.

    python  the interpreter whose vitcam it is
    """
    command = [python, "-P", "-m", "vitcam", "run", "--source", source, "--model", model]
    command += ["--log", "json", "--emit", "all", "--port", "0"]
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    began = time.monotonic()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, text=True
    ) as child:
        assert child.stdout is not None
        line = child.stdout.readline()
        took = time.monotonic() - began
        child.kill()
    if json.loads(line)["type"] != "prediction":
        raise RuntimeError(f"not a prediction: {line}")
    return took


def watched_mb(model: str, source: str) -> float:
    """Resident memory of a daemon that one viewer has watched for a while, in MB of 2^20 bytes."""
    with daemon("--source", source, "--model", model) as running:
        running.wait_for("ok")
        with one_viewer(running.url):
            time.sleep(_WATCHED_S)
            return usage(running.process.pid).rss_mb


def main() -> None:
    """Print a table."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.startup")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--model", default="everyday")
    options.add_argument("--source", default="demo")
    o = options.parse_args()
    firsts, seconds = [], []
    for _ in range(o.rounds):
        with cold_package():
            firsts.append(first_prediction_s(o.model, o.source))
        seconds.append(first_prediction_s(o.model, o.source))
    print("| start to first prediction | least s | median s | most s |\n|---|---|---|---|")
    for name, times in (("first, vitcam's byte code to be made", firsts), ("later", seconds)):
        print(f"| {name} | {min(times):.2f} | {statistics.median(times):.2f} | {max(times):.2f} |", flush=True)
    print(f"\nresident memory with one viewer: {watched_mb(o.model, o.source):.0f} MB")


if __name__ == "__main__":
    main()
