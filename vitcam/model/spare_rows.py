"""Labels that a device adds to a model file with room for them: further rows of its head, given when it runs."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import UsageError
from vitcam.frames import Prediction
from vitcam.model.card import ModelCard
from vitcam.model.words import ABSENT


@dataclass(frozen=True, slots=True, eq=False)
class AddedRows:
    """K labels of one row each.

    A label's logit is its row times what it reads, plus its offset: logits as the graph has them, divided by the
    temperature. A row reads the embedding, then the class token and the mean of the patches, both as they enter the
    last block and as the model's outputs give them: E + 2 D numbers.

    labels   K
    rows     (K, E + 2 D) float32
    offsets  (K,) float32
    """

    labels: tuple[str, ...]
    rows: NDArray[np.float32]
    offsets: NDArray[np.float32]

    @classmethod
    def none(cls, card: ModelCard) -> "AddedRows":
        """Of a model as its file has it."""
        return cls((), np.zeros((0, card.row_width), np.float32), np.zeros(0, np.float32))

    def inputs(self, card: ModelCard) -> dict[str, NDArray[Any]]:
        """What the graph takes: `spare_rows` (1, S, E + 2 D) and `spare_offsets` (1, S); nothing if it has no room.

        raises  UsageError if there are more rows than there is room for, or if they are not as the graph takes them
        """
        count = len(self.labels)
        if count > card.row_capacity:
            raise UsageError(
                f"{card.name} has room for {card.row_capacity} labels besides its own, and there are {count}; add fewer"
                + ("" if card.row_capacity else ", or export it with --spare-rows")
            )
        if self.rows.shape != (count, card.row_width) or self.offsets.shape != (count,):
            raise UsageError(
                f"{count} rows of {card.row_width} numbers are needed and an offset for each; there are rows of shape "
                f"{self.rows.shape} and offsets of shape {self.offsets.shape}"
            )
        if not (np.isfinite(self.rows).all() and np.isfinite(self.offsets).all()):
            raise UsageError("a row holds infinity or NaN, so no answer would be a number; learn it again")
        if not card.row_capacity:
            return {}
        rows = np.zeros((1, card.row_capacity, card.row_width), np.float32)
        offsets = np.full((1, card.row_capacity), ABSENT, np.float32)
        rows[0, :count], offsets[0, :count] = self.rows, self.offsets
        return {"spare_rows": rows, "spare_offsets": offsets}


def read_by_rows(prediction: Prediction) -> NDArray[np.float32] | None:
    """What the rows of added labels read of a picture, (E + 2 D,); None if the model has no room for them."""
    if prediction.embedding is None or prediction.features is None:
        return None
    return np.concatenate([prediction.embedding, prediction.features])
