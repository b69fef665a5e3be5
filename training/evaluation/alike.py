"""Labels that the photos of a data set do not tell apart: for a photo of a dog, any breed is right.

The probability that belongs to such an answer is that of all these labels together. That of the one breed that was
named says how likely that breed is, and the photo does not say whether it is right. Sets belong to the photos of one
source: another one may tell breeds apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Alike = Mapping[int, frozenset[int]]
"""A label, and all labels of which each is right where it is."""


def alike(labels: Iterable[int], accepted: Sequence[frozenset[int]]) -> dict[int, frozenset[int]]:
    """Of every label that is right for some photo; where photos differ, the smallest set.

    labels    of n photos
    accepted  n sets of labels that are right besides these; empty where there are none
    """
    sets = {frozenset({label}) | others for label, others in zip(labels, accepted, strict=False)}
    found: dict[int, frozenset[int]] = {}
    for each in sorted(sets, key=lambda one: (-len(one), min(one))):
        found |= dict.fromkeys(each, each)
    return found


def probability(
    probabilities: NDArray[np.floating[Any]], names: Sequence[frozenset[int]], same: Alike
) -> NDArray[np.float64]:
    """(n, C) and the labels that each of n names stands for -> (n,): theirs, and those that count as the same."""
    return np.asarray((probabilities * members(names, same, probabilities.shape[1])).sum(-1), np.float64)


def best_alike(probabilities: NDArray[np.floating[Any]], same: Alike) -> NDArray[np.bool_]:
    """(n, C): the best label of each photo, and those that count as the same."""
    best = [frozenset({guess}) for guess in probabilities.argmax(-1).tolist()]
    return members(best, same, probabilities.shape[1])


def members(names: Sequence[frozenset[int]], same: Alike, count: int) -> NDArray[np.bool_]:
    """(n, count): which labels count for a name."""
    found = np.zeros((len(names), count), bool)
    for row, name in zip(found, names, strict=True):
        wider = same.get(min(name), name)
        row[list(wider if name <= wider else name)] = True
    return found
