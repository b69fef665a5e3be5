"""Disks that are full, read-only or slow: for the state, and for what is written to a file."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.daemon import Daemon, daemon, get_json
from tests.eventually import eventually
from tests.integration.faults.small_disk import fill, small_disk
from tests.soak.camera import FaultyCamera
from vitcam.config.settings import Settings
from vitcam.doctor import machine
from vitcam.doctor.check import CheckContext
from vitcam.machine import Machine

CROP = b'{"crop": [0.25, 0.25, 0.5, 0.5]}'
SLOW_DISK = """
import os, time

fsync = os.fsync

def slow(descriptor):
    time.sleep(8)  # the slow disk itself
    fsync(descriptor)

os.fsync = slow
"""


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", "4m") as place:
        yield place


@pytest.fixture
def camera() -> Iterator[FaultyCamera]:
    with FaultyCamera(size=(320, 180)) as camera:
        yield camera


def change(running: Daemon) -> dict[str, Any]:
    """What is answered to a crop."""
    with urlopen(Request(f"{running.url}/api/crop", CROP), timeout=60) as answer:
        found: dict[str, Any] = json.load(answer)
        return found


@pytest.mark.fault(
    "the disk of the state is full or read-only",
    injected="a tmpfs that is filled, or a read-only one in its place, while it runs",
    observed="what is changed is in force, the answer says that it is not kept and why; once there is room, it is kept",
)
@pytest.mark.parametrize("fault", ["full", "read-only"])
def test_a_disk_that_cannot_be_written_costs_only_the_memory_of_it(
    fault: str, disk: Path, camera: FaultyCamera
) -> None:
    with daemon("--source", camera.url, "--model", "mnist", STATE_DIRECTORY=str(disk / "state")) as running:
        running.wait_for("ok")
        (disk / "state").mkdir(exist_ok=True)
        if fault == "full":
            fill(disk)
        else:
            subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", disk / "state"], check=True, timeout=60)
        refused, state = change(running), running.state()
        if fault == "full":
            (disk / "filler").unlink()
        else:
            subprocess.run(["umount", disk / "state"], check=True, timeout=60)
        kept = change(running)

        assert not refused["remembered"]
        assert ("No space left" if fault == "full" else "Read-only file system") in refused["reason"]
        assert state["view"]["crop"] == [0.25, 0.25, 0.5, 0.5]
        assert kept["remembered"], kept["reason"]
        assert "Traceback" not in running.errors()


@pytest.mark.fault(
    "the disk of the state is full or read-only, and a model cannot be read",
    injected="a tmpfs that is filled, or a read-only one in its place, and a model of zeros in the folder of models",
    observed="frames are classified; state, `/readyz` and figures name every reason until it is over",
)
@pytest.mark.parametrize("fault", ["full", "read-only"])
def test_a_disk_that_takes_nothing_and_a_model_that_cannot_be_read_are_all_said(
    fault: str, disk: Path, camera: FaultyCamera, tmp_path: Path
) -> None:
    models, state = tmp_path / "data" / "vitcam" / "models", disk / "state"
    models.mkdir(parents=True)
    state.mkdir()
    places = {"STATE_DIRECTORY": str(state), "XDG_DATA_HOME": str(tmp_path / "data")}
    with daemon("--source", camera.url, "--model", "mnist", **places) as running:
        running.wait_for("ok")
        well = get_json(f"{running.url}/readyz")
        (models / "broken.tflite").write_bytes(bytes(1000))
        if fault == "full":
            fill(disk)
        else:
            subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", state], check=True, timeout=60)
        assert eventually(lambda: len(running.state()["reasons"]) == 3)
        found, ready = running.state(), get_json(f"{running.url}/readyz")
        with urlopen(f"{running.url}/metrics", timeout=10) as answer:
            figures = answer.read().decode().splitlines()
        doctor = machine.disk(CheckContext(Settings(), Machine(places)))
        if fault == "full":
            (disk / "filler").unlink()
        else:
            subprocess.run(["umount", state], check=True, timeout=60)
        (models / "broken.tflite").unlink()
        over = running.wait_for("ok")

        assert well == {"status": "ok"}
        disk_trouble, history_trouble, model_trouble = found["reasons"]
        assert f"the disk of {state} is {fault}" in disk_trouble
        assert history_trouble.startswith(f"no events are kept in {state}: ")
        assert "broken.tflite is not a TFLite model" in model_trouble
        assert (found["status"], found["reason"]) == ("degraded", "; ".join(found["reasons"]))
        assert ready == {"status": "degraded", "reason": found["reason"]}
        assert {"vitcam_ready 1.0", "vitcam_degraded 1.0"} <= {*figures}
        assert (doctor.status, disk_trouble.startswith(doctor.found)) == ("fail", True)
        assert over["reason"] == ""
        assert "Traceback" not in running.errors()


@pytest.mark.fault(
    "the disk of the state is slow",
    injected="`fsync` that takes 8 s",
    observed="state, page and frames are as quick as ever meanwhile; SIGTERM ends it nevertheless",
)
def test_a_slow_disk_delays_only_the_answer_that_waits_for_it(tmp_path: Path, camera: FaultyCamera) -> None:
    (tmp_path / "sitecustomize.py").write_text(SLOW_DISK)
    slow = {"PYTHONPATH": str(tmp_path), "STATE_DIRECTORY": str(tmp_path / "state")}
    with daemon("--source", camera.url, "--model", "mnist", **slow) as running:
        running.wait_for("ok")
        request = f"Request({running.url + '/api/crop'!r}, {CROP!r})"
        client = [sys.executable, "-c", f"from urllib.request import *; urlopen({request})"]
        with subprocess.Popen(client, stderr=subprocess.DEVNULL) as changing:
            assert eventually(lambda: list((tmp_path / "state").glob(".vitcam-partial-*")))  # it waits for the disk
            before, began = running.state()["frames"]["classified"], time.monotonic()
            more = eventually(lambda: running.state()["frames"]["classified"] > before + 20)
            took_s, waits = time.monotonic() - began, changing.poll() is None
            code, _ = running.end()

        assert more
        assert waits
        assert took_s < 6
        assert code == 0


@pytest.mark.fault(
    "the disk that `--log json` is written to becomes full while it runs",
    injected="standard output in a file on a tmpfs of 64 kB",
    observed="the run ends with one sentence and exit code 1; every line that fitted is whole but the last",
)
def test_a_log_on_a_disk_that_becomes_full_ends_the_run_with_a_sentence(tmp_path: Path, camera: FaultyCamera) -> None:
    options = ("--source", camera.url, "--model", "mnist", "--emit", "all", "--set", "look.rest=0")
    with small_disk(tmp_path / "disk", "64k") as disk, daemon(*options, stdout=str(disk / "log.jsonl")) as running:
        log = disk / "log.jsonl"
        code = running.process.wait(120)
        lines = log.read_text().splitlines()

        assert code == 1
        assert running.errors().splitlines()[-1].startswith("vitcam: ")
        assert "No space left" in running.errors()
        assert "Traceback" not in running.errors()
        assert [json.loads(line)["type"] for line in lines[:-1]]
