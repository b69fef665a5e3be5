"""All runs of a measurement, one for each core at a time, each in its own process on its own core.

Why so: a step of the digit model takes 34 ms on one core and 40 ms on two (XLA splits what is too small to be split),
so two runs side by side take half the time. A batch of seeds in one program (`vmap`) was no faster than that.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from vitcam.errors import VitcamError
from vitcam_training.study.ablation.result import AblationJob, R

POLL_S = 0.2
STOP_S = 5.0


class Job(Protocol):
    """One run."""

    @property
    def name(self) -> str:
        """Distinct for each run; its log is kept under it."""

    @property
    def words(self) -> tuple[str, ...]:
        """What its process is called with, after the folder."""


J = TypeVar("J", bound=Job)


def run_all(
    jobs: Sequence[AblationJob],
    recipe: str,
    folder: Path,
    kind: Callable[..., R],
    module: str = "vitcam_training.study.ablation",
) -> Iterator[R]:
    """Results as they come in.

    recipe  the base's name or path, which each process reads again
    kind    of a result, which is made of what a process wrote
    module  see `side_by_side`
    raises  VitcamError naming the run that failed and where it wrote why
    """
    named = [_RowOfRecipe(job.name, (recipe, job.row.name, str(job.recipe.seed))) for job in jobs]
    for _, said in side_by_side(named, module, folder):
        yield kind(**said)


def side_by_side(jobs: Sequence[J], module: str, folder: Path) -> Iterator[tuple[J, dict[str, Any]]]:
    """Jobs with what each wrote on stdout, as they end.

    An interruption, or closing the iterator, stops the runs; they continue next time.

    module  `python -m MODULE FOLDER WORDS…` does a job, and writes a JSON object
    raises  VitcamError naming the run that failed and where it wrote why
    """
    folder.mkdir(parents=True, exist_ok=True)
    waiting, running = list(jobs), dict[int, tuple[J, subprocess.Popen[str]]]()
    cores = sorted(os.sched_getaffinity(0))
    try:
        while waiting or running:
            for core in cores:
                if core not in running and waiting:
                    job = waiting.pop(0)
                    running[core] = job, _start(job, module, folder, core)
            for core, (job, process) in list(running.items()):
                if process.poll() is not None:
                    del running[core]
                    yield job, _result(job, process, folder)
            time.sleep(POLL_S)
    finally:
        _stop([process for _, process in running.values()])


@dataclass(frozen=True)
class _RowOfRecipe:
    name: str
    words: tuple[str, ...]


def _start(job: Job, module: str, folder: Path, core: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", module, str(folder), *job.words]
    with _log(job, folder).open("w") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
    os.sched_setaffinity(process.pid, {core})  # at once: its libraries count the cores when they are imported
    return process


def _result(job: Job, process: subprocess.Popen[str], folder: Path) -> dict[str, Any]:
    said, _ = process.communicate()
    if process.returncode:
        log = _log(job, folder)
        lines = log.read_text(encoding="utf-8").strip().splitlines() or [f"it ended with status {process.returncode}"]
        raise VitcamError(f"the run {job.name} failed: {lines[-1]}; more in {log}. Run the same command to continue")
    found: dict[str, Any] = json.loads(said)
    return found


def _log(job: Job, folder: Path) -> Path:
    return folder / f"{job.name}.log"


def _stop(processes: Sequence[subprocess.Popen[str]]) -> None:
    for process in processes:
        process.terminate()
    for process in processes:
        try:
            process.communicate(timeout=STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate(timeout=STOP_S)
