"""`vitcam doctor` on memory, disk, heat and power."""

import os
import shutil
from pathlib import Path

import pytest

from tests.unit.doctor.places import put
from vitcam.doctor import machine
from vitcam.doctor.check import CheckContext, CheckResult


@pytest.mark.parametrize(("available_kb", "status"), [(4_000_000, "ok"), (300_000, "warn"), (100_000, "fail")])
def test_memory_is_judged_by_what_can_be_had(context: CheckContext, available_kb: int, status: str) -> None:
    put(context, "proc/meminfo", f"MemTotal: 8000000 kB\nMemFree: 1 kB\nMemAvailable: {available_kb} kB\n")

    assert machine.memory(context).status == status


@pytest.mark.parametrize(("free", "status"), [(2_000_000_000, "ok"), (200_000_000, "warn"), (1_000_000, "fail")])
def test_the_disk_is_judged_where_the_state_will_lie(
    context: CheckContext, monkeypatch: pytest.MonkeyPatch, free: int, status: str
) -> None:
    asked: list[Path] = []

    def disk_usage(path: Path) -> object:
        asked.append(path)
        return type("Usage", (), {"free": free})

    monkeypatch.setattr(shutil, "disk_usage", disk_usage)

    finding = machine.disk(context)

    assert finding.status == status
    assert asked == [context.machine.root]  # HOME: nothing below it exists yet
    assert str(context.machine.root / ".local/state/vitcam") in finding.found


@pytest.mark.parametrize(
    ("readings", "status", "found"),
    [
        ([], "ok", "no sensor here"),
        (["48300"], "ok", "48 °C"),
        (["48300", "81200"], "warn", "81 °C; from 80 °C on a Pi slows down"),
        (["", "nonsense", "50000"], "ok", "50 °C"),
    ],
)
def test_the_hottest_sensor_is_what_counts(context: CheckContext, readings: list[str], status: str, found: str) -> None:
    for number, reading in enumerate(readings):
        put(context, f"sys/class/thermal/thermal_zone{number}/temp", f"{reading}\n")

    finding = machine.temperature(context)

    assert (finding.status, finding.found) == (status, found)


@pytest.mark.parametrize(
    ("bits", "status", "found", "fix"),
    [
        ("0", "ok", "neither throttled nor under-voltage since the boot", ""),
        ("0x50005", "warn", "now: under-voltage, throttled; since the boot: under-voltage, throttled", "27 W supply"),
        ("80000", "warn", "now: nothing; since the boot: soft temperature limit", "fan or heat sink"),
        ("a000a", "warn", "now: frequency capped, soft temperature limit", "fan or heat sink"),
        ("nonsense", "ok", "the firmware gives no information", ""),
    ],
)
def test_the_bits_of_the_firmware_are_put_into_words(
    context: CheckContext, bits: str, status: str, found: str, fix: str
) -> None:
    put(context, "proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0\0")
    put(context, "sys/devices/platform/soc@107c000000/soc@107c000000:firmware/get_throttled", f"{bits}\n")

    finding = machine.power(context)

    assert finding.status == status
    assert finding.found.startswith(found)
    assert fix in finding.fix


def test_the_firmware_is_asked_by_vcgencmd_where_no_file_tells(
    context: CheckContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(context, "proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0\0")
    put(context, "bin/vcgencmd", "#!/bin/sh\necho throttled=0x1\n")
    (tmp_path / "bin/vcgencmd").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)

    assert machine.power(context).found == "now: under-voltage; since the boot: nothing"


def test_a_pc_has_no_firmware_that_throttles(context: CheckContext) -> None:
    assert machine.power(context) == CheckResult("ok", "no Raspberry Pi firmware here")
