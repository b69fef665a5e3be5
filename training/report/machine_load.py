"""How busy other processes kept the machine during a measurement: a latency from a busy machine is too long."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

STAT = Path("/proc/stat")
QUIET = 0.1  # cores: what a desktop at rest uses


@dataclass(frozen=True)
class Moment:
    """Seconds on three clocks."""

    wall_s: float
    own_s: float
    """Of this process and of the children that it has waited for."""
    busy_s: float | None
    """Of all cores together, with anything, since the machine started; None where only Linux would tell."""


@dataclass(frozen=True)
class MachineLoad:
    """What ran beside a measurement."""

    cores: float | None
    """That other processes kept busy, on average; None: not known."""
    load: float
    """The system's load average over the last minute, at the end."""

    @property
    def at_rest(self) -> bool:
        """Whether nothing is known to have disturbed it."""
        return self.cores is None or self.cores < QUIET

    @property
    def words(self) -> str:
        """For the readers of a latency."""
        of = f"of the machine's {os.cpu_count()} cores"
        if self.cores is None:
            return f"Other load could not be measured on this machine; the load average was {self.load:.1f}."
        if self.at_rest:
            return f"Nothing else ran: other processes kept {self.cores:.2f} {of} busy."
        return (
            f"The machine was busy: other processes kept {self.cores:.1f} {of} busy meanwhile (load average "
            f"{self.load:.1f}). These times are longer than on an idle machine; make the report again on an idle "
            "machine before you compare them with others."
        )


def now() -> Moment:
    """Now."""
    own = os.times()
    used = own.user + own.system + own.children_user + own.children_system
    return Moment(time.monotonic(), used, busy_s(STAT.read_text()) if STAT.is_file() else None)


def busy_s(stat: str) -> float:
    """Seconds that all cores together were busy.

    stat    the text of `/proc/stat`
    source  proc_stat(5): user nice system idle iowait irq softirq steal, in ticks
    """
    user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, stat.splitlines()[0].split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def machine_load(before: Moment, after: Moment) -> MachineLoad:
    """What ran beside this process between two moments."""
    load = os.getloadavg()[0]
    if before.busy_s is None or after.busy_s is None:
        return MachineLoad(None, load)
    foreign_s = after.busy_s - before.busy_s - (after.own_s - before.own_s)
    return MachineLoad(max(0.0, foreign_s / max(after.wall_s - before.wall_s, 1e-9)), load)
