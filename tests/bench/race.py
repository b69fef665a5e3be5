"""Model files against each other: short bursts in turn, so that what slows the machine slows them all."""

import statistics
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

_RUNNER = """
import sys, time
from pathlib import Path
import numpy as np
from vitcam.model.runtime import open_interpreter
graph = open_interpreter(Path(sys.argv[1]), int(sys.argv[2]))
graph.set_input(np.random.default_rng(0).integers(0, 256, graph.inputs[0].shape[1:], np.uint8))
for _ in range(20):
    graph.invoke()
print("ready", flush=True)
for _ in sys.stdin:
    for _ in range(3):
        graph.invoke()
    times = []
    for _ in range(12):
        start = time.perf_counter()
        graph.invoke()
        times.append(time.perf_counter() - start)
    print(1000 * sorted(times)[6], flush=True)
"""


@dataclass(frozen=True, slots=True)
class InterleavedTime:
    """One file's times."""

    ms: float
    """Median of its bursts' medians."""
    ratio: float
    """Median over the bursts of its time to that of the first file in the same turn."""


def race(files: Sequence[tuple[Path, int]], turns: int) -> list[InterleavedTime]:
    """Time `invoke` of each (file, threads), each in a process of its own that lives through all turns."""
    times: list[list[float]] = [[] for _ in files]
    with ExitStack() as stack:
        runners = [stack.enter_context(_Runner(path, threads)) for path, threads in files]
        for _ in range(turns):
            for runner, found in zip(runners, times, strict=True):
                found.append(runner.burst_ms())
    return [
        InterleavedTime(
            statistics.median(found), statistics.median(a / b for a, b in zip(found, times[0], strict=True))
        )
        for found in times
    ]


class _Runner:
    def __init__(self, path: Path, threads: int) -> None:
        command = [sys.executable, "-c", _RUNNER, str(path), str(threads)]
        pipe = subprocess.PIPE
        self._command = command
        self._process = subprocess.Popen(command, text=True, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
        self._read()

    def __enter__(self) -> "_Runner":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def burst_ms(self) -> float:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return float(self._read())

    def _read(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._command[3]} could not be timed; `vitcam bench {self._command[3]}` says why")
        return line
