"""`vitcam bench`: how fast a model runs here, and how fast it could run.

Every measurement has a process of its own. They take turns for a few rounds, so that other load on the machine affects
all of them equally. The peak is that of one large product (see `vitcam.benchmark.peak_model`) by the same runtime with
the same threads: roofline = int8 multiply-adds / int8 peak + float multiply-adds / float peak.
"""

import json
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from vitcam.benchmark.peak_model import square_product
from vitcam.benchmark.row import BenchRow, Figures, Rounds, row_of
from vitcam.errors import ModelError, UsageError, VitcamError
from vitcam.model.files import find_model
from vitcam.model.macs import count_macs
from vitcam.processes.command import run_with_timeout

ROUNDS = 3
_MAX_THREADS = 64
_EXTRA_TIMEOUT_S = 120.0  # beyond the time asked for, to start, to load, and to call a slow model a few times


@dataclass(frozen=True, slots=True)
class BenchPlan:
    """What is to be measured."""

    model: str
    threads: tuple[int, ...]
    seconds: float = 3.0
    """For each kind of measurement and number of threads, over all rounds."""


@dataclass(frozen=True, slots=True)
class Step:
    """One measurement."""

    kind: str
    """`model`, or one of the peaks: `int8` or `floating`."""
    file: Path
    threads: int
    seconds: float
    round: int
    """From 1."""


def read_threads(text: str | None) -> tuple[int, ...]:
    """`1,2,4` as numbers; None: the default for this machine's cores.

    raises  UsageError for anything else
    """
    if text is None:
        return default_threads(len(os.sched_getaffinity(0)))
    words = [word.strip() for word in text.split(",")]
    if not all(word.isascii() and word.isdigit() and 1 <= int(word[:9]) <= _MAX_THREADS for word in words):
        raise UsageError(f"--threads is {text!r}; whole numbers from 1 to {_MAX_THREADS} are allowed, such as 1,2,4")
    return tuple(dict.fromkeys(map(int, words)))


def default_threads(cores: int) -> tuple[int, ...]:
    """Every number up to four cores, such as (1, 2, 3, 4) on a Pi. On more cores doubled, such as (1, 2, 4, 8, 12)."""
    if cores <= 4:
        return tuple(range(1, cores + 1))
    highest = min(cores, _MAX_THREADS)
    return (*(2**power for power in range(highest.bit_length()) if 2**power < highest), highest)


def run_bench(plan: BenchPlan, announce: Callable[[int, int, Step], None]) -> list[BenchRow]:
    """Measure. Returns a row for each number of threads.

    announce  called before each step with its number from 0, and with the number of steps
    raises    ModelError if the model cannot be run; VitcamError if a measurement fails
    """
    path = find_model(plan.model)
    macs = count_macs(path)
    found: dict[tuple[int, str], list[Figures]] = defaultdict(list)
    with tempfile.TemporaryDirectory(prefix="vitcam-bench-") as folder:
        steps = list(_steps(plan, path, Path(folder)))
        for number, step in enumerate(steps):
            announce(number, len(steps), step)
            found[step.threads, step.kind].append(measure(step))
    return [
        row_of(plan.model, n, macs, Rounds(*(found[n, kind] for kind in ("model", "int8", "floating"))))
        for n in plan.threads
    ]


def _steps(plan: BenchPlan, path: Path, folder: Path) -> Iterator[Step]:
    """All measurements in turn. Writes the models of the peaks into `folder`."""
    files = {"model": path, "int8": folder / "int8.tflite", "floating": folder / "floating.tflite"}
    files["int8"].write_bytes(square_product("int8"))
    files["floating"].write_bytes(square_product("floating"))
    for number in range(1, ROUNDS + 1):
        for threads in plan.threads:
            for kind, file in files.items():
                yield Step(kind, file, threads, plan.seconds / ROUNDS, number)


def measure(step: Step) -> Figures:
    """Run a measurement. Raises ModelError with the process's message, and VitcamError if it died or hung."""
    arguments = (str(step.file), str(step.threads), str(step.seconds))
    result = run_with_timeout(
        [sys.executable, "-P", "-m", "vitcam.benchmark.child", *arguments], _EXTRA_TIMEOUT_S + step.seconds
    )
    if result.code == 0:
        found: Figures = json.loads(result.out)
        return found
    if result.code == ModelError.exit_code:
        raise ModelError(result.last_words)
    how = f"was ended by signal {-result.code}" if result.code and result.code < 0 else result.last_words
    raise VitcamError(f"measuring {step.file} with {step.threads} threads ({step.kind}) failed: {how}")
