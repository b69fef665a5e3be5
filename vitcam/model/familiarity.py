"""How much a picture resembles what a model was trained on, to find out-of-distribution pictures.

Probabilities cannot tell that, since softmax always adds up to 1. Virtual-logit matching (ViM, Wang et al. 2022, arXiv
2203.10807) compares two numbers: the evidence for any label, which is the log-sum-exp of the logits, and the distance
of the embedding from the axes along which the training photos varied. It costs one small matrix product.
"""

import io
import math
import zipfile
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

SURE = 0.85
"""A guess of this probability counts as unknown only if the picture is very unfamiliar."""
LIFT = 10.0
"""Added to the score of such a guess, in nats: more than training photos differ from most photos of other things."""
_FOLDER = "familiarity"  # in the zip of a model file: `matrix.npy`, `offset.npy`


@dataclass(frozen=True, slots=True, eq=False)
class Familiarity:
    """Statistics of the training photos in a model file; never the photos themselves."""

    matrix: NDArray[np.float32]
    """(D, C + R): the head's kernel, and beside it the axes along which training photos hardly varied. The file has it
    in float16; it is converted once, since converting it for each picture would take longer than the product."""
    offset: NDArray[np.float32]
    """(C + R,), added to `embedding @ matrix`: the head's bias, and minus the mean of the training photos."""
    labels: int
    """C."""
    factor: float
    """Weight of the distance along the axes against the logits."""
    threshold: float
    """From this `certainty` on a guess counts as known."""

    def score(self, embedding: NDArray[np.float32]) -> float:
        """Higher for a more familiar picture, in nats.

        embedding  (D,) what the head reads
        """
        values = embedding @ self.matrix + self.offset  # (C + R,)
        logits, rest = values[: self.labels], values[self.labels :]
        peak = float(logits.max())
        evidence = peak + math.log(float(np.exp(logits - peak).sum()))
        return evidence - self.factor * math.sqrt(float(rest @ rest))

    def certainty(self, embedding: NDArray[np.float32], best: float) -> float:
        """The score, plus `LIFT` for a guess of at least `SURE`.

        A cup in an otherwise unfamiliar picture is still a cup.

        embedding  (D,) float32: what the head reads
        best       probability of the best guess
        """
        return self.score(embedding) + LIFT * (best >= SURE)

    def parts(self) -> dict[str, bytes]:
        """The arrays for the zip of a model file, by name."""
        return {
            f"{_FOLDER}/matrix.npy": _npy(self.matrix.astype(np.float16)),
            f"{_FOLDER}/offset.npy": _npy(self.offset),
        }

    def numbers(self) -> dict[str, float]:
        """The numbers for the card."""
        return {"labels": self.labels, "factor": self.factor, "threshold": self.threshold}


def logistic(nats: float) -> float:
    """The logistic function: 0 to 1, and 0.5 for 0."""
    return 0.5 + 0.5 * math.tanh(nats / 2)  # exp would overflow


def read(archive: zipfile.ZipFile, numbers: dict[str, Any]) -> Familiarity | None:
    """Read it from the zip of a model file; None if there is none. Raises ValueError if the arrays do not fit."""
    if not numbers:
        return None
    matrix, offset = (
        np.load(io.BytesIO(archive.read(f"{_FOLDER}/{name}.npy")), allow_pickle=False) for name in ("matrix", "offset")
    )
    if matrix.ndim != 2 or offset.shape != matrix.shape[1:] or not 0 < numbers["labels"] <= len(offset):
        raise ValueError(f"familiarity of shapes {matrix.shape} and {offset.shape}")
    matrix = matrix.astype(np.float32)
    return Familiarity(matrix, offset, int(numbers["labels"]), float(numbers["factor"]), float(numbers["threshold"]))


def _npy(array: NDArray[Any]) -> bytes:
    out = io.BytesIO()
    np.save(out, array, allow_pickle=False)
    return out.getvalue()
