"""What the heat watch makes of sensors, and what it tells."""

import logging
from pathlib import Path

import pytest

from vitcam.machine import Machine
from vitcam.parts.heat.governor import GovernorRules
from vitcam.parts.heat.state import Heat
from vitcam.parts.heat.watch import HeatWatch, advice_for, is_slowed
from vitcam.pipeline.limits import PaceLimits, Progress

RULES = GovernorRules(80.0, 3)


def say(root: Path, celsius: str) -> None:
    zone = root / "sys/class/thermal/thermal_zone0/temp"
    zone.parent.mkdir(parents=True, exist_ok=True)
    zone.write_text(celsius)


def watching(machine: Machine, heat: Heat = Heat()) -> HeatWatch:  # noqa: B008 - frozen
    """One that never starts, so that it asks no pipeline."""
    watch = HeatWatch(machine, RULES, PaceLimits(), None)  # type: ignore[arg-type]
    watch.heat = heat
    return watch


def test_a_machine_without_sensors_is_never_limited(tmp_path: Path) -> None:
    watch = watching(Machine({}, tmp_path))
    for second in range(0, 60, 2):
        watch.look(float(second), Progress(30 * second, 24.0))

    assert (watch._limits.max_fps, watch._limits.threads) == (0, 0)
    assert watch.heat == Heat(limit_celsius=80.0)


def test_a_change_of_the_limits_is_one_line_of_the_log_and_looks_without_one_are_none(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    watch = watching(Machine({}, tmp_path))
    steps = {(0.0, 0)}
    for second in range(0, 240, 2):
        say(tmp_path, f"{min(60000 + 200 * second, 79000)}\n")
        watch.look(float(second), Progress(30 * second, 24.0))
        steps.add((watch._limits.max_fps, watch._limits.threads))

    assert 0 < watch._limits.max_fps < 30
    assert 1 < len(steps) < 40
    assert len(caplog.messages) == len(steps) - 1
    assert all("the processor is at" in line for line in caplog.messages)


def test_looking_starts_no_process_where_the_kernel_does_not_say_what_the_firmware_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "proc/device-tree").mkdir(parents=True)
    (tmp_path / "proc/device-tree/model").write_text("Raspberry Pi 5")
    (tmp_path / "vcgencmd").write_text(f"#!/bin/sh\ntouch {tmp_path}/started\necho throttled=0x5\n")
    (tmp_path / "vcgencmd").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    machine = Machine({}, tmp_path)
    watch = watching(machine)
    watch.look(2.0, Progress(0, 0.0))
    started = (tmp_path / "started").exists()

    assert not started
    assert machine.hindrances() == (["under-voltage", "throttled"], [])


@pytest.mark.parametrize(
    ("hindrances", "celsius", "slowed"),
    [
        (["soft temperature limit"], 60.0, True),
        (["throttled"], 85.0, True),
        (["throttled", "under-voltage"], 85.0, False),
        (["throttled"], 50.0, False),
        (["frequency capped"], 85.0, False),
        ([], 95.0, False),
    ],
)
def test_only_heat_counts_as_slowed_and_not_a_weak_supply(hindrances: list[str], celsius: float, slowed: bool) -> None:
    assert is_slowed(hindrances, celsius) is slowed


def test_the_status_line_and_the_page_say_why_it_is_slow_and_nothing_while_all_is_well() -> None:
    hot = Heat(79.2, 80.0, 12.5, 2, ("under-voltage",), (), "")

    assert watching(Machine({}), hot).words() == "at most 12.5 fps because of heat (79 °C), under-voltage"
    assert "at most 12.5 frames/s with 2 threads" in advice_for(hot)
    assert "Use the official 27 W supply" in advice_for(hot)
    assert watching(Machine({}), Heat(60.0, 80.0)).words() == advice_for(Heat(60.0, 80.0)) == ""


@pytest.mark.parametrize(("heat", "own", "both"), [(0, 0, 0), (5, 0, 5), (0, 7, 7), (5, 7, 5), (9, 7, 7)])
def test_the_narrower_of_two_limits_counts_and_none_is_no_limit(heat: float, own: float, both: float) -> None:
    limits = PaceLimits()
    limits.max_fps = heat

    assert limits.lower(own) == both


def test_a_temperature_is_offered_once_a_sensor_was_read(tmp_path: Path) -> None:
    watch = watching(Machine({}, tmp_path))
    before = watch.entities()
    say(tmp_path, "61000")
    watch.look(0.0, Progress(0, 24.0))

    assert (before, [each.key for each in watch.entities()]) == ((), ["temperature"])
