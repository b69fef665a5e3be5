"""How much of the bare interpreter's rate is left in the daemon, with one viewer of the overlay.

All three run at once, but only one at a time is awake, for three seconds, and the bare interpreter both before and
after the daemons: what slows the machine down for a while slows all of them down. The daemon prints what changes, as it
does with a camera, though every frame of the clip is classified.

python -m tests.bench.throughput [--turns 24] [--seconds 3] [--threads 2] [--model everyday]
"""

import argparse
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from tests.bench.turns import Pair, show
from tests.daemon import Daemon, daemon

_AWAKE_S = 0.3  # until a daemon that slept is at its pace again
_VIEW = "/stream?overlay=attention&width=640&fps=15"
_BARE = """
import sys, time
import numpy as np
from pathlib import Path
from vitcam.model.files import find_model
from vitcam.model.runtime import open_interpreter
graph = open_interpreter(find_model(sys.argv[1]), int(sys.argv[2]))
graph.set_input(np.random.default_rng(0).integers(0, 256, graph.inputs[0].shape[1:], np.uint8))
for _ in range(20):
    graph.invoke()
print("ready", flush=True)
for _ in sys.stdin:
    count, start = 0, time.monotonic()
    while time.monotonic() - start < float(sys.argv[3]):
        graph.invoke()
        count += 1
    print(count / (time.monotonic() - start), flush=True)
"""


@contextmanager
def bare_interpreter(
    model: str, threads: int, seconds: float, script: str = _BARE
) -> Iterator["subprocess.Popen[str]"]:
    """A process that sleeps, but for some seconds before each answer.

    script  what it runs: it says when it is ready, and then answers each line with a line
    """
    command = [sys.executable, "-c", script, model, str(threads), str(seconds)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        process.terminate()


def answer_of(process: "subprocess.Popen[str]") -> str:
    """What a bare interpreter found in its seconds."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    return process.stdout.readline()


def bare_rate(process: "subprocess.Popen[str]") -> float:
    """Inferences/s of the interpreter alone."""
    return float(answer_of(process))


def daemon_rate(sleeping: Daemon, seconds: float) -> float:
    """Frames/s that a daemon classifies while it is awake; it is put to sleep again."""
    sleeping.process.send_signal(signal.SIGCONT)
    time.sleep(_AWAKE_S)
    before, started = sleeping.state()["frames"]["classified"], time.monotonic()
    time.sleep(seconds)
    after, took_s = sleeping.state()["frames"]["classified"], time.monotonic() - started
    sleeping.process.send_signal(signal.SIGSTOP)
    return float((after - before) / took_s)


@contextmanager
def asleep(model: str, threads: int, *, watched: bool) -> Iterator[Daemon]:
    """A daemon as fast as it can, stopped by a signal."""
    clip = ("--source", "demo:ram", "--no-realtime", "--loop", "--emit", "changes")
    with daemon(*clip, "--threads", str(threads), "--model", model) as running:
        running.wait_for("ok")
        with one_viewer(running.url) if watched else nullcontext():
            running.process.send_signal(signal.SIGSTOP)
            yield running
            running.process.send_signal(signal.SIGCONT)


@contextmanager
def one_viewer(url: str, view: str = _VIEW) -> Iterator[None]:
    """Somebody who reads the stream as fast as it comes."""
    stream = urllib.request.urlopen(url + view, timeout=120)  # it may be asleep while another is measured
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
    """Print each turn and the medians."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.throughput")
    options.add_argument("--turns", type=int, default=24)
    options.add_argument("--seconds", type=float, default=3.0, help="a shorter time counts too few frames")
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--model", default="everyday")
    o = options.parse_args()
    alone_to_bare, watched_to_bare = [], []
    print("| turn | bare interpreter /s | daemon, nobody watches /s | daemon, one viewer /s |\n|---|---|---|---|")
    with (
        bare_interpreter(o.model, o.threads, o.seconds) as bare,
        asleep(o.model, o.threads, watched=False) as alone,
        asleep(o.model, o.threads, watched=True) as watched,
    ):
        for turn in range(o.turns):
            before = bare_rate(bare)
            nobody, viewer = daemon_rate(alone, o.seconds), daemon_rate(watched, o.seconds)
            both = (before + bare_rate(bare)) / 2
            alone_to_bare.append(Pair(both, nobody))
            watched_to_bare.append(Pair(both, viewer))
            print(f"| {turn + 1} | {both:.1f} | {nobody:.1f} | {viewer:.1f} |", flush=True)
    print("\n| frames/s | bare interpreter | daemon | kept, 95 % interval |\n|---|---|---|---|")
    show("nobody watches", alone_to_bare)
    show("one viewer", watched_to_bare)


if __name__ == "__main__":
    main()
