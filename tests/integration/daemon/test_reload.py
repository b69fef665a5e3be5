"""SIGHUP to a real daemon: new settings are used without a lost frame, and wrong ones change nothing."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.daemon import Daemon, daemon, get_json
from tests.eventually import eventually
from tests.needs import need_program
from tests.service_manager import Manager

RELOADED = "the settings were read again"


@pytest.fixture
def photos(tmp_path: Path) -> str:
    """Fifty small photos."""
    folder = tmp_path / "photos"
    folder.mkdir()
    for i in range(50):
        cv2.imwrite(str(folder / f"{i:02}.png"), np.full((28, 28, 3), 5 * i, np.uint8))
    return str(folder)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.toml"
    path.write_text("")
    return path


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    manager = Manager(tmp_path / "notify")
    yield manager
    manager.close()


def reload(running: Daemon, config: Path, text: str) -> None:
    """Write the configuration, and wait until the daemon has read it."""
    before = running.errors().count(RELOADED)
    config.write_text(text)
    running.process.send_signal(signal.SIGHUP)
    assert eventually(lambda: running.errors().count(RELOADED) > before, 30), running.errors()


def test_fifty_reloads_of_a_lossless_source_lose_no_frame(photos: str, config: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    options = ("--source", photos, "--no-realtime", "--loop", "--model", "mnist", "--config", str(config))
    with daemon(*options, stdout=str(out), VITCAM_MODEL_THREADS="1") as running:
        running.wait_for("ok")
        for i in range(50):
            reload(running, config, f"[model]\nfps = {150 + i}\n[events]\nenter = 0.{50 + i}\nleave = 0.1\n")
        code, _ = running.end()
        errors = running.errors()

    records = [json.loads(line) for line in out.read_text().splitlines()]
    seen = [record["seq"] for record in records if record["type"] == "prediction"]
    assert code == 0
    assert errors.count(RELOADED) == 50
    assert len(seen) > 500
    assert seen == list(range(len(seen)))
    assert (records[-1]["type"], records[-1]["errors"], records[-1]["dropped"]) == ("summary", 0, 0)


CHANGED = """
[overlay]
mode = "grid"
[camera]
crop = "0,0,0.5,1"
width = 640
[model]
fps = 5
top_k = 2
"""


def test_new_values_are_used_and_what_needs_a_restart_is_named(config: Path, manager: Manager) -> None:
    options = ("--source", "demo", "--loop", "--config", str(config), "--top-k", "4")
    with daemon(*options, **manager.environment()) as running:
        running.wait_for("ok")
        reload(running, config, CHANGED)
        default = get_json(f"{running.url}/api/model")["stream"]["default"]
        crop = running.state()["view"]["crop"]
        slower = eventually(lambda: 0 < running.state()["fps"]["classified"] < 8, 30)
        status = manager.wait_for(lambda message: message.startswith("STATUS=") and "a restart is needed" in message)
        reload(running, config, "")
        whole = running.state()["view"]["crop"]
        cleared = eventually(lambda: "a restart" not in manager.messages()[-1], 30)
        errors = running.errors()
        code, _ = running.end()

    assert (default["overlay"], crop, whole) == ("grid", [0, 0, 0.5, 1], None)
    assert slower
    # top_k is given by an option, which wins over the file as at the start
    assert "new values are used for camera.crop, model.fps and overlay.mode; a restart is needed for camera" in errors
    assert status.endswith(" fps; a restart is needed for camera.width")
    assert cleared
    assert code == 0


def test_systemd_hears_that_a_reload_begins_and_ends(config: Path, manager: Manager) -> None:
    with daemon("--source", "demo", "--loop", "--config", str(config), **manager.environment()) as running:
        manager.wait_for(lambda message: message.startswith("READY=1"))
        asked_us = time.monotonic_ns() // 1000
        reload(running, config, "[events]\nenter = 0.9\n")
        begun = manager.wait_for(lambda message: message.startswith("RELOADING=1"))
        eventually(lambda: ready_count(manager) == 2, 10)
        messages = manager.messages()
        running.end()

    stamped = re.fullmatch(r"RELOADING=1\nMONOTONIC_USEC=(\d+)", begun)
    assert stamped
    assert asked_us <= int(stamped[1]) <= time.monotonic_ns() // 1000
    after = messages[messages.index(begun) + 1 :]
    assert any(message.startswith("READY=1\nSTATUS=") for message in after)


def ready_count(manager: Manager) -> int:
    return sum(message.startswith("READY=1") for message in manager.messages())


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("[events\n", "is not TOML"),
        ("[events]\nenter = 7\n", "events.enter is 7; allowed is a number from 0 to 1"),
    ],
)
def test_wrong_settings_change_nothing_and_are_told_in_log_and_status_line(
    config: Path, manager: Manager, wrong: str, why: str
) -> None:
    with daemon("--source", "demo", "--loop", "--config", str(config), **manager.environment()) as running:
        running.wait_for("ok")
        config.write_text("[overlay]\nmode = 'grid'\n" + wrong)
        running.process.send_signal(signal.SIGHUP)
        status = manager.wait_for(lambda message: "the settings stay as they were" in message, 30)
        default = get_json(f"{running.url}/api/model")["stream"]["default"]
        errors = running.errors()
        state = running.state()
        running.end()

    assert why in status
    assert errors.count("the settings stay as they were") == 1
    assert "Traceback" not in errors
    assert default["overlay"] != "grid"
    assert state["status"] == "ok"


def handles_sighup(pid: int) -> bool:
    """Whether the process has a handler for SIGHUP by now; proc(5), SigCgt."""
    found = re.search(r"SigCgt:\s*(\w+)", Path(f"/proc/{pid}/status").read_text())
    return found is not None and bool(int(found[1], 16) & 1 << signal.SIGHUP - 1)


def test_a_storm_of_reloads_while_it_starts_and_while_it_ends_is_harmless(config: Path) -> None:
    with daemon("--source", "demo", "--loop", "--config", str(config)) as running:
        eventually(lambda: handles_sighup(running.process.pid), 30)
        storm(running)
        running.wait_for("ok")
        eventually(lambda: RELOADED in running.errors(), 30)
        of_start = running.errors().count(RELOADED)
        storm(running)
        eventually(lambda: running.errors().count(RELOADED) > of_start, 30)
        running.wait_for("ok")
        running.process.send_signal(signal.SIGTERM)
        storm(running)
        code = running.process.wait(30)

    assert of_start == 1
    assert code == 0


def storm(running: Daemon) -> None:
    for _ in range(500):
        running.process.send_signal(signal.SIGHUP)


def test_a_terminal_that_is_closed_ends_the_run_and_the_signal_by_itself_does_not(tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-m", "vitcam", "run", "--source", "demo", "--loop", "--no-web"]
    environ = os.environ | {"XDG_CONFIG_HOME": "/nonexistent"}
    errors = tmp_path / "errors"
    master, slave = pty.openpty()
    with errors.open("wb") as log:
        # it becomes the controlling terminal, as in a shell; tests that run under nohup ignore SIGHUP
        setsid = [need_program("setsid"), "--ctty", need_program("env"), "--default-signal=HUP"]
        child = subprocess.Popen([*setsid, *command], stdin=slave, stdout=subprocess.DEVNULL, stderr=log, env=environ)
    os.close(slave)
    eventually(lambda: handles_sighup(child.pid), 30)
    child.send_signal(signal.SIGHUP)
    reloaded = eventually(lambda: RELOADED in errors.read_text(), 30)
    os.close(master)
    ended = eventually(lambda: child.poll() is not None, 10)
    child.kill()
    code = child.wait(10)

    assert reloaded, errors.read_text()
    assert ended
    assert code == 0
