"""How much processor time an inference takes at each input size, in turn with the full look.

Processor time and turns, so that the ratios hold while other programs run, too. With several threads it counts the time
in which they wait for each other.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from vitcam.model.runtime import Interpreter, open_interpreter
from vitcam_training.evaluation.intervals import Interval, bootstrap_figure

TURNS = 40
_WARM, _TIMED = 1, 5


def time_ratios(paths: Sequence[Path], threads: int, turns: int = TURNS) -> list[tuple[float, Interval]]:
    """Of each file the median milliseconds, and the median over turns of its time to that of the first."""
    graphs = [open_interpreter(path, threads) for path in paths]
    noise = np.random.default_rng(0)
    for graph in graphs:
        for place, tensor in enumerate(graph.inputs):
            if tensor.dtype == np.uint8:
                graph.set_input(noise.integers(0, 256, tensor.shape[1:], np.uint8), place)
    times = np.array([[_burst_ms(graph) for graph in graphs] for _ in range(turns)])  # (turns, files)
    ratios = times / times[:, :1]
    return [
        (float(np.median(ms)), bootstrap_figure(lambda at, ratio=ratio: float(np.median(ratio[at])), turns, 0, 10))  # type: ignore[misc]
        for ms, ratio in zip(times.T, ratios.T, strict=True)
    ]


def _burst_ms(graph: Interpreter) -> float:
    for _ in range(_WARM):
        graph.invoke()
    start = time.process_time_ns()
    for _ in range(_TIMED):
        graph.invoke()
    return (time.process_time_ns() - start) / 1e6 / _TIMED
