"""The soak itself: a camera with faults, a daemon, clients; a reading every few seconds."""

import itertools
import json
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any

from tests.daemon import Daemon, daemon
from tests.eventually import eventually
from tests.soak.camera import FaultyCamera
from tests.soak.gauge import Reading, open_files, read

FAULT_EVERY_S = 20.0
_FIRST_S = 10.0
_READ_EVERY_S = 2.0
_AT_REST_S = 25.0  # connections that do nothing are closed by then
_LATEST_REST_S = 75.0  # bodies that never come are given up by then, and idle processes have ended


@dataclass(frozen=True)
class Fault:
    """One fault of the camera."""

    name: str
    at_s: float
    back_after_s: float | None
    """How long it took until frames came again; None if it took longer than until the next fault."""


@dataclass(frozen=True)
class Soak:
    """What was seen."""

    seconds: float
    readings: list[Reading]
    faults: list[Fault]
    rest_before: Reading
    """Before the clients, once each part has been asked for."""
    rest_after: Reading
    """After the last one."""
    open_files: dict[str, int]
    """What the daemon's descriptors refer to then, and how often."""
    clients: dict[str, Any]
    state: dict[str, Any]
    exit_code: int
    ended_in_s: float
    errors: str


def soak(seconds: float, model: str = "everyday") -> Soak:
    """Run it. Raises AssertionError if the daemon does not start, or ends before its time."""
    options = ("--model", model, "--wait", "--set", "log.emit=changes")
    with FaultyCamera(pictures=64) as camera, daemon("--source", camera.url, *options) as running:
        running.wait_for("ok")
        began = time.monotonic()
        _visits(running, _FIRST_S).communicate(timeout=60 + _FIRST_S)  # starts what is started on demand
        rest_before = _at_rest(running, began)
        clients = _visits(running, seconds)
        try:
            readings, faults = _watch(running, camera, began, time.monotonic() + seconds)
            did = json.loads(clients.communicate(timeout=60)[0])
        except OSError as error:
            ended = running.process.poll()
            raise AssertionError(f"{error}; exit code {ended}; its log: {running.errors()[-4000:]}") from error
        finally:
            clients.kill()
            clients.wait()
        rest_after = _at_rest(running, began, rest_before.descriptors)
        files = open_files(running.process.pid)
        state = running.state()
        code, took_s = running.end()
        return Soak(
            seconds, readings, faults, rest_before, rest_after, files, did, state, code, took_s, running.errors()
        )


def _visits(running: Daemon, seconds: float) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "tests.soak.clients", running.url.removeprefix("http://"), str(seconds)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def _at_rest(running: Daemon, began: float, enough: int = 10**6) -> Reading:
    """The reading with the fewest descriptors while the camera runs and nobody else is connected.

    enough  descriptors; while there are more, it waits longer
    """
    least = read(running.process.pid, time.monotonic() - began)
    start = time.monotonic()
    while (waited := time.monotonic() - start) < _LATEST_REST_S and (waited < _AT_REST_S or least.descriptors > enough):
        time.sleep(1)
        found = read(running.process.pid, time.monotonic() - began)
        least = min(least, found, key=lambda each: (each.descriptors, each.threads))
    return least


def _watch(running: Daemon, camera: FaultyCamera, began: float, until: float) -> tuple[list[Reading], list[Fault]]:
    readings: list[Reading] = []
    faults: list[Fault] = []
    names = itertools.cycle(camera.faults)
    fault, fault_at, back, before = "", time.monotonic(), None, 0
    while (now := time.monotonic()) < until:
        readings.append(read(running.process.pid, now - began))
        if now - fault_at >= FAULT_EVERY_S and until - now > FAULT_EVERY_S:
            if fault:
                faults.append(Fault(fault, fault_at - began, back))
            fault, fault_at, back = next(names), now, None
            before = _captured(running)
            camera.begin(fault)
        elif fault and back is None and _plays(running, before):
            back = now - fault_at
        time.sleep(_READ_EVERY_S)
    if fault:
        faults.append(Fault(fault, fault_at - began, back))
    return readings, faults


def _captured(running: Daemon) -> int:
    return int(running.state()["frames"]["captured"])


def _plays(running: Daemon, before: int) -> bool:
    """Whether the camera's pictures come at their rate again: ten within a second and a half."""
    now = _captured(running)
    return now > before and bool(eventually(lambda: _captured(running) >= now + 10, 1.5, every_s=0.1))
