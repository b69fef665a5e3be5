"""Every way to quantise a network, side by side: how right, how close to float, how fast, how large.

Files are timed in short bursts in turn, so that what slows the machine slows them all.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from vitcam.errors import UsageError
from vitcam.model.runtime import Interpreter, open_interpreter
from vitcam_training.data.dataset import Dataset
from vitcam_training.export.export import calibrate
from vitcam_training.export.layers import ALWAYS_FLOAT, blocks_of, kinds_of, matching
from vitcam_training.export.network import TrainedNetwork
from vitcam_training.export.quantise import SCHEMES, SHIPPED, Quantisation
from vitcam_training.export.sensitivity import Scan, scan, scanning
from vitcam_training.export.trial import Trial, TrialOutcome, representative

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


THREADS = 2
TURNS = 20
MIXED = "mixed"


@dataclass(frozen=True)
class Entry:
    """A row of the table."""

    name: str
    how: Quantisation
    outcome: TrialOutcome
    lap: InterleavedTime


@dataclass(frozen=True)
class Comparison:
    """All that the page says."""

    entries: tuple[Entry, ...]
    left_out: Mapping[str, str]
    """Ways that could not be tried -> why."""
    kinds: Scan
    blocks: Scan
    """Empty without a scan."""
    scanned: str
    """The part that the scan's photos come from."""


def compare_schemes(
    checkpoint: Path, dataset: Dataset, folder: Path, keep: Sequence[str], scanned: bool, shown: Dataset | None = None
) -> Comparison:
    """Make a file of each way and try it on the held-out photos.

    keep     patterns of layers that are float in the row `mixed`; none: the block that the scan finds worst
    scanned  whether each kind of layer and each block is quantised alone, too
    shown    its part `train` shows the static way what activations are like; None: that of the data set
    raises   UsageError if checkpoint and data do not fit, or a pattern names no layer
    """
    temperature, threshold = calibrate(checkpoint, dataset)
    network = replace(TrainedNetwork.read(checkpoint), temperature=temperature, threshold=threshold)
    trial = Trial(network, checkpoint, dataset, "heldout", folder)
    part = "train" if dataset.parts.get("train") else "heldout"
    small = scanning(trial, part)
    kinds = scan(small, kinds_of(network.config)) if scanned else {}
    blocks = scan(small, blocks_of(network.config)) if scanned else {}
    ways, left_out = _ways(network, shown or dataset)
    floats = matching(network.config, keep) or _worst(network, blocks)
    if floats:
        ways[MIXED] = Quantisation(floats=ALWAYS_FLOAT | floats)
    outcomes = {name: trial.run(name, how) for name, how in ways.items()}
    times = time_interleaved(
        [outcome.path for outcome in outcomes.values()], TURNS, min(THREADS, len(os.sched_getaffinity(0)))
    )
    entries = (Entry(name, ways[name], outcomes[name], lap) for name, lap in zip(outcomes, times, strict=True))
    return Comparison(tuple(entries), left_out, kinds, blocks, part)


def _ways(network: TrainedNetwork, shown: Dataset) -> tuple[dict[str, Quantisation], dict[str, str]]:
    """The one that ships first, since the others' times are compared with it."""
    ways, left_out = {SHIPPED: Quantisation()}, {}
    for name, scheme in SCHEMES.items():
        try:
            photos = representative(shown, network.about.input) if scheme.needs_photos else ()
        except UsageError as error:
            left_out[name] = str(error)
            continue
        ways[name] = Quantisation(name, photos=photos)
    return ways, left_out


def _worst(network: TrainedNetwork, blocks: Scan) -> frozenset[str]:
    """The layers of the block that int8 hurts most; none without a scan."""
    if not blocks:
        return frozenset()
    return blocks_of(network.config)[max(blocks, key=lambda name: blocks[name].found["shift"])]


def rows(found: Comparison) -> Iterator[dict[str, object]]:
    """For machines: one object a file."""
    for entry in found.entries:
        outcome = entry.outcome
        yield {
            "quantise": entry.name,
            "keep": list(entry.how.spared),
            **outcome.found,
            "partitions": outcome.pieces.partitions,
            "outside": outcome.pieces.outside,
            "ms": round(entry.lap.ms, 3),
            "ratio": round(entry.lap.ratio, 3),
            "size_mb": round(outcome.size_mb, 2),
        }
