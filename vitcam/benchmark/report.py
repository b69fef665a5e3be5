"""What the owner of a machine sends to others: the machine, and minutes of full load, in which it becomes hot."""

import math
import os
import platform
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from vitcam.benchmark.measure import BenchPlan, Step, measure
from vitcam.errors import UsageError
from vitcam.machine import Machine, read_text
from vitcam.model.files import find_model

_PACKAGES = (
    "vitcam",
    "ai-edge-litert",
    "tflite-runtime",
    "numpy",
    "opencv-python-headless",
    "opencv-python",
    "picamera2",
)
_LEAST_MINUTES, _MOST_MINUTES = 0.01, 120.0


def machine_facts(machine: Machine) -> dict[str, str]:
    """Name -> what was found, in the order in which it is read; what is not known is left out."""
    found = {
        "board": machine.board,
        "processor": _processor(machine),
        "cores": str(len(os.sched_getaffinity(0))),
        "memory": _memory(machine),
        "system": _system(),
        "kernel": f"{platform.release()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": ", ".join(_versions()),
    }
    return {name: text for name, text in found.items() if text}


def _processor(machine: Machine) -> str:
    """As /proc/cpuinfo calls it; of an ARM core it has the part number alone, 0xd0b for a Cortex-A76."""
    text = read_text(machine.root / "proc/cpuinfo")
    for name in ("model name", "CPU part"):
        if found := re.search(rf"^{name}\s*:\s*(.+)$", text, re.MULTILINE):
            return found[1] if name == "model name" else f"ARM part {found[1]}"
    return ""


def _memory(machine: Machine) -> str:
    found = re.search(r"^MemTotal:\s*(\d+) kB", read_text(machine.root / "proc/meminfo"), re.MULTILINE)
    return f"{int(found[1]) / 1024**2:.1f} GiB" if found else ""


def _system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return ""


def _versions() -> Iterator[str]:
    for package in _PACKAGES:
        try:
            yield f"{package} {version(package)}"
        except PackageNotFoundError:
            continue


@dataclass(frozen=True, slots=True)
class MachineHealth:
    """Temperature of the machine, and whether it is throttled."""

    celsius: float | None
    """Of the hottest sensor."""
    held_back_by: list[str] | None
    """Such as `throttled`; None if there is no firmware of a Pi."""
    since_boot: list[str] | None


@dataclass(frozen=True, slots=True)
class HotMinute:
    """One turn of the load, and the machine at its end."""

    seconds: float
    """Since the load began."""
    fps: float
    p99_ms: float
    clock_mhz: int | None
    """Of the fastest core; None where the kernel does not say it."""
    health: MachineHealth


def check_minutes(minutes: float) -> None:
    """Raises UsageError for a load that is too short or too long."""
    if not _LEAST_MINUTES <= minutes <= _MOST_MINUTES:
        raise UsageError(f"--minutes is {minutes:g}; a number from {_LEAST_MINUTES:g} to {_MOST_MINUTES:g} is allowed")


def hot_minutes(
    plan: BenchPlan, machine: Machine, minutes: float, announce: Callable[[int, int], None]
) -> list[HotMinute]:
    """Run the model without a pause on the most threads of the plan.

    minutes   of the load, 0.01 to 120
    announce  called before each turn with its number from 0, and with the number of turns
    raises    ModelError if the model cannot be run; VitcamError if a measurement fails
    """
    turns = math.ceil(minutes)
    step = Step("model", find_model(plan.model), max(plan.threads), 60 * minutes / turns, 1)
    found = []
    for turn in range(turns):
        announce(turn, turns)
        figures = measure(step)
        found.append(
            HotMinute(
                seconds=round((turn + 1) * step.seconds, 1),
                fps=round(figures["fps"], 2),
                p99_ms=round(figures["p99_ms"], 2),
                clock_mhz=clock_mhz(machine.root),
                health=health_of(machine),
            )
        )
    return found


def health_of(machine: Machine) -> MachineHealth:
    """The machine's temperature, and what the firmware of a Pi reports."""
    now, since_boot = machine.hindrances() or (None, None)
    return MachineHealth(machine.hottest_celsius(), now, since_boot)


def clock_mhz(root: Path) -> int | None:
    """The clock of the fastest core in MHz, as the kernel reports it; None where it does not."""
    files = root.glob("sys/devices/system/cpu/cpu*/cpufreq/scaling_cur_freq")
    khz = [int(text) for file in files if (text := read_text(file).strip()).isdigit()]
    return max(khz) // 1000 if khz else None
