"""What a daemon and its children hold: memory of their own, descriptors, threads."""

import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

_BLOCKS = 20


@dataclass(frozen=True, slots=True)
class Reading:
    """At one moment."""

    at_s: float
    """Since the start of the run."""
    memory_mb: float
    """RssAnon of the daemon and its children, proc(5): pages that no file holds."""
    descriptors: int
    """Of the daemon."""
    threads: int
    """Of the daemon."""


def read(pid: int, at_s: float) -> Reading:
    """Raises FileNotFoundError when the daemon has ended."""
    memory = sum(_anonymous_kb(each) for each in [pid, *_descendants(pid)]) / 1024
    descriptors = sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())
    return Reading(at_s, memory, descriptors, _number(pid, "Threads"))


def open_files(pid: int) -> dict[str, int]:
    """What the descriptors of a process refer to, without numbers, and how often each."""
    found: Counter[str] = Counter()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):  # closed meanwhile
            found[re.sub(r"\d+", "N", str(link.readlink()))] += 1
    return dict(found)


def _descendants(pid: int) -> list[int]:
    try:
        listed = " ".join(path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children")).split()
    except OSError:  # a thread has ended meanwhile
        return []
    return [below for child in map(int, listed) for below in (child, *_descendants(child))]


def _anonymous_kb(pid: int) -> int:
    try:
        return _number(pid, "RssAnon")
    except (OSError, AttributeError):  # it has ended meanwhile
        return 0


def _number(pid: int, field: str) -> int:
    found = re.search(rf"^{field}:\s+(\d+)", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    if found is None:
        raise AttributeError(f"process {pid} has no {field}")
    return int(found[1])


def slope(readings: list[Reading], field: str, per_s: float = 600.0) -> tuple[float, float]:
    """Growth in `per_s` seconds, and half of its 95 % interval.

    A line through the medians of `_BLOCKS` blocks of time: children come and go, and neighbours in time resemble each
    other, so that single readings would make the interval too narrow.
    """
    blocks = np.array_split(np.arange(len(readings)), _BLOCKS)
    at = np.array([np.mean([readings[i].at_s for i in block]) for block in blocks])
    value = np.array([np.median([getattr(readings[i], field) for i in block]) for block in blocks])
    (growth, _), covariance = np.polyfit(at, value, 1, cov=True)
    return float(growth) * per_s, 2.1 * float(np.sqrt(covariance[0, 0])) * per_s  # Student's t, 18 degrees of freedom
