"""Rounds in turn, and what is made of their times."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """What the rounds of one peer gave."""

    rounds_ms: tuple[float, ...]
    """The median of each round."""

    @property
    def median_ms(self) -> float:
        """The median of the rounds' medians."""
        return statistics.median(self.rounds_ms)


def turns(names: Sequence[str], rounds: int) -> Iterator[str]:
    """A, B, C, A, B, C, …: what slows the machine down for a while slows all of them down."""
    for _ in range(rounds):
        yield from names


def measure(names: Sequence[str], rounds: int, take: Callable[[str], Sequence[float] | None]) -> dict[str, Timing]:
    """Take turns.

    take     the times of one round of a peer, ms; None: it failed, and is not asked again
    returns  peers that went through every round
    """
    medians: dict[str, list[float]] = {name: [] for name in names}
    for name in turns(names, rounds):
        if name not in medians:
            continue
        times = take(name)
        if times is None:
            del medians[name]
        else:
            medians[name].append(statistics.median(times))
    return {name: Timing(tuple(found)) for name, found in medians.items()}


def ratios(timings: Mapping[str, Timing], base: str) -> dict[str, float]:
    """How many times the base's time each takes; nothing where the base has none."""
    if base not in timings:
        return {}
    return {name: timing.median_ms / timings[base].median_ms for name, timing in timings.items()}
