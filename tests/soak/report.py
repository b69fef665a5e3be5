"""The table and the plot of a soak."""

import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.soak.gauge import Reading, slope
from tests.soak.run import FAULT_EVERY_S, Soak

_WARM_UP = 1 / 6
"""Share of the run in which memory may still grow."""
_MB_IN_TEN_MINUTES = 1.0
_SHORT_MB = 25.0
"""What a run of a few minutes may gain: it is too short to tell a slope of 1 MB in 10 minutes from noise."""
_LONG_S = 1200.0
_LAST_S = 600.0
_MORE = {"descriptors": 8, "threads": 2}
"""A frame of an earlier connection to the camera keeps the shared memory that it lies in, with its descriptor."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    what: str
    found: str
    allowed: str
    holds: bool


def table(seen: Soak) -> list[Row]:
    """Every promise of the soak, and what was found."""
    return [*_growth(seen), *_service(seen), *_end(seen)]


def warm(seen: Soak) -> list[Reading]:
    """The readings after the warm-up."""
    return [each for each in seen.readings if each.at_s - seen.readings[0].at_s >= _WARM_UP * seen.seconds]


def _growth(seen: Soak) -> Iterator[Row]:
    readings = warm(seen)
    growth, margin = slope(readings, "memory_mb")
    if seen.seconds >= _LONG_S:
        allowed, holds = f"≤ {_MB_IN_TEN_MINUTES:g} MB", growth <= _MB_IN_TEN_MINUTES
    else:
        gained = growth * (readings[-1].at_s - readings[0].at_s) / 600
        allowed, holds = f"≤ {_SHORT_MB:g} MB in this short run", gained <= _SHORT_MB
    yield Row("growth of memory in 10 minutes, after the warm-up", f"{growth:+.2f} ± {margin:.2f} MB", allowed, holds)
    last = [each for each in readings if readings[-1].at_s - each.at_s <= _LAST_S]
    growth, margin = slope(last, "memory_mb")
    yield Row("the same in the last ten minutes alone", f"{growth:+.2f} ± {margin:.2f} MB", "–", True)
    memory = [each.memory_mb for each in readings]
    yield Row("memory of the daemon and its children: median, most", f"{_middle_most(memory)} MB", "–", True)
    for field, name in (("descriptors", "descriptors"), ("threads", "threads")):
        before, after = getattr(seen.rest_before, field), getattr(seen.rest_after, field)
        most = max(getattr(each, field) for each in readings)
        found = f"{before} before, at most {most} meanwhile, {after} after"
        yield Row(f"{name} of the daemon", found, f"after ≤ before + {_MORE[field]}", after <= before + _MORE[field])


def _service(seen: Soak) -> Iterator[Row]:
    back = [fault.back_after_s for fault in seen.faults]
    slowest = max((each for each in back if each is not None), default=0.0)
    late = [fault.name for fault in seen.faults if fault.back_after_s is None]
    found = f"{len(back)} faults, picture back after at most {slowest:.0f} s" + (f"; not after: {late}" if late else "")
    yield Row("faults of the camera", found, f"back within {FAULT_EVERY_S:g} s", bool(back) and not late)
    good = seen.clients["good"]
    yield Row(
        "a good client, a request each half second",
        f"{good['requests']} answered, p50 {good['p50_ms']:.0f} ms, p99 {good['p99_ms']:.0f} ms, "
        f"slowest {good['slowest_ms']:.0f} ms; {good['unanswered']} not answered",
        "all answered",
        good["requests"] > 0 and good["unanswered"] == 0,
    )
    answers = seen.clients["answers"]
    wrong = [code for code in answers if code.startswith("5") and code != "503"]
    found = ", ".join(f"{count} × {code}" for code, count in sorted(answers.items()))
    yield Row("answers to all clients", found, "no 5xx but 503", not wrong)
    did = sum(seen.clients["did"].values())
    yield Row("visits of clients", f"{did}, of {len(seen.clients['did'])} kinds", "–", did > 0)


def _end(seen: Soak) -> Iterator[Row]:
    frames = seen.state["frames"]
    found = f"{frames['captured']} captured, {frames['classified']} classified"
    yield Row("frames", found, "–", frames["classified"] > 0)
    yield Row("tracebacks in the log", str(seen.errors.count("Traceback")), "0", "Traceback" not in seen.errors)
    found = f"exit code {seen.exit_code} after {seen.ended_in_s:.1f} s"
    yield Row("the end by SIGTERM", found, "0 within 2 s", seen.exit_code == 0 and seen.ended_in_s < 2)


def _middle_most(values: list[float]) -> str:
    return f"{statistics.median(values):.1f}, {max(values):.1f}"


def draw(seen: Soak, path: Path) -> None:
    """Memory, descriptors and threads over time as SVG, with a mark for each fault."""
    from vitcam_training.plots import ACCENT, FAINT, PLAIN, figure

    minutes = [each.at_s / 60 for each in seen.readings]
    names = {"memory_mb": "memory of daemon and children, MB", "descriptors": "descriptors", "threads": "threads"}
    with figure(path, 11, 3, columns=3) as axes:
        for axis, (field, name) in zip(axes, names.items(), strict=True):
            for fault in seen.faults:
                axis.axvline(fault.at_s / 60, color=FAINT, alpha=0.25, linewidth=0.6)
            axis.plot(minutes, [getattr(each, field) for each in seen.readings], color=PLAIN, linewidth=0.8)
            for rest in (seen.rest_before, seen.rest_after):
                axis.plot([rest.at_s / 60], [getattr(rest, field)], "o", color=ACCENT, markersize=4)
            axis.set(xlabel="minutes", title=name, ylim=(0, None))
