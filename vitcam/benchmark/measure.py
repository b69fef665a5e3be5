"""`vitcam bench`: how fast a model runs here, how fast it could run, and what the pipeline around it costs.

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
from vitcam.benchmark.row import BenchRow, Figures, Rounds, health_of, row_of
from vitcam.errors import ModelError, UsageError, VitcamError
from vitcam.machine import Machine
from vitcam.model.files import find_model
from vitcam.model.macs import count_macs
from vitcam.model.runtime import open_interpreter
from vitcam.processes.command import run_with_timeout

ROUNDS = 3
_MAX_THREADS, _MIN_S, _MAX_S = 64, 0.1, 600.0
_EXTRA_TIMEOUT_S = 120.0  # beyond the time asked for, to start, to load, and to call a slow model a few times


@dataclass(frozen=True, slots=True)
class BenchPlan:
    """What is to be measured. Raises UsageError for an invalid duration."""

    model: str
    threads: tuple[int, ...]
    seconds: float = 3.0
    """For each kind of measurement and number of threads, over all rounds."""
    labels: Path | None = None

    def __post_init__(self) -> None:
        if not _MIN_S <= self.seconds <= _MAX_S:
            raise UsageError(f"--seconds is {self.seconds:g}; a number from {_MIN_S:g} to {_MAX_S:g} is allowed")


@dataclass(frozen=True, slots=True)
class Step:
    """One measurement."""

    kind: str
    """`model`, `int8`, `floating` (the peaks) or `stages`."""
    threads: int
    round: int
    """From 1."""
    arguments: tuple[str, ...]
    """Of the process that makes it."""


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


def why_no_stages(plan: BenchPlan) -> str:
    """Why the pipeline cannot be timed around this model; empty if it can.

    raises  ModelError if the file is not a model, or does not fit the labels given
    """
    from vitcam.model.classifier import Classifier

    path = find_model(plan.model)
    open_interpreter(path, threads=1)
    try:
        Classifier(path, threads=1, labels=plan.labels)
    except ModelError as error:
        if plan.labels is not None:
            raise
        return str(error)
    return ""


def run_bench(plan: BenchPlan, with_stages: bool, announce: Callable[[int, int, Step], None]) -> list[BenchRow]:
    """Measure. Returns a row for each number of threads.

    announce  called before each step with its number from 0, and with the number of steps
    raises    ModelError if the model cannot be run; VitcamError if a measurement fails
    """
    path, machine = find_model(plan.model), Machine(os.environ)
    macs, before = count_macs(path), health_of(machine)
    found: dict[tuple[int, str], list[Figures]] = defaultdict(list)
    with tempfile.TemporaryDirectory(prefix="vitcam-bench-") as folder:
        steps = list(_steps(plan, path, Path(folder), with_stages))
        for number, step in enumerate(steps):
            announce(number, len(steps), step)
            found[step.threads, step.kind].append(measure(plan, step))
    health = {"before": before, "after": health_of(machine)}
    return [
        row_of(
            plan.model, n, macs, Rounds(*(found[n, kind] for kind in ("model", "int8", "floating", "stages"))), health
        )
        for n in plan.threads
    ]


def _steps(plan: BenchPlan, path: Path, folder: Path, with_stages: bool) -> Iterator[Step]:
    """All measurements in turn. Writes the models of the peaks into `folder`."""
    files = {"model": path, "int8": folder / "int8.tflite", "floating": folder / "floating.tflite"}
    files["int8"].write_bytes(square_product("int8"))
    files["floating"].write_bytes(square_product("floating"))
    labels = () if plan.labels is None else (str(plan.labels),)
    for number in range(1, ROUNDS + 1):
        for threads in plan.threads:
            common = (str(threads), str(plan.seconds / ROUNDS))
            for kind, file in files.items():
                yield Step(kind, threads, number, ("graph", str(file), *common))
            if with_stages:
                yield Step("stages", threads, number, ("stages", str(path), *common, *labels))


def measure(plan: BenchPlan, step: Step) -> Figures:
    """Run a measurement. Raises ModelError with the process's message, and VitcamError if it died or hung."""
    command = [sys.executable, "-P", "-m", "vitcam.benchmark.child", *step.arguments]
    result = run_with_timeout(command, _EXTRA_TIMEOUT_S + plan.seconds)
    if result.code == 0:
        found: Figures = json.loads(result.out)
        return found
    if result.code == ModelError.exit_code:
        raise ModelError(result.last_words)
    how = f"was ended by signal {-result.code}" if result.code and result.code < 0 else result.last_words
    raise VitcamError(f"measuring {plan.model} with {step.threads} threads ({step.kind}) failed: {how}")
