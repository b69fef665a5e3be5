"""Labels that are words: vectors in the space that a model's pictures share with words (CLIP, arXiv 2103.00020)."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

PART = "words.npy"
ABSENT = -1e4
"""Added to the logits of places that no word has: they get a probability of exactly 0. float16 holds it."""


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The head of a model whose labels are words.

    vectors  (K + 1, S) float32, one for each label, then one for "none of these"; their lengths are the logit scale
    """

    vectors: NDArray[np.float32]

    def inputs(self, capacity: int) -> dict[str, NDArray[Any]]:
        """What the graph takes: `words` (1, C, S), of mean 0 over those that there are, and `offsets` (1, C).

        The mean takes no part in the softmax, and without it the logits are those above the mean of all.

        raises  ValueError if there are more than the graph has room for
        """
        count, width = self.vectors.shape
        if count > capacity:
            raise ValueError(f"{count - 1} words are too many; there is room for {capacity - 1}")
        words = np.zeros((1, capacity, width), np.float32)
        words[0, :count] = self.vectors - self.vectors.mean(axis=0)
        offsets = np.full((1, capacity), ABSENT, np.float32)
        offsets[0, :count] = 0
        return {"words": words, "offsets": offsets}

    def parts(self) -> dict[str, str | bytes]:
        """For the zip in a model file."""
        file = io.BytesIO()
        np.save(file, self.vectors.astype(np.float32), allow_pickle=False)
        return {PART: file.getvalue()}


def read_words(archive: zipfile.ZipFile, labels: int, capacity: int) -> Words | None:
    """The words of a model file; None where its labels are not words.

    raises  ValueError unless there is one vector more than labels, and the graph has room for them
    """
    if not capacity:
        return None
    vectors = np.load(io.BytesIO(archive.read(PART)), allow_pickle=False)
    if vectors.ndim != 2 or vectors.dtype != np.float32 or not len(vectors) == labels + 1 <= capacity:
        raise ValueError(f"{PART} holds {vectors.dtype} of shape {vectors.shape} for {labels} labels")
    return Words(vectors)
