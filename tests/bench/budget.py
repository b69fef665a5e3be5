"""What each stage of a frame costs: time of the processor and of the clock, or allocations; and what each thread costs.

python -m tests.bench.budget [--versus REVISION] [--memory] [--camera] [--turns 10] [--seconds 1] [--threads 2] [--page]
                            [--source demo:ram]

Daemons play `demo:ram`, or another source, as fast as the model goes: nobody watches the one, and one viewer the
overlay of the other. With `--camera` it is played live at 60 frames/s instead, with history and problems as a camera
has them. A clock lies around each stage (stage_clock.py), which takes a microsecond or two of it; the threads' own
times come from the kernel. A thread without a name counts as XNNPACK's; a film's decoder has some, too. `--versus`
measures a commit beside this checkout, in turns. `--page` writes the table into docs/program/benchmarks.md.
"""

import argparse
import io
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.bench.throughput import one_viewer
from tests.bench.turns import Pair, interval
from tests.daemon import Daemon, free_port

ROOT = Path(__file__).parents[2]
_CLOCK = Path(__file__).with_name("stage_clock.py")
_PAGE = ROOT / "docs/program/benchmarks.md"
_BEGIN, _END = "<!-- bench-budget: begin -->\n", "<!-- bench-budget: end -->"
_VIEW = "/stream?overlay=evidence&width=640&fps=15"
_AWAKE_S = 0.5  # until a daemon that slept is at its pace again
_INFERENCE = "invoke"
_LEAST = 0.5  # what costs less is not shown


@dataclass(frozen=True, slots=True)
class Sums:
    """Since the start of a daemon."""

    stages: Mapping[tuple[str, str], Sequence[int]]
    """(thread, stage) -> ns of the processor, ns of the clock (or blocks and bytes), calls."""
    threads: Mapping[tuple[str, str], Sequence[int]]
    """(thread, "") -> ns of the processor, context switches that it asked for, and that it did not."""


class Clocked:
    """A daemon with clocks, asleep but while it is measured."""

    def __init__(self, running: Daemon, asked: socket.socket) -> None:
        self.running = running
        self._lines = asked.makefile("rw")

    def sums(self) -> Sums:
        """Until now."""
        print(file=self._lines, flush=True)
        rows, names = json.loads(self._lines.readline())
        stages: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
        for thread, stage, *more in rows:
            _add(stages[_plain(thread), stage], more)
        threads: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
        for task in Path(f"/proc/{self.running.process.pid}/task").iterdir():
            ran_ns = int((task / "schedstat").read_text().split()[0])
            status = (task / "status").read_text().splitlines()
            switches = [int(line.split()[1]) for line in status if "ctxt_switches" in line]
            _add(threads[_plain(names.get(task.name, "XNNPACK")), ""], (ran_ns, *switches))
        return Sums(stages, threads)

    def per_frame(self, seconds: float) -> dict[tuple[str, str], list[float]]:
        """Let it run for a while: what each stage and each thread cost a frame; of all together ("", "frame")."""
        process = self.running.process
        process.send_signal(signal.SIGCONT)
        time.sleep(_AWAKE_S)
        before, began = self.sums(), time.perf_counter_ns()
        time.sleep(seconds)
        after, took_ns = self.sums(), time.perf_counter_ns() - began
        process.send_signal(signal.SIGSTOP)
        found = _less(after.stages, before.stages) | _less(after.threads, before.threads)
        frames = max(1, sum(calls for (_, stage), (*_, calls) in found.items() if stage == _INFERENCE))
        found["", "frame"] = [sum(ran for (_, stage), (ran, *_) in found.items() if not stage), took_ns, frames]
        return {key: [value / frames for value in values] for key, values in found.items()}


def _less(
    after: Mapping[tuple[str, str], Sequence[int]], before: Mapping[tuple[str, str], Sequence[int]]
) -> dict[tuple[str, str], list[int]]:
    return {key: [a - b for a, b in zip(sums, before.get(key, (0, 0, 0)), strict=True)] for key, sums in after.items()}


def _add(sums: list[int], more: Sequence[int]) -> None:
    sums[:] = [before + after for before, after in zip(sums, more, strict=True)]


def _plain(thread: str) -> str:
    """Of a thread's name: without a number, so that threads that do the same count together."""
    return thread.rstrip("0123456789").rstrip(" _")


@contextmanager
def clocked(code: Path, options: Sequence[str], *, memory: bool, watched: bool) -> Iterator[Clocked]:
    """A daemon of the checkout at `code`."""
    ours, theirs = socket.socketpair()
    port = free_port()
    with ExitStack() as stack:
        state = stack.enter_context(tempfile.TemporaryDirectory())
        own = {"PYTHONPATH": str(code), "XDG_CONFIG_HOME": "/nonexistent", "XDG_STATE_HOME": state}
        environ = {key: value for key, value in os.environ.items() if not key.startswith("VITCAM_")} | own
        errors = stack.enter_context(tempfile.TemporaryFile())
        kind = "memory" if memory else "time"
        command = [sys.executable, "-P", str(_CLOCK), str(theirs.fileno()), kind, "--log", "json", "--port", str(port)]
        child = subprocess.Popen(
            [*command, *options], pass_fds=[theirs.fileno()], stdout=subprocess.DEVNULL, stderr=errors, env=environ
        )
        stack.callback(child.wait, 30)
        stack.callback(child.kill)
        theirs.close()
        running = Daemon(f"http://127.0.0.1:{port}", child, errors)
        running.wait_for("ok")
        if watched:
            stack.enter_context(one_viewer(running.url, _VIEW))
        child.send_signal(signal.SIGSTOP)
        yield Clocked(running, ours)
        child.send_signal(signal.SIGCONT)


@contextmanager
def code_of(revision: str) -> Iterator[Path]:
    """The package and the models of a commit, in a folder of their own."""
    with tempfile.TemporaryDirectory() as folder:
        packed = subprocess.run(
            ["git", "archive", revision, "vitcam", "models"], cwd=ROOT, check=True, capture_output=True
        ).stdout
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(folder, filter="data")
        yield Path(folder)


Measured = list[dict[tuple[str, str], list[float]]]


def measure(daemons: Sequence[Clocked], turns: int, seconds: float) -> list[Measured]:
    """What each daemon costs in each turn; who begins changes from turn to turn."""
    found: list[Measured] = [[] for _ in daemons]
    for turn in range(turns):
        for place in range(len(daemons)) if turn % 2 else reversed(range(len(daemons))):
            found[place].append(daemons[place].per_frame(seconds))
    return found


def _median(turns: Measured, key: tuple[str, str], place: int) -> float:
    return statistics.median(each[key][place] if key in each else 0.0 for each in turns)


def rows_of(found: Sequence[Measured], memory: bool) -> list[str]:
    """The table of daemons that were measured in turns: this checkout last."""
    scale = 1.0 if memory else 1e3
    newest = found[-1]
    keys = {key for turns in found for each in turns for key in each}
    rows = []
    for thread, stage in sorted(keys, key=lambda key: (key[0] == "", key[0], key[1] == "", -_median(newest, key, 0))):
        key = (thread, stage)
        is_thread = not stage or not thread
        if is_thread and memory:
            continue
        cells = [f"{_median(turns, key, place) / scale:.1f}" for turns in found for place in (0, 1)]
        if not is_thread:
            if max(map(float, cells)) < _LEAST:
                continue
        elif stage:  # the whole frame
            cells = [f"{_median(turns, key, place) / scale:,.0f}" for turns in found for place in (0, 1)]
        else:
            if _median(newest, key, 0) < 1e3:
                continue
            switches = (f"{_median(t, key, 1):.1f} + {_median(t, key, 2):.1f} switches" for t in found)
            cells = [c for t, s in zip(found, switches, strict=True) for c in (f"{_median(t, key, 0) / scale:.1f}", s)]
        if len(found) > 1:
            cells.append(_ratio(found, key))
        name = "**a frame, all threads**" if not thread else f"**{thread}**, whole thread" if is_thread else stage
        rows.append(f"| {name} | {'' if is_thread else thread} | {' | '.join(cells)} |")
    return rows


def _ratio(found: Sequence[Measured], key: tuple[str, str]) -> str:
    """Of the processor's time, where a stage is not passed by every frame that of one pass."""
    turns = [(a[key], b[key]) for a, b in zip(*found, strict=True) if a.get(key, [0])[0] > 0 < b.get(key, [0])[0]]
    if not turns:
        return "–"
    by_pass = bool(key[0] and key[1])
    pairs = [Pair(a[0] / (a[2] if by_pass else 1), b[0] / (b[2] if by_pass else 1)) for a, b in turns]
    ratio, low, high = interval(pairs)
    return f"{ratio:.2f} ({low:.2f} to {high:.2f})"


def table(found: Sequence[Measured], revision: str, memory: bool) -> list[str]:
    """With its head."""
    units = ("blocks", "bytes at most") if memory else ("processor, µs", "clock, µs")
    names = [
        f"{unit}{f', {which}' if len(found) > 1 else ''}"
        for which in (revision, "now")[-len(found) :]
        for unit in units
    ]
    head = ["stage", "thread", *names, *(["now / before, 95 % interval"] if len(found) > 1 else [])]
    return [f"| {' | '.join(head)} |", "|" + "---|" * len(head), *rows_of(found, memory)]


def main() -> None:
    """Print the tables."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.budget")
    options.add_argument("--versus", default="", metavar="REVISION")
    options.add_argument("--memory", action="store_true", help="Allocations, and not time.")
    options.add_argument("--camera", action="store_true", help="Live, with history and problems.")
    options.add_argument("--turns", type=int, default=10)
    options.add_argument("--seconds", type=float, default=1.0)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--source", default="demo:ram")
    options.add_argument("--model", default="everyday")
    options.add_argument("--page", action="store_true", help="Write the table into docs/program/benchmarks.md.")
    o = options.parse_args()
    pace = ("--realtime", "--set", "camera.fps=60") if o.camera else ("--no-realtime",)
    run = (
        "--source",
        o.source,
        *pace,
        "--loop",
        "--emit",
        "changes",
        "--threads",
        str(o.threads),
        "--model",
        o.model,
    )
    lines = [f"{o.turns} turns of {o.seconds:g} s, {o.threads} threads, load {os.getloadavg()[0]:.1f}."]
    with ExitStack() as stack:
        codes = [stack.enter_context(code_of(o.versus))] if o.versus else []
        for watched in (False, True):
            with ExitStack() as running:
                daemons = [
                    running.enter_context(clocked(code, run, memory=o.memory, watched=watched))
                    for code in (*codes, ROOT)
                ]
                found = measure(daemons, o.turns, o.seconds)
            who = "One viewer of `overlay=evidence&width=640&fps=15`:" if watched else "Nobody watches:"
            lines += ["", who, "", *table(found, o.versus, o.memory)]
            print(
                "\n".join(lines[-len(lines) if not watched else -len(table(found, o.versus, o.memory)) - 3 :]),
                flush=True,
            )
    if o.page:
        before, _, rest = _PAGE.read_text("utf-8").partition(_BEGIN)
        _PAGE.write_text(before + _BEGIN + "\n".join(lines) + "\n" + _END + rest.partition(_END)[2], "utf-8")


if __name__ == "__main__":
    main()
