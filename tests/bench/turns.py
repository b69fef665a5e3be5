"""Two things that are measured in turns: the ratio of one to the other, with its 95 % interval."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

_RESAMPLES = 10_000


@dataclass(frozen=True, slots=True)
class Pair:
    """One quantity of one turn."""

    old: float
    new: float


def in_turns(turns: int, old: Callable[[], Sequence[float]], new: Callable[[], Sequence[float]]) -> list[list[Pair]]:
    """Measure both `turns` times, the one first and then the other; one list of pairs for each quantity."""
    rows = []
    for turn in range(turns):
        found = (old(), new()) if turn % 2 else (new(), old())[::-1]
        rows.append([Pair(a, b) for a, b in zip(*found, strict=True)])
    return [list(column) for column in zip(*rows, strict=True)]


def interval(pairs: Sequence[Pair]) -> tuple[float, float, float]:
    """Mean ratio new to old (geometric) and its 95 % interval, by the bootstrap over turns (Efron 1979)."""
    logs = np.log([pair.new / pair.old for pair in pairs])
    drawn = np.random.default_rng(0).choice(logs, (_RESAMPLES, len(logs))).mean(axis=1)
    low, high = np.percentile(drawn, (2.5, 97.5))
    return float(np.exp(logs.mean())), float(np.exp(low)), float(np.exp(high))


def show(name: str, pairs: Sequence[Pair]) -> None:
    """One row of the table."""
    old, new = (statistics.median(getattr(pair, which) for pair in pairs) for which in ("old", "new"))
    ratio, low, high = interval(pairs)
    print(f"| {name} | {old:.2f} | {new:.2f} | {ratio:.3f} ({low:.3f} to {high:.3f}) |", flush=True)
