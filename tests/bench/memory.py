"""How much memory a model takes, step by step, and how long it loads.

python -m tests.bench.memory [MODEL ...] [--owners]

Each model is loaded in a process of its own. Every column is the resident memory after one more step: the packages of
vitcam, the model's interpreter, a classification, a classification with attention, a second interpreter that has
classified as well (the daemon makes one for photos that are sent to it). The last one is of a whole daemon on the
bundled clip, with one viewer and a photo that was sent.

A second table says to whom the memory of a daemon with one viewer belongs, with the bundled clip, and with a camera
that sends JPEG pictures over HTTP. With --owners, which needs Debian's heaptrack and a minute, a third one says what
lies on the heap.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from urllib.request import Request, urlopen

import cv2
import numpy as np

from tests.bench.mappings import Share, on_the_heap, shares
from tests.bench.throughput import one_viewer
from tests.bench.viewers import usage
from tests.daemon import daemon, free_port
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


def watched(model: str, source: str) -> dict[str, Share]:
    """Of a daemon that one viewer has watched for a while, by owner."""
    with (
        tempfile.TemporaryDirectory() as folder,
        daemon("--source", source, "--model", model, STATE_DIRECTORY=folder) as running,
    ):
        running.wait_for("ok")
        with one_viewer(running.url):
            time.sleep(_WATCHED_S)
            return shares(running.process.pid)


@contextmanager
def other_daemon() -> Iterator[str]:
    """The stream of another daemon with the same clip, as of a camera in the network: it sends JPEG pictures."""
    with daemon("--source", "demo", "--model", "mnist") as camera:
        camera.wait_for("ok")
        yield f"{camera.url}/stream?overlay=none&width=1280"


def heap(model: str) -> dict[str, float]:
    """Of a daemon with one viewer that runs under heaptrack, by owner; empty where that is not installed."""
    if shutil.which("heaptrack") is None:
        return {}
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        recording = Path(folder, "recorded")
        command = ["heaptrack", "-o", str(recording), sys.executable, "-P", "-m", "vitcam", "run", "--log", "json"]
        command += ["--source", "demo", "--model", model, "--port", str(port)]
        environment = os.environ | {"XDG_STATE_HOME": folder, "XDG_CONFIG_HOME": "/nonexistent"}
        child = subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        try:
            _wait_for(f"http://127.0.0.1:{port}/readyz")
            with one_viewer(f"http://127.0.0.1:{port}"):
                time.sleep(_WATCHED_S)
                for line in Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split():
                    if b"vitcam" in Path(f"/proc/{line}/cmdline").read_bytes():
                        os.kill(int(line), signal.SIGKILL)  # what is allocated now is "leaked"
            child.wait(60)
        finally:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
        return on_the_heap(next(Path(folder).glob("recorded*")))


def _wait_for(url: str) -> None:
    ends = time.monotonic() + 120
    while time.monotonic() < ends:
        try:
            with urlopen(url, timeout=10):
                return
        except OSError:
            time.sleep(0.2)
    raise TimeoutError(url)


def _resident_mb() -> float:
    return usage(os.getpid()).rss_mb


def main() -> None:
    """Print a table."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.memory")
    options.add_argument("models", nargs="*", default=["mnist", "everyday"])
    options.add_argument("--steps-of", help=argparse.SUPPRESS)
    options.add_argument("--owners", action="store_true")
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
    show_owners(o.models[-1])
    if o.owners:
        print("\n| on the heap, with the clip | MB |\n|---|---|")
        for owner, size in heap(o.models[-1]).items() or [("not measured: heaptrack is not installed", 0.0)]:
            print(f"| {owner} | {size:.1f} |")


def show_owners(model: str) -> None:
    """Print a table for each source."""
    for name, source in (("the clip", nullcontext("demo")), ("a camera in the network", other_daemon())):
        with source as uri:
            found = watched(model, uri)
        print(f"\n| {model}, {name}, one viewer | resident | its share of it (PSS) | anonymous |\n|---|---|---|---|")
        for owner, share in found.items():
            print(f"| {owner} | {share.resident:.1f} | {share.pss:.1f} | {share.anonymous:.1f} |", flush=True)


if __name__ == "__main__":
    main()
