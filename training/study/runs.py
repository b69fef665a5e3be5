"""The trainings of a study, one for each core at a time, and the file that keeps what each found.

Each runs in its own process on its own core: a step of the digit model takes 34 ms on one core and 40 ms on two (XLA
splits what is too small to be split), so two runs side by side take half the time. A batch of seeds in one program
(`vmap`) was no faster than that.

`python -m vitcam_training.study.runs MODULE FOLDER WORDS…` is such a process: what `MODULE.work` returns, it prints.
"""

from __future__ import annotations

import ctypes
import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, TypeVar

from vitcam.errors import UsageError, VitcamError

POLL_S = 0.2
STOP_S = 5.0
PR_SET_PDEATHSIG = 1  # linux/prctl.h

log = logging.getLogger(__name__)


class Job(Protocol):
    """One run."""

    @property
    def name(self) -> str:
        """Distinct for each run; its log is kept under it."""

    @property
    def words(self) -> tuple[str, ...]:
        """What `work` gets after the folder."""


J = TypeVar("J", bound=Job)
R = TypeVar("R")


def side_by_side(jobs: Sequence[J], module: str, folder: Path) -> Iterator[tuple[J, dict[str, Any]]]:
    """Jobs with what each found, as they end.

    An interruption, or closing the iterator, stops the runs; they continue next time.

    module  `work(folder, *words)` of it does a job, and returns a dataclass
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
                    log.info("the run %s begins; its log is %s", job.name, _log(job, folder))
                    running[core] = job, _start(job, module, folder, core)
            for core, (job, process) in list(running.items()):
                if process.poll() is not None:
                    del running[core]
                    yield job, _result(job, process, folder)
            time.sleep(POLL_S)
    finally:
        _stop([process for _, process in running.values()])


def _start(job: Job, module: str, folder: Path, core: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", __name__, module, str(folder), *job.words]
    with _log(job, folder).open("w") as said:
        process = subprocess.Popen(  # in a group of its own: Ctrl-C and _stop together would let it save nothing
            command, stdout=subprocess.PIPE, stderr=said, text=True, process_group=0
        )
    os.sched_setaffinity(process.pid, {core})  # at once: its libraries count the cores when they are imported
    return process


def _result(job: Job, process: subprocess.Popen[str], folder: Path) -> dict[str, Any]:
    said, _ = process.communicate()
    if process.returncode:
        path = _log(job, folder)
        lines = path.read_text(encoding="utf-8").strip().splitlines() or [f"it ended with status {process.returncode}"]
        raise VitcamError(f"the run {job.name} failed: {lines[-1]}; more in {path}. Run the same command to continue")
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


def read_results(path: Path, kind: Callable[..., R]) -> list[R]:
    """The results in a file, one a line; none if there is no file yet. A last line that was cut off is left out.

    kind    makes a result of a line's fields
    raises  UsageError for a line that is not a result
    """
    if not path.is_file():
        return []
    text = path.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    try:
        return [kind(**json.loads(line)) for line in whole.splitlines()]
    except (json.JSONDecodeError, TypeError) as error:
        raise UsageError(
            f"{path} holds a line that is not a result ({error}); delete it, or give another --out"
        ) from error


def add_result(path: Path, result: Any) -> None:
    """Append a line, in place of one that was cut off.

    result  a dataclass of what JSON can write
    """
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    partial = path.with_suffix(".partial")
    partial.write_text(text[: text.rfind("\n") + 1] + json.dumps(asdict(result)) + "\n", encoding="utf-8")
    partial.replace(path)


def main(module: str, *words: str) -> None:
    """Do one run. The process ends when the one that started it ends, however that happens."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    print(json.dumps(asdict(import_module(module).work(*words))))  # noqa: T201


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except VitcamError as error:
        sys.exit(str(error))
