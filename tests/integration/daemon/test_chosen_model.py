"""Another model for a running daemon: over HTTP, by the command, at the next start, and where it is killed."""

import http.client
import json
import random
import signal
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.command import vitcam
from tests.daemon import Daemon, answer_to, daemon, get_json
from tests.eventually import eventually


def choose(running: Daemon, name: str, **more: object) -> tuple[int, dict[str, object]]:
    return answer_to(f"{running.url}/api/model", {"name": name, **more})


def test_a_model_is_chosen_taken_back_and_kept_for_the_next_run(tmp_path: Path) -> None:
    state: dict[str, Any] = {"STATE_DIRECTORY": str(tmp_path)}
    with daemon("--source", "demo", **state) as running:
        running.wait_for("ok")
        listed = get_json(f"{running.url}/api/models")
        checked = choose(running, "mnist", check=True)
        unchanged = running.state()["model"]
        chosen = choose(running, "cifar10")
        eventually(lambda: running.state()["model"] == "cifar10")
        card, loads = get_json(f"{running.url}/api/model"), running.state()["model_loads"]
        back = answer_to(f"{running.url}/api/model/back", b"")
        name = get_json(f"{running.url}/api/model")["name"]
        choose(running, "cifar10")
        assert running.end()[0] == 0
    with daemon("--source", "demo", **state) as again:
        kept = again.wait_for("ok")["model"]
        refused = [choose(again, name)[0] for name in ("gone", "../mnist", "")]

    assert {"everyday", "cifar10", "mnist"} <= set(listed["models"])
    assert (listed["name"], listed["before"], listed["fixed"]) == ("everyday", None, "")
    assert (checked[0], unchanged) == (200, "everyday")
    assert chosen == (200, {"name": "cifar10", "unknown": [], "remembered": True, "reason": ""})
    assert (len(card["labels"]), loads) == (10, 2)
    assert (back[0], back[1]["name"], name) == (200, "everyday", "everyday")
    assert kept == "cifar10"
    assert refused == [400, 400, 400]


def test_a_model_that_is_named_elsewhere_is_not_changed_and_the_refusal_says_where(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[model]\nname = "mnist"\n')
    state: dict[str, Any] = {"STATE_DIRECTORY": str(tmp_path / "state")}
    with daemon("--source", "demo", "--config", str(config), **state) as running:
        running.wait_for("ok")
        status, answer = choose(running, "cifar10")
        fixed = get_json(f"{running.url}/api/models")["fixed"]
    by_command = vitcam("models", "use", "cifar10", "--config", str(config), **state)

    assert status == 409
    assert str(config) in str(answer["error"])
    assert fixed.endswith(str(config))
    assert by_command.code == 2
    assert str(config) in by_command.err


def test_the_command_changes_the_model_of_the_daemon_that_runs(tmp_path: Path) -> None:
    state: dict[str, Any] = {"STATE_DIRECTORY": str(tmp_path)}
    before = vitcam("models", "use", "mnist", **state)
    with daemon("--source", "demo", **state) as running:
        first = running.wait_for("ok")["model"]
        said = vitcam("models", "use", "cifar10", **state)
        eventually(lambda: running.state()["model"] == "cifar10", 30)
    missing = vitcam("models", "use", "nothing", **state)

    assert (before.code, "next run" in before.err) == (0, True)
    assert first == "mnist"
    assert said.code == 0, said.err
    assert (missing.code, "nothing" in missing.err) == (2, True)


@pytest.mark.slow("vitcam/daemon")
@pytest.mark.fault(
    "the daemon is killed while another model is put in the place of the one in use",
    injected="SIGKILL at a random moment of the change, ten times",
    observed="the next start has the old model or the new one, whole, and nothing is set aside",
)
def test_a_kill_in_the_middle_of_a_change_leaves_the_old_or_the_new_model(tmp_path: Path) -> None:
    state, chance = {"STATE_DIRECTORY": str(tmp_path)}, random.Random(7)
    found = []
    for _ in range(10):
        with daemon("--source", "demo", **state) as running:
            found.append(running.wait_for("ok")["model"])
            other = "mnist" if found[-1] != "mnist" else "cifar10-scratch"
            ends = chance.uniform(0, 1.5)
            killer = threading.Timer(ends, running.process.send_signal, [signal.SIGKILL])
            killer.start()
            with suppress(OSError, http.client.HTTPException, json.JSONDecodeError):  # killed before it answered
                choose(running, other)
            running.process.wait(30)
    with daemon("--source", "demo", **state) as running:
        found.append(running.wait_for("ok")["model"])
        assert running.state()["reason"] == ""

    assert set(found) <= {"everyday", "mnist", "cifar10-scratch"}
