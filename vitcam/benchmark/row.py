"""The figures of a benchmark: medians of its rounds, and the roofline that they are compared with."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from vitcam.benchmark.peak_model import MACS
from vitcam.model.macs import Macs

Figures = dict[str, float]


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


@dataclass(frozen=True, slots=True)
class Rounds:
    """What was measured with one number of threads, a dict for each round."""

    model: Sequence[Figures]
    int8: Sequence[Figures]
    floating: Sequence[Figures]


def row_of(model: str, threads: int, macs: Macs, rounds: Rounds) -> BenchRow:
    """Medians of the rounds, and the roofline of the same rounds."""
    mid = {name: median(each[name] for each in rounds.model) for name in rounds.model[0]}
    bound_s = macs.int8 / peak_mac_s(rounds.int8) + macs.floating / peak_mac_s(rounds.floating)
    bound_ms = bound_s * 1000 or None
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
    )


def peak_mac_s(rounds: Sequence[Figures]) -> float:
    """The peak in multiply-adds/s: the fastest tenth of the calls in the best round.

    It is not a median, because a peak that other load has lowered would make the model look faster than it is.
    """
    return MACS * 1000 / min(each["p10_ms"] for each in rounds)
