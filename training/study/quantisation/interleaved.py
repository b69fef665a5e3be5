"""Model files against each other: short bursts in turn, so that what slows the machine slows them all."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vitcam.model.runtime import Interpreter, open_interpreter

WARM, TIMED = 3, 9
"""Inferences of a burst, of which the last are timed."""


@dataclass(frozen=True, slots=True)
class InterleavedTime:
    """One file's times."""

    ms: float
    """Median of its bursts' medians."""
    ratio: float
    """Median over the turns of its time to that of the first file in the same turn."""


def time_interleaved(files: Sequence[Path], turns: int, threads: int) -> list[InterleavedTime]:
    """Time `invoke` of each file on noise. The first is what the others are compared with."""
    graphs = [open_interpreter(path, threads) for path in files]
    noise = np.random.default_rng(0)
    for graph in graphs:
        graph.set_input(noise.integers(0, 256, graph.inputs[0].shape[1:], np.uint8))
    times = np.array([[_burst_ms(graph) for graph in graphs] for _ in range(turns)])  # (turns, files)
    ratios = times / times[:, :1]
    return [
        InterleavedTime(statistics.median(ms), statistics.median(ratio))
        for ms, ratio in zip(times.T, ratios.T, strict=True)
    ]


def _burst_ms(graph: Interpreter) -> float:
    for _ in range(WARM):
        graph.invoke()
    times = []
    for _ in range(TIMED):
        start = time.perf_counter()
        graph.invoke()
        times.append(time.perf_counter() - start)
    return 1000 * statistics.median(times)
