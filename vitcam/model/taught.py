"""The labels that a model was taught on a device: rows of its head, which lie in the model file beside the graph."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from vitcam.model.card import ModelCard
from vitcam.model.spare_rows import AddedRows
from vitcam.model.words import ABSENT

Kind = Literal["", "alone", "added"]
ROWS, OFFSETS = "taught/rows.npy", "taught/offsets.npy"
ABOVE = 100.0
"""Added to the logits of rows that stand alone: the labels of the graph itself get a probability of 0 beside them."""
NONE = "none of these"
_HEADER = 1024  # bytes at most of an .npy file's


@dataclass(frozen=True, slots=True, eq=False)
class Taught:
    """What was taught.

    rows   those of the labels, and behind them, where `none` says so, one for pictures of none of them
    alone  True: the model knows these labels and no others; False: they stand behind those of the graph
    none   whether there is a row for none of them; only where they stand alone
    """

    rows: AddedRows
    alone: bool
    none: bool = False

    @property
    def count(self) -> int:
        """How many labels."""
        return len(self.rows.labels) - self.none

    def given(self, none: bool = True) -> AddedRows:
        """What the graph is given; none: with the row for none of the labels, if there is one."""
        offsets = self.rows.offsets + np.float32(ABOVE if self.alone else 0.0)
        if self.none and not none:
            offsets[-1] = ABSENT
        return AddedRows(self.rows.labels, self.rows.rows, offsets)

    @property
    def content(self) -> bytes:
        """Differs from that of other rows."""
        return self.rows.rows.tobytes() + self.rows.offsets.tobytes()

    def parts(self) -> dict[str, str | bytes]:
        """For the zip in a model file."""
        return {ROWS: _bytes(self.rows.rows), OFFSETS: _bytes(self.rows.offsets)}


def places_of(taught: Taught | None, own: int) -> tuple[int, int]:
    """Where the labels of a model begin among the probabilities of its graph, and how many there are.

    own  how many labels the graph has itself
    """
    if taught is None:
        return 0, own
    return (own, taught.count) if taught.alone else (0, own + taught.count)


def read_taught(archive: zipfile.ZipFile, card: ModelCard, labels: tuple[str, ...]) -> Taught | None:
    """What a model file was taught; None where it was taught nothing.

    raises  ValueError unless the rows fit to the labels and to the graph; KeyError if a part is missing
    """
    if not card.taught:
        return None
    if card.taught not in ("alone", "added"):
        raise ValueError(f"it was taught {card.taught!r}, which is neither 'alone' nor 'added'")
    rows, offsets = _read(archive, ROWS, card), _read(archive, OFFSETS, card)
    alone = card.taught == "alone"
    none = alone and len(rows) == len(labels) + 1
    fits = len(rows) in (len(labels), len(labels) + 1) if alone else 0 < len(rows) < len(labels)
    if rows.ndim != 2 or rows.shape[1] != card.row_width or offsets.shape != rows.shape[:1] or not fits:
        raise ValueError(f"{ROWS} has the shape {rows.shape} and {OFFSETS} {offsets.shape} for {len(labels)} labels")
    named = (*labels, NONE) if none else labels[len(labels) - len(rows) :]
    return Taught(AddedRows(named, rows, offsets), alone, none)


def _read(archive: zipfile.ZipFile, name: str, card: ModelCard) -> NDArray[np.float32]:
    info = archive.getinfo(name)
    if info.file_size > 4 * card.row_capacity * card.row_width + _HEADER:
        raise ValueError(f"{name} has {info.file_size:,} bytes, more than {card.row_capacity} rows take")
    found = np.load(io.BytesIO(archive.read(info)), allow_pickle=False)
    if not isinstance(found, np.ndarray) or found.dtype != np.float32 or not np.isfinite(found).all():
        raise ValueError(f"{name} does not hold numbers in float32")
    return found


def _bytes(array: NDArray[Any]) -> bytes:
    file = io.BytesIO()
    np.save(file, np.ascontiguousarray(array, np.float32), allow_pickle=False)
    return file.getvalue()
