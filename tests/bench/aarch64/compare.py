"""Whether two processors answer alike: int8 that is quantised as it runs turns a rounding into a step now and then."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CLOSE = 0.998
"""Cosine of two answers that count as alike."""
MEAN_AT_LEAST, LEAD_AT_MOST = 0.999, 0.05
"""What float16 must keep: the answers on average, and every first label but those that were nearly undecided."""


@dataclass(frozen=True)
class Agreement:
    """Of two sets of answers to the same photos."""

    photos: int
    same_label: int
    close: int
    """Answers whose probabilities have a cosine of CLOSE or more."""
    mean: float
    worst: float
    undecided: float
    """The largest lead, in probability, that a first label had where the labels differ; 0 where none does."""

    @property
    def holds(self) -> bool:
        """Whether the two may be called the same model."""
        return self.mean >= MEAN_AT_LEAST and self.undecided <= LEAD_AT_MOST

    def __str__(self) -> str:
        lead = (
            f", which led by {self.undecided:.3f} at most where it is another" if self.same_label < self.photos else ""
        )
        return (
            f"same first label on {self.same_label} of {self.photos} photos{lead}. Cosine of the probabilities: "
            f"{self.mean:.5f} on average, {self.worst:.5f} at worst, at least {CLOSE} on {self.close}"
        )


def agreement(ours: NDArray[np.float32], theirs: NDArray[np.float32]) -> Agreement:
    """(n, C) float32 probabilities of each; `theirs` decides what the lead was."""
    a, b = ours.astype(np.float64), theirs.astype(np.float64)
    cosine = (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    same = a.argmax(1) == b.argmax(1)
    first, second = np.sort(b, axis=1)[:, -1], np.sort(b, axis=1)[:, -2]
    lead = float((first - second)[~same].max()) if not same.all() else 0.0
    close = int((cosine >= CLOSE).sum())
    return Agreement(len(a), int(same.sum()), close, float(cosine.mean()), float(cosine.min()), lead)
