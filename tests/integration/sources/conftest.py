"""A machine whose camera is read by way of a stand-in for picamera2."""

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from tests import fake_picamera2
from vitcam.frames import Frame


@dataclass(frozen=True)
class Machine:
    """A machine with a stand-in for picamera2."""

    folder: Path
    monkeypatch: pytest.MonkeyPatch

    @property
    def stall(self) -> Path:
        return self.folder / "stall"

    @property
    def hang(self) -> Path:
        return self.folder / "hang"

    def plays(self, **world: Any) -> None:
        world = {"stall_file": str(self.stall), "hang_file": str(self.hang)} | world
        self.monkeypatch.setenv("FAKE_PICAMERA2", json.dumps(world))


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    library = tmp_path / "library"
    library.mkdir()
    fake_picamera2.install_into(library)
    monkeypatch.setenv("PYTHONPATH", str(library))  # for the child
    monkeypatch.syspath_prepend(library)  # for the question whether it is installed
    machine = Machine(tmp_path, monkeypatch)
    machine.plays()
    return machine


def take(frames: Iterator[Frame], count: int) -> list[Frame]:
    return list(islice(frames, count))


def children() -> set[int]:
    """The processes that this one has started and that still run."""
    listed = subprocess.run(
        ["ps", "-ww", "-o", "pid=,stat=,args=", "--ppid", str(os.getpid())], capture_output=True, text=True
    )
    lines = [line.split(None, 2) for line in listed.stdout.splitlines() if "sources.picamera.child" in line]
    return {int(pid) for pid, state, _ in lines if not state.startswith("Z")}
