"""The figures of a benchmark: medians of its rounds, and the roofline that they are compared with."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from vitcam.benchmark.peak_model import MACS
from vitcam.machine import Machine
from vitcam.model.macs import Macs

Figures = dict[str, float]


@dataclass(frozen=True, slots=True)
class MachineHealth:
    """Temperature of the machine, and whether it is throttled."""

    celsius: float | None
    """Of the hottest sensor."""
    held_back_by: list[str] | None
    """Such as `throttled`; None if there is no firmware of a Pi."""
    since_boot: list[str] | None


@dataclass(frozen=True, slots=True)
class BenchRow:
    """The figures of one number of threads, as `--json` prints them."""

    model: str
    threads: int
    p50_ms: float
    p90_ms: float
    p99_ms: float
    fps: float
    partitions: int
    outside: int
    roofline_ms: float | None
    """None for a model without operators that are counted."""
    fraction: float | None
    """roofline_ms / p50_ms."""
    rss_mb: float
    """Peak memory of a process that only loads and runs the model."""
    gmac: Figures
    peak_gmac_s: Figures
    stages_ms: Figures | None
    """None if the pipeline cannot be timed around the model."""
    health: dict[str, MachineHealth]
    """`before` and `after`."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """What was measured with one number of threads, a dict for each round."""

    model: Sequence[Figures]
    int8: Sequence[Figures]
    floating: Sequence[Figures]
    stages: Sequence[Figures]
    """Empty if the pipeline cannot be timed around the model."""


def row_of(model: str, threads: int, macs: Macs, rounds: Rounds, health: dict[str, MachineHealth]) -> BenchRow:
    """Medians of the rounds, and the roofline of the same rounds."""
    mid = medians(rounds.model)
    peaks = {"int8": peak_gmac_s(rounds.int8), "float": peak_gmac_s(rounds.floating)}
    gmac = {"int8": macs.int8 / 1e9, "float": macs.floating / 1e9}
    bound_ms = sum(gmac[kind] / peaks[kind] for kind in gmac) * 1000 or None
    return BenchRow(
        model=model,
        threads=threads,
        p50_ms=round(mid["p50_ms"], 3),
        p90_ms=round(mid["p90_ms"], 3),
        p99_ms=round(mid["p99_ms"], 3),
        fps=round(mid["fps"], 2),
        partitions=int(mid["partitions"]),
        outside=int(mid["outside"]),
        roofline_ms=bound_ms and round(bound_ms, 3),
        fraction=bound_ms and round(bound_ms / mid["p50_ms"], 4),
        rss_mb=round(mid["rss_mb"], 1),
        gmac={kind: round(value, 4) for kind, value in gmac.items()},
        peak_gmac_s={kind: round(value, 2) for kind, value in peaks.items()},
        stages_ms={stage: round(ms, 3) for stage, ms in medians(rounds.stages).items()} if rounds.stages else None,
        health=health,
    )


def peak_gmac_s(rounds: Sequence[Figures]) -> float:
    """The peak in 10⁹ multiply-adds/s: the fastest tenth of the calls in the best round.

    It is not a median, because a peak that other load has lowered would make the model look faster than it is.
    """
    return MACS / 1e6 / min(each["p10_ms"] for each in rounds)


def medians(rounds: Sequence[Figures]) -> Figures:
    """The median of each figure over the rounds."""
    return {name: median(each[name] for each in rounds) for name in rounds[0]}


def health_of(machine: Machine) -> MachineHealth:
    """The machine's temperature, and what the firmware of a Pi reports."""
    now, since_boot = machine.hindrances() or (None, None)
    return MachineHealth(machine.hottest_celsius(), now, since_boot)
