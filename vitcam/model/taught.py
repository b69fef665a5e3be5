"""The labels that a model was taught on a device: rows of its head, which lie in the model file beside the graph."""

from __future__ import annotations

import hashlib
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
JOINED, PICTURES = "taught/joined.npy", "taught/pictures"
ABOVE = 100.0
"""Added to the logits of rows that stand alone: the labels of the graph itself get a probability of 0 beside them."""
NONE = "none of these"
_HEADER = 1024  # bytes at most of an .npy file's
DIGEST = 8
"""Bytes of what tells pictures from each other, the first ones of BLAKE2b of 16 bytes: enough for 20,000."""
_MOST_PICTURES = 2**17


@dataclass(frozen=True, slots=True, eq=False)
class Taught:
    """What was taught.

    rows   those of the labels, and behind them, where `has_none` says so, one for pictures of none of them
    alone  True: the model knows these labels and no others; False: they stand behind those of the graph
    has_none  whether there is a row for none of them; only where they stand alone
    joined  of the last rows: which label of the graph each is a further row of; only where they stand behind these
    pictures  what `digest_of` says of each picture that it was taught with
    """

    rows: AddedRows
    alone: bool
    has_none: bool = False
    joined: tuple[int, ...] = ()
    pictures: frozenset[bytes] = frozenset()

    @property
    def count(self) -> int:
        """How many labels, besides those of the graph."""
        return len(self.rows.labels) - self.has_none - len(self.joined)

    def graph_inputs(self, with_none: bool = True) -> AddedRows:
        """What the graph is given; with_none: also the row for none of the labels, if there is one."""
        offsets = self.rows.offsets + np.float32(ABOVE if self.alone else 0.0)
        if self.has_none and not with_none:
            offsets[-1] = ABSENT
        return AddedRows(self.rows.labels, self.rows.rows, offsets)

    def likeliest(self, given: NDArray[Any], count: int) -> float:
        """The probability of the likeliest row that was taught beside the graph's own labels.

        The least familiarity was fitted to pictures of the graph's own labels and says nothing of taught ones. So the
        probability of a taught label is used as its familiarity.

        given  (n,) all that the graph gives
        count  how many labels the model has
        """
        own = count - self.count
        return float(given[own : own + len(self.rows.labels)].max())

    @property
    def content(self) -> bytes:
        """Bytes that differ where the rows differ."""
        return self.rows.rows.tobytes() + self.rows.offsets.tobytes()

    def parts(self) -> dict[str, str | bytes]:
        """For the zip in a model file."""
        parts: dict[str, str | bytes] = {ROWS: _bytes(self.rows.rows), OFFSETS: _bytes(self.rows.offsets)}
        if self.joined:
            parts[JOINED] = _bytes(np.array(self.joined))
        return parts | {PICTURES: b"".join(sorted(self.pictures))}


def digest_of(file: bytes) -> bytes:
    """The same for the same picture under another name."""
    return hashlib.blake2b(file, digest_size=16).digest()[:DIGEST]


def places_of(taught: Taught | None, own: int) -> tuple[int, int]:
    """Where the labels of a model begin among the probabilities of its graph, and how many there are.

    own  how many labels the graph has itself
    """
    if taught is None:
        return 0, own
    return (own, taught.count) if taught.alone else (0, own + taught.count)


def own_of(given: NDArray[Any], first: int, count: int, taught: Taught | None) -> NDArray[Any]:
    """The probability of each label of a model; a further row of a label of the graph counts with that label.

    given         (n,) all that the graph gives
    first, count  as `places_of` says
    """
    own = given[first : first + count]
    if taught is None or not taught.joined:
        return own
    own = own.copy()
    own[list(taught.joined)] += given[count : count + len(taught.joined)]
    return own


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
    has_none = alone and len(rows) == len(labels) + 1
    joined = _joined(archive, card) if not alone and JOINED in archive.namelist() else ()
    new = len(rows) - len(joined)
    own = len(labels) - new
    if joined and not (0 <= min(joined) <= max(joined) < own and len(set(joined)) == len(joined)):
        raise ValueError(f"{JOINED} names labels that the graph does not have, or one of them twice")
    fits = len(rows) in (len(labels), len(labels) + 1) if alone else len(rows) > 0 and 0 <= new < len(labels)
    if rows.ndim != 2 or rows.shape[1] != card.row_width or offsets.shape != rows.shape[:1] or not fits:
        raise ValueError(f"{ROWS} has the shape {rows.shape} and {OFFSETS} {offsets.shape} for {len(labels)} labels")
    named = (*labels, NONE) if has_none else labels if alone else (*labels[own:], *(labels[each] for each in joined))
    return Taught(AddedRows(named, rows, offsets), alone, has_none, joined, _pictures(archive))


def _joined(archive: zipfile.ZipFile, card: ModelCard) -> tuple[int, ...]:
    found = _read(archive, JOINED, card)
    if found.ndim != 1 or (abs(found) > 2**20).any():
        raise ValueError(f"{JOINED} does not hold a list of labels")
    return tuple(map(int, found))


def _pictures(archive: zipfile.ZipFile) -> frozenset[bytes]:
    """Files of earlier versions have no such part."""
    if PICTURES not in archive.namelist():
        return frozenset()
    info = archive.getinfo(PICTURES)
    if info.file_size % DIGEST or info.file_size > DIGEST * _MOST_PICTURES:
        raise ValueError(f"{PICTURES} has {info.file_size:,} bytes")
    found = archive.read(info)
    return frozenset(found[start : start + DIGEST] for start in range(0, len(found), DIGEST))


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
