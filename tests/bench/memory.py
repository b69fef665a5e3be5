"""How much memory a model takes, step by step, and how long it loads.

python -m tests.bench.memory [MODEL ...]

Each model is loaded in a process of its own. Every column is the resident memory after one more step: the packages of
vitcam, the model's interpreter, a classification, a classification with attention, a second interpreter that has
classified as well (the daemon makes one for photos that are sent to it). The last one is of a whole daemon on the
bundled clip, with one viewer and a photo that was sent.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from urllib.request import Request, urlopen

import cv2
import numpy as np

from tests.bench.throughput import one_viewer
from tests.bench.viewers import usage
from tests.daemon import daemon
from vitcam.model.classifier import Classifier

_WATCHED_S = 10.0
_STEPS = ("packages", "loaded", "classified", "with attention", "two interpreters")


def steps(model: str) -> dict[str, float]:
    """Resident MB after each step, and `load_s`. Run it in a new process."""
    found = {"packages": _resident_mb()}
    began = time.monotonic()
    classifier = Classifier(model)
    found |= {"load_s": time.monotonic() - began, "loaded": _resident_mb()}
    picture = np.zeros((classifier.input.height, classifier.input.width, 3), np.uint8)
    classifier.classify_image(picture)
    found["classified"] = _resident_mb()
    classifier.classify_image(picture, explain=True)
    found["with attention"] = _resident_mb()
    classifier.clone(threads=1).classify_image(picture, explain=True)
    found["two interpreters"] = _resident_mb()
    return found


def daemon_mb(model: str) -> float:
    """Of a daemon that one viewer has watched for a while and that was sent a photo."""
    photo = cv2.imencode(".jpg", np.zeros((480, 640, 3), np.uint8))[1].tobytes()
    with daemon("--source", "demo", "--model", model) as running:
        running.wait_for("ok")
        with one_viewer(running.url):
            request = Request(f"{running.url}/api/classify", data=photo, headers={"Content-Type": "image/jpeg"})
            with urlopen(request, timeout=60) as answer:
                answer.read()
            time.sleep(_WATCHED_S)
            return usage(running.process.pid).rss_mb


def _resident_mb() -> float:
    return usage(os.getpid()).rss_mb


def main() -> None:
    """Print a table."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.memory")
    options.add_argument("models", nargs="*", default=["mnist", "everyday"])
    options.add_argument("--steps-of", help=argparse.SUPPRESS)
    o = options.parse_args()
    if o.steps_of:
        print(json.dumps(steps(o.steps_of)))
        return
    heads = ("model", "file", "load s", *_STEPS, "daemon")
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for model in o.models:
        command = [sys.executable, "-m", "tests.bench.memory", "--steps-of", model]
        found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        path = Classifier(model).path
        cells = [path.stem, f"{path.stat().st_size / 2**20:.1f}", f"{found['load_s']:.2f}"]
        cells += [f"{found[step]:.0f}" for step in _STEPS] + [f"{daemon_mb(model):.0f}"]
        print(f"| {' | '.join(cells)} |", flush=True)
    print("\nin MB of 2^20 bytes")


if __name__ == "__main__":
    main()
