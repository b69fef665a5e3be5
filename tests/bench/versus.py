"""This checkout against another one, turn by turn: throughput, latency, start, memory, with the ratios' 95 % intervals.

python -m tests.bench.versus PYTHON [--turns 12] [--model everyday] [--only rates|latency|start|memory]
                             [--source demo:ram] [--threads N]

PYTHON is the interpreter of the other checkout's virtual environment, such as ../before/.venv/bin/python. All daemons
live through the whole measurement, but only one at a time is awake; who begins changes from turn to turn. `--source`
and `--threads` are of the rates: a film such as vitcam/sources/demo.mp4 is decoded and scaled, too.
"""

import argparse
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial

import numpy as np

from tests.bench.latency import follow
from tests.bench.mappings import shares
from tests.bench.startup import first_prediction_s
from tests.bench.throughput import daemon_rate, one_viewer
from tests.bench.turns import in_turns, show
from tests.daemon import Daemon, daemon

_FAST = ("--no-realtime", "--loop", "--emit", "changes")
_PACED = ("--source", "demo:ram", "--realtime", "--loop")
_RATE_S = 1.0
_FOLLOW_S = 3.0
_SETTLE_S = 8.0
_PARTS = ("rates", "latency", "start", "memory")


@contextmanager
def asleep(python: str, model: str, *options: str, watched: bool) -> Iterator[Daemon]:
    """A daemon of the checkout that `python` belongs to, stopped by a signal."""
    with daemon(*options, "--model", model, python=python) as running, ExitStack() as viewers:
        running.wait_for("ok")
        if watched:
            viewers.enter_context(one_viewer(running.url))
        running.process.send_signal(signal.SIGSTOP)
        yield running
        running.process.send_signal(signal.SIGCONT)


def latencies_ms(sleeping: Daemon) -> tuple[float, float]:
    """p50 and p99 from capture to prediction over some seconds at 30 frames/s; it is put to sleep again."""
    sleeping.process.send_signal(signal.SIGCONT)
    time.sleep(0.5)
    totals = [each["total"] for each in follow(sleeping.url, _FOLLOW_S)]
    sleeping.process.send_signal(signal.SIGSTOP)
    p50, p99 = np.percentile(totals, (50, 99))
    return float(p50), float(p99)


def rates_per_s(sleeping: Daemon) -> tuple[float]:
    """Frames/s that a daemon classifies."""
    return (daemon_rate(sleeping, _RATE_S),)


def memory_mb(python: str, model: str) -> tuple[float, float]:
    """Resident memory after one viewer watched for a while, and what of it no file holds, MB of 2^20."""
    with daemon("--source", "demo", "--model", model, python=python) as running:
        running.wait_for("ok")
        with one_viewer(running.url):
            time.sleep(_SETTLE_S)
            found = shares(running.process.pid)["all"]
            return found.resident, found.anonymous


def main() -> None:
    """Print a table."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.versus")
    options.add_argument("python")
    options.add_argument("--turns", type=int, default=12)
    options.add_argument("--model", default="everyday")
    options.add_argument("--only", choices=_PARTS)
    options.add_argument("--source", default="demo:ram")
    options.add_argument("--threads")
    o = options.parse_args()
    pythons = (o.python, sys.executable)
    threads = ("--threads", o.threads) if o.threads else ()
    print(f"{o.turns} turns\n\n| | old | new | new / old, 95 % interval |\n|---|---|---|---|")
    shown: dict[str, Callable[[], None]] = {
        "rates": lambda: show_rates(pythons, o.model, o.turns, ("--source", o.source, *threads)),
        "latency": lambda: show_latency(pythons, o.model, o.turns),
        "start": lambda: show_start(pythons, o.model, o.turns),
        "memory": lambda: show_memory(pythons, o.model, o.turns),
    }
    for part in [o.only] if o.only else _PARTS:
        shown[part]()


def show_rates(pythons: tuple[str, str], model: str, turns: int, played: Sequence[str]) -> None:
    """Frames/s, without and with a viewer."""
    for name, watched in (("frames/s, nobody watches", False), ("frames/s, one viewer", True)):
        with ExitStack() as stack:
            old, new = (stack.enter_context(asleep(p, model, *played, *_FAST, watched=watched)) for p in pythons)
            (rates,) = in_turns(3 * turns, partial(rates_per_s, old), partial(rates_per_s, new))
        show(name, rates)


def show_latency(pythons: tuple[str, str], model: str, turns: int) -> None:
    """From capture to prediction."""
    with ExitStack() as stack:
        old, new = (stack.enter_context(asleep(p, model, *_PACED, watched=True)) for p in pythons)
        middle, worst = in_turns(turns, partial(latencies_ms, old), partial(latencies_ms, new))
    show("capture to prediction p50, ms", middle)
    show("capture to prediction p99, ms", worst)


def show_start(pythons: tuple[str, str], model: str, turns: int) -> None:
    """Of `vitcam run`, until its first line."""
    old, new = (lambda python=python: (first_prediction_s(model, "demo", python),) for python in pythons)
    (start,) = in_turns(3 * turns, old, new)
    show("start to the first prediction, s", start)


def show_memory(pythons: tuple[str, str], model: str, turns: int) -> None:
    """With a viewer, and what is kept of events."""
    resident, anonymous = in_turns(turns, *(partial(memory_mb, python, model) for python in pythons))
    show("resident memory, one viewer, MB", resident)
    show("– that no file holds", anonymous)


if __name__ == "__main__":
    main()
