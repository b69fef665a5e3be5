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

_FEATURES, _SCALES = "features", "scales"
_STORED = np.dtype(np.int8)
_MOST = 127
_PARTS = {
    _FEATURES: np.dtype(np.float16),
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
        """The files for the zip of a model file, by name.

        Each column of the features is stored in int8 with a scale of its own: half of the bytes, and an error of about
        1 % of the column's deviation.
        """
        found: dict[str, NDArray[Any]] = {
            name: np.asarray(getattr(self, name), dtype) for name, dtype in _PARTS.items()
        }
        features = found[_FEATURES].astype(np.float32)
        most = np.abs(features).max(0, initial=0)
        scales = np.where(most > 0, most / _MOST, 1).astype(np.float32)
        found |= {_FEATURES: np.round(features / scales).astype(_STORED), _SCALES: scales}
        return {_file(name): _bytes(array) for name, array in found.items()}


def read(archive: zipfile.ZipFile, card: ModelCard, labels: int) -> Bank | None:
    """Read it from the zip of a model file; None if it has none.

    raises  ValueError if it is not of the size that the description says, or is invalid; KeyError if a part is missing
    """
    if not card.bank:
        return None
    parts = {name: _read(archive, name, (card.bank,), (_PARTS[name],)) for name in _PARTS if name != _FEATURES}
    bank = Bank(features=_features(archive, (card.bank, card.row_width)), **parts)
    if bank.labels.min() < 0 or bank.labels.max() >= labels:
        raise ValueError(f"its bank has photos of a label that is none of the {labels:,} labels")
    if not all(np.isfinite(getattr(bank, name)).all() for name in _PARTS):
        raise ValueError("its bank holds infinity or NaN")
    return bank


def _features(archive: zipfile.ZipFile, shape: tuple[int, int]) -> NDArray[np.float16]:
    """Files of before have them in float16, without scales."""
    found: NDArray[Any] = _read(archive, _FEATURES, shape, (_STORED, _PARTS[_FEATURES]))
    if found.dtype == _STORED:
        scales = _read(archive, _SCALES, shape[1:], (np.dtype(np.float32),))
        with np.errstate(over="ignore", invalid="ignore"):  # what becomes infinity or NaN is refused later
            return np.asarray(found * scales, np.float16)
    return found


def _read(archive: zipfile.ZipFile, name: str, shape: tuple[int, ...], allowed: tuple[np.dtype[Any], ...]) -> Any:
    info = archive.getinfo(_file(name))
    if min(shape) < 1 or info.file_size > int(np.prod(shape, dtype=object)) * allowed[-1].itemsize + _HEADER:
        raise ValueError(f"{info.filename} has {info.file_size:,} bytes, too many for the shape {shape}")
    found = np.load(io.BytesIO(archive.read(info)), allow_pickle=False)
    if not isinstance(found, np.ndarray) or found.shape != shape or found.dtype not in allowed:
        raise ValueError(f"{info.filename} is not {allowed[0]} of shape {shape}")
    return found


def _file(name: str) -> str:
    return f"{FOLDER}{name}.npy"


def _bytes(array: NDArray[Any]) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    return file.getvalue()
