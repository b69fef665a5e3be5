"""The bank of a model file: what the model made of photos that it was trained on, which a device has not.

A device that learns a label of its own checks with it what the new row does to photos of the others. The bank is read
only when somebody asks for it: a daemon that never learns does not load it.
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.model.card import ModelCard

_PARTS = {
    "features": np.dtype(np.float16),
    "labels": np.dtype(np.int16),
    "log_sums": np.dtype(np.float16),
    "right": np.dtype(np.float16),
}
FOLDER = "bank/"
"""In the zip of the model file."""
_HEADER = 1024  # bytes at most of an .npy file's


@dataclass(frozen=True, slots=True, eq=False)
class Bank:
    """n photos."""

    features: NDArray[np.float16]
    """(n, E + 2 D): what the row of a further label reads, as `AddedRows` has it: the embedding, then the class token
    and the mean of the patches as they enter the last block."""
    labels: NDArray[np.int16]
    """(n,) indices of the model's labels: what each photo shows."""
    log_sums: NDArray[np.float16]
    """(n,) log of the sum of the exponentials of all logits of the model's own labels. A further label of logit z has
    the probability 1 / (1 + exp(log_sum - z))."""
    right: NDArray[np.float16]
    """(n,) the probability of the most probable label where that is right, else 0. A further label of logit z takes a
    right answer away where z > log_sum + log(right)."""

    def __len__(self) -> int:
        return len(self.labels)

    def parts(self) -> dict[str, str | bytes]:
        """The files for the zip of a model file, by name."""
        return {_file(name): _bytes(np.asarray(getattr(self, name), dtype)) for name, dtype in _PARTS.items()}


def read(archive: zipfile.ZipFile, card: ModelCard, labels: int) -> Bank | None:
    """Read it from the zip of a model file; None if it has none.

    raises  ValueError if it is not of the size that the description says, or is invalid; KeyError if a part is missing
    """
    if not card.bank:
        return None
    bank = Bank(
        **{
            name: _read(archive, name, (card.bank, card.row_width) if name == "features" else (card.bank,))
            for name in _PARTS
        }
    )
    if bank.labels.min() < 0 or bank.labels.max() >= labels:
        raise ValueError(f"its bank has photos of a label that is none of the {labels:,} labels")
    if not all(np.isfinite(getattr(bank, name)).all() for name in _PARTS):
        raise ValueError("its bank holds infinity or NaN")
    return bank


def _read(archive: zipfile.ZipFile, name: str, shape: tuple[int, ...]) -> NDArray[Any]:
    info, wanted = archive.getinfo(_file(name)), _PARTS[name]
    if min(shape) < 1 or info.file_size > int(np.prod(shape, dtype=object)) * wanted.itemsize + _HEADER:
        raise ValueError(f"{info.filename} has {info.file_size:,} bytes, too many for the shape {shape}")
    found = np.load(io.BytesIO(archive.read(info)), allow_pickle=False)
    if not isinstance(found, np.ndarray) or found.shape != shape or found.dtype != wanted:
        raise ValueError(f"{info.filename} is not {wanted} of shape {shape}")
    return found


def _file(name: str) -> str:
    return f"{FOLDER}{name}.npy"


def _bytes(array: NDArray[Any]) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    return file.getvalue()
