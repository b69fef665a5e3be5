"""What this process and its children cost: time of the processor, bytes written to disks, memory.

Read from /proc, proc(5): `io` counts the pages that a process made dirty, and those of its children that have ended.
The journal is written by systemd's own process, so it is not in this figure.
"""

import os
import re
import resource
import threading
import time
from functools import partial
from pathlib import Path

from vitcam.state import Cost

_EXTRAPOLATE_AFTER_S = 600.0  # before, the start itself weighs too much
_FRESH_S = 10.0
_DAY_S = 86400.0


class CostMeter:
    """Called for the state by any thread; looks into /proc every ten seconds at most, and only when it is asked."""

    def __init__(self, proc: Path = Path("/proc")) -> None:
        self._proc = proc
        self._lock = threading.Lock()
        self._started_s = time.monotonic()
        self._looked_s = float("-inf")
        self._cost = Cost()

    def __call__(self) -> Cost:
        """The cost since the start, at most ten seconds old."""
        with self._lock:
            now_s = time.monotonic()
            if now_s - self._looked_s >= _FRESH_S:
                self._looked_s = now_s
                self._cost = cost_of(self._proc, now_s - self._started_s)
            return self._cost


def cost_of(proc: Path, uptime_s: float) -> Cost:
    """What this process and its children have cost in `uptime_s`; per day once that is ten minutes."""
    children = _children(proc)
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = time.process_time() + ended.ru_utime + ended.ru_stime + sum(_cpu_s(proc, child) for child in children)
    own = _written(proc, "self")
    written = None if own is None else own + sum(_written(proc, child) or 0 for child in children)
    days = uptime_s / _DAY_S if uptime_s >= _EXTRAPOLATE_AFTER_S else None
    return Cost(
        cpu_s=round(cpu_s, 2),
        written_bytes=written,
        memory_bytes=sum(map(partial(_resident, proc), ("self", *children))) or None,
        cpu_hours_per_day=round(cpu_s / 3600 / days, 2) if days else None,
        written_mb_per_day=round(written / 1e6 / days, 2) if days and written is not None else None,
    )


def _children(proc: Path) -> list[str]:
    """Process ids of the children that run."""
    return " ".join(_read(file) for file in proc.glob("self/task/*/children")).split()


def _cpu_s(proc: Path, pid: str) -> float:
    """Of a process and of its children that have ended; 0 once it has ended itself."""
    fields = _read(proc / pid / "stat").rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def _written(proc: Path, pid: str) -> int | None:
    """In bytes; None where the kernel does not say it."""
    found = re.search(r"^write_bytes: (\d+)$", _read(proc / pid / "io"), re.MULTILINE)
    return int(found[1]) if found else None


def _resident(proc: Path, pid: str) -> int:
    """Bytes of a process that are in memory; 0 once it has ended."""
    pages = _read(proc / pid / "statm").split()
    return int(pages[1]) * os.sysconf("SC_PAGE_SIZE") if pages else 0


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:  # the process has ended, or may not be looked at
        return ""
