"""Is that the same network? Asked of every peer before it is timed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.bench.peers.catalogue import Kind
from tests.bench.peers.material import Answers

COSINE_AT_LEAST = 0.999
"""Of a float32 peer's probabilities with the reference's, on the photo where it is lowest."""
AGREEMENT_AT_LEAST = 0.5
"""Of the others' top labels. No bound on accuracy, which is printed: below it, something is not this network."""


@dataclass(frozen=True)
class Verdict:
    """How far a peer's answers are those of the float network."""

    kind: Kind
    worst_cosine: float
    agreement: float
    """Share of the photos with the same top label, a fraction of 1."""

    @property
    def is_right(self) -> bool:
        """Whether its time means anything."""
        if self.kind == "float32":
            return self.worst_cosine >= COSINE_AT_LEAST
        return self.agreement >= AGREEMENT_AT_LEAST

    def __str__(self) -> str:
        if self.kind == "float32":
            return f"cosine {_rounded_down(self.worst_cosine)}"
        return f"{self.agreement:.0%} agree"


def judge(kind: Kind, given: Answers, expected: Answers) -> Verdict:
    """Compare a peer's answers with the reference's, both (n, C), row by row.

    raises  ValueError if the shapes differ: those are answers to something else
    """
    if given.shape != expected.shape:
        raise ValueError(f"its answers have shape {given.shape}, the reference's {expected.shape}")
    answers, reference = given.astype(np.float64), expected.astype(np.float64)
    products = (answers * reference).sum(-1)
    lengths = np.linalg.norm(answers, axis=-1) * np.linalg.norm(reference, axis=-1)
    cosine = products / np.maximum(lengths, 1e-12)
    agreement = (answers.argmax(-1) == reference.argmax(-1)).mean()
    return Verdict(kind, float(np.nan_to_num(cosine, nan=-1.0).min()), float(agreement))


def _rounded_down(cosine: float) -> str:
    """Five digits, none of them flattering."""
    return f"{np.floor(round(cosine, 9) * 1e5) / 1e5:.5f}"
