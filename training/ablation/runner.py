"""All runs of the ablation, one for each core at a time, each in its own process on its own core.

Why so: a step of the digit model takes 34 ms on one core and 40 ms on two (XLA splits what is too small to be split),
so two runs side by side take half the time. A batch of seeds in one program (`vmap`) was no faster than that.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from vitcam.errors import VitcamError
from vitcam_training.ablation.result import AblationJob, Result

POLL_S = 0.2
STOP_S = 5.0


def run_all(jobs: Sequence[AblationJob], recipe: str, folder: Path) -> Iterator[Result]:
    """Results as they come in. An interruption, or closing the iterator, stops the runs; they continue next time.

    recipe  the base's name or path, which each process reads again
    raises  VitcamError naming the run that failed and where it wrote why
    """
    folder.mkdir(parents=True, exist_ok=True)
    waiting, running = list(jobs), dict[int, tuple[AblationJob, subprocess.Popen[str]]]()
    cores = sorted(os.sched_getaffinity(0))
    try:
        while waiting or running:
            for core in cores:
                if core not in running and waiting:
                    job = waiting.pop(0)
                    running[core] = job, _start(job, recipe, folder, core)
            for core, (job, process) in list(running.items()):
                if process.poll() is not None:
                    del running[core]
                    yield _result(job, process, folder)
            time.sleep(POLL_S)
    finally:
        _stop([process for _, process in running.values()])


def _start(job: AblationJob, recipe: str, folder: Path, core: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", str(__package__), str(folder), recipe, job.row.name, str(job.recipe.seed)]
    with _log(job, folder).open("w") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
    os.sched_setaffinity(process.pid, {core})  # at once: its libraries count the cores when they are imported
    return process


def _result(job: AblationJob, process: subprocess.Popen[str], folder: Path) -> Result:
    said, _ = process.communicate()
    if process.returncode:
        log = _log(job, folder)
        lines = log.read_text(encoding="utf-8").strip().splitlines() or [f"it ended with status {process.returncode}"]
        raise VitcamError(f"the run {job.name} failed: {lines[-1]}; more in {log}. Run the same command to continue")
    return Result(**json.loads(said))


def _log(job: AblationJob, folder: Path) -> Path:
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
