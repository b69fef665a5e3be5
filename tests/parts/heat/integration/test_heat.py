"""`vitcam run` on a Raspberry Pi's /sys: what it does, says and logs while temperature and power change."""

from pathlib import Path

import pytest

from tests.daemon import daemon
from tests.eventually import eventually
from tests.fake_machine import FakeMachine
from tests.service_manager import Manager


@pytest.fixture
def machine(tmp_path: Path) -> FakeMachine:
    return FakeMachine(tmp_path)


def test_a_hot_processor_limits_the_rate_until_it_is_cool_and_the_log_has_a_line_for_each_step(
    machine: FakeMachine,
) -> None:
    with daemon("--source", "demo", "--set", "model.fps=0", PYTHONPATH=machine.python_path) as running:
        running.wait_for("ok")
        cool = eventually(lambda: running.state()["heat"]["celsius"] and running.state()["heat"])
        machine.celsius(62.0)
        machine.celsius(70.0)
        machine.celsius(79.0)
        eventually(lambda: running.state()["heat"]["celsius"] == 79)
        machine.celsius(83.0)
        hot = eventually(lambda: running.state()["heat"]["max_fps"] == 1 and running.state()["heat"])
        slow = eventually(lambda: 0 < running.state()["fps"]["classified"] < 2)
        machine.without_sensor()
        eventually(lambda: running.state()["heat"]["celsius"] is None)
        blind = running.state()["heat"]
        machine.celsius(70.0)
        eventually(lambda: running.state()["heat"]["celsius"] == 70)
        machine.celsius(50.0)
        lifted = eventually(lambda: running.state()["heat"]["max_fps"] == 0)
        lines = running.errors().splitlines()
        code, _ = running.end()

    assert (cool["limit_celsius"], cool["max_fps"], cool["advice"]) == (80, 0, "")
    assert "vitcam classifies at most 1.0 frames/s" in hot["advice"]
    assert slow
    assert blind["max_fps"] == 1
    assert lifted
    assert any("the processor is at 83 °C, its limit is 80 °C: at most " in line for line in lines)
    assert any("the rate is not limited any more" in line for line in lines)
    assert len(lines) < 60
    assert code == 0


def test_a_weak_supply_is_shown_with_what_to_do_and_logged_once_however_it_flickers(machine: FakeMachine) -> None:
    with daemon("--source", "demo", "--set", "model.fps=0", PYTHONPATH=machine.python_path) as running:
        running.wait_for("ok")
        for _ in range(3):
            machine.throttled("50005")
            weak = eventually(lambda: running.state()["heat"]["hindrances"] and running.state()["heat"])
            machine.throttled("50000")
            eventually(lambda: not running.state()["heat"]["hindrances"])
        well = running.state()["heat"]
        told = running.errors().count("under-voltage")

    assert weak["hindrances"] == ["under-voltage", "throttled"]
    assert "Use the official 27 W supply and a short cable." in weak["advice"]
    assert weak["max_fps"] == 0
    assert well["since_boot"] == ["under-voltage", "throttled"]
    assert well["advice"] == ""
    assert told == 1


def test_nothing_is_limited_where_the_governor_is_switched_off(machine: FakeMachine) -> None:
    machine.celsius(95.0)
    options = ("--source", "demo", "--set", "heat.enabled=false")
    with daemon(*options, PYTHONPATH=machine.python_path) as running:
        running.wait_for("ok")
        heat = eventually(lambda: running.state()["heat"]["celsius"] == 95 and running.state()["heat"])

    assert (heat["limit_celsius"], heat["max_fps"]) == (None, 0)


def test_the_status_line_says_what_slows_the_run(machine: FakeMachine, tmp_path: Path) -> None:
    machine.throttled("1")
    manager = Manager(tmp_path / "notify")
    environment = manager.environment() | {"PYTHONPATH": machine.python_path}
    with daemon("--source", "demo", **environment) as running:
        weak = manager.wait_for(lambda message: "under-voltage" in message)
        running.end()
    manager.close()

    assert weak.startswith("STATUS=")
    assert weak.endswith("fps; under-voltage")
