"""A real daemon whose threads fail or hang: each begins again, and the state says what is missing."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.daemon import Daemon, daemon, get_json
from tests.eventually import eventually
from tests.service_manager import Manager

FAULTS = """
import importlib.abc, importlib.machinery, sys, time
from pathlib import Path

HERE = Path(__file__).parent

class After(importlib.abc.Loader):
    def __init__(self, loader, change):
        self.loader, self.change = loader, change
    def create_module(self, spec):
        return self.loader.create_module(spec)
    def exec_module(self, module):
        self.loader.exec_module(module)
        self.change(module)

class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name not in CHANGES:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        spec.loader = After(spec.loader, CHANGES[name])
        return spec

def fails_once(of, name, error):
    does, left = getattr(of, name), [1]
    def fails(*args, **more):
        if left:
            left.pop()
            raise error
        return does(*args, **more)
    setattr(of, name, fails)

def hangs(of, name):
    does = getattr(of, name)
    def waits(*args, **more):
        while (HERE / "hang").exists():
            time.sleep(0.05)  # the thread that hangs, until the test lets it go on
        return does(*args, **more)
    setattr(of, name, waits)

def short(kinds):
    import dataclasses
    kinds.KINDS["history"] = dataclasses.replace(kinds.KINDS["history"], bound_s=2.0)

CHANGES = {}
sys.meta_path.insert(0, Finder())
"""


def patched(folder: Path, changes: str) -> str:
    """A PYTHONPATH with faults. changes: module -> function that changes it, as Python."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(FAULTS.replace("CHANGES = {}", f"CHANGES = {changes}"))
    return str(folder)


EACH_FAILS_ONCE = """{
    "vitcam.history.writer": lambda module: fails_once(module.HistoryWriter, "_housekeep", OSError("in the history")),
    "vitcam.parts.clips.encoding": lambda module: fails_once(module.ClipQueue, "_next", MemoryError("in clips")),
    "vitcam.parts.heat.watch": lambda module: fails_once(module.HeatWatch, "look", ValueError("in heat")),
    "vitcam.parts.alerts.runner": lambda module: fails_once(module.ActionRunner, "_run", KeyError("in rules")),
    "vitcam.parts.alerts.worker_queue": lambda module: fails_once(
        module.WorkerQueue, "_next", SystemExit("in commands")
    ),
}"""
LOST = ("no events are kept", "no clips are made", "the temperature is not watched", "no rule acts", "actions of")
THE_HISTORY_HANGS = """{
    "vitcam.threads.kinds": short,
    "vitcam.history.writer": lambda module: hangs(module.HistoryWriter, "_write"),
}"""
RULE = """
[[on]]
name = "log"
command = ["cat"]
label = ""
[clips]
enabled = true
"""


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    manager = Manager(tmp_path / "notify")
    yield manager
    manager.close()


def all_failed(running: Daemon) -> bool:
    reason = running.state()["reason"]
    return all(each in reason for each in LOST)


def events_of(running: Daemon) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = get_json(f"{running.url}/api/events")["events"]
    return events


@pytest.mark.fault(
    "the loop of a thread fails",
    injected="an error that nobody expected in the history, the clips, the rules, an action and the heat watch",
    observed="each begins again: events, their actions and clips are kept; the state says which failed, the watchdog "
    "is fed",
)
def test_every_thread_that_fails_begins_again(tmp_path: Path, manager: Manager) -> None:
    path = patched(tmp_path / "patched", EACH_FAILS_ONCE)
    (tmp_path / "config.toml").write_text(RULE)
    options = ("--source", "demo", "--loop", "--config", str(tmp_path / "config.toml"), "--set", "clips.after_s=1")
    environment = {"PYTHONPATH": path, "STATE_DIRECTORY": str(tmp_path / "state")} | manager.environment()
    with daemon(*options, **environment) as running:
        running.wait_for("degraded")
        said = eventually(lambda: all_failed(running), every_s=0.2)
        events = eventually(
            lambda: [each for each in events_of(running) if each["actions"] and each["clip"]], every_s=0.2
        )
        heat = eventually(lambda: "heat" in running.state())
        code, _ = running.end()

    assert said, running.errors()
    assert events, running.errors()
    assert "ok" in {action["status"] for each in events for action in each["actions"]}
    assert heat
    assert code == 0
    assert manager.longest_hunger_s() < 10


@pytest.mark.fault(
    "the disk of the history hangs",
    injected="a write that does not return for some seconds",
    observed="the state says that no events are kept, everything else continues, and systemd restarts nothing",
)
def test_a_history_that_hangs_is_said_and_harms_nothing_else(tmp_path: Path, manager: Manager) -> None:
    path = patched(tmp_path / "patched", THE_HISTORY_HANGS)
    environment = {"PYTHONPATH": path, "STATE_DIRECTORY": str(tmp_path / "state")} | manager.environment()
    with daemon("--source", "demo", "--loop", **environment) as running:
        running.wait_for("ok")
        hang = Path(path) / "hang"
        hang.touch()
        reason = running.wait_for("degraded")["reason"]
        classified = running.state()["frames"]["classified"]
        fed = len(manager.messages())
        assert eventually(lambda: running.state()["frames"]["classified"] > classified + 20, every_s=0.1)
        assert eventually(lambda: manager.messages()[fed:].count("WATCHDOG=1") >= 2)
        hang.unlink()
        running.wait_for("ok")
        assert eventually(lambda: events_of(running), every_s=0.2)

    assert "no events are kept: its thread has not moved for" in reason
    assert "it waits for the disk" in reason
