"""The machine under full load, minute by minute: what it keeps of its speed when it has become hot."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from vitcam.benchmark.measure import BenchPlan, Step, measure
from vitcam.benchmark.row import MachineHealth, health_of
from vitcam.errors import UsageError
from vitcam.machine import Machine, read_text
from vitcam.model.files import find_model

_LEAST_MINUTES, _MOST_MINUTES = 0.01, 120.0


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
    path, threads = find_model(plan.model), max(plan.threads)
    turns = math.ceil(minutes)
    turn_s = 60 * minutes / turns
    found = []
    for turn in range(turns):
        announce(turn, turns)
        step = Step("model", threads, turn + 1, ("graph", str(path), str(threads), str(turn_s)))
        figures = measure(plan, step)
        found.append(
            HotMinute(
                round((turn + 1) * turn_s, 1), round(figures["fps"], 2), round(figures["p99_ms"], 2),
                clock_mhz(machine.root), health_of(machine),
            )
        )  # fmt: skip
    return found


def clock_mhz(root: Path) -> int | None:
    """The clock of the fastest core in MHz, as the kernel reports it; None where it does not."""
    files = root.glob("sys/devices/system/cpu/cpu*/cpufreq/scaling_cur_freq")
    khz = [int(text) for file in files if (text := read_text(file).strip()).isdigit()]
    return max(khz) // 1000 if khz else None
