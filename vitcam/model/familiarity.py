"""How much a picture resembles what a model was trained on: from this on its best guess counts as known.

The most probable label says little of it: softmax must give 1 to something. Virtual-logit matching (ViM, Wang et al.
2022, arXiv 2203.10807) weighs how much evidence there is for any label at all, the log-sum-exp of the logits, against
how far the embedding lies off the axes in which the training photos varied. It costs one small matrix product.
"""

import io
import math
import zipfile
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

SURE = 0.85
"""A guess of this probability is called unknown only where the picture is utterly strange."""
LIFT = 10.0
"""What such a guess gains, in nats: more than lies between the photos trained on and most that show something else."""
_FOLDER = "familiarity"  # in the zip of a model file: `matrix.npy`, `offset.npy`


@dataclass(frozen=True, slots=True, eq=False)
class Familiarity:
    """What a model file carries of its training photos; never the photos themselves."""

    matrix: NDArray[np.float32]
    """(D, C + R): the head's kernel, and beside it the axes along which training photos hardly varied. In float16 in
    the file, in float32 here: to turn it for every picture would take longer than the product."""
    offset: NDArray[np.float32]
    """(C + R,): what is added to `embedding @ matrix`: the head's bias, and minus the training photos' place."""
    labels: int
    """C."""
    factor: float
    """What a distance along the axes weighs against the logits."""
    threshold: float
    """From this `certainty` on a guess counts as known."""

    def score(self, embedding: NDArray[np.float32]) -> float:
        """Higher for what is more familiar.

        embedding  (D,) what the head reads
        """
        values = embedding @ self.matrix + self.offset  # (C + R,)
        logits, rest = values[: self.labels], values[self.labels :]
        peak = float(logits.max())
        evidence = peak + math.log(float(np.exp(logits - peak).sum()))
        return evidence - self.factor * math.sqrt(float(rest @ rest))

    def certainty(self, embedding: NDArray[np.float32], best: float) -> float:
        """The score, by which a picture counts as known, with `LIFT` for a guess of `SURE`.

        A cup in an otherwise unfamiliar picture is still a cup.

        embedding  (D,) float32: what the head reads
        best       probability of the best guess
        """
        return self.score(embedding) + LIFT * (best >= SURE)

    def parts(self) -> dict[str, bytes]:
        """The arrays as they lie in the zip of a model file, name by name."""
        return {
            f"{_FOLDER}/matrix.npy": _npy(self.matrix.astype(np.float16)),
            f"{_FOLDER}/offset.npy": _npy(self.offset),
        }

    def numbers(self) -> dict[str, float]:
        """The rest, for the card."""
        return {"labels": self.labels, "factor": self.factor, "threshold": self.threshold}


def logistic(nats: float) -> float:
    """The share from 0 to 1 that log odds stand for; 0.5 for 0."""
    return 0.5 + 0.5 * math.tanh(nats / 2)  # exp would overflow


def read(archive: zipfile.ZipFile, numbers: dict[str, Any]) -> Familiarity | None:
    """What the zip of a model file carries; None where that is nothing. Raises ValueError for what does not fit."""
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
