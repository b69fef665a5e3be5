"""What the base makes of the photos of a data set, kept beside them: teaching it again takes a second."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vitcam.model.bundle import DAMAGES
from vitcam.storage.files import atomic_write

FILE = ".vitcam-features.npz"
LARGEST = 256 * 2**20
"""Bytes. A larger file is not read: this program does not write one."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What the base makes of one photo."""

    digest: bytes
    """Of the file's bytes, 16 bytes: the same picture under another name has the same."""
    read: NDArray[np.float32]
    """(E + 2 D,) what rows read."""
    log_sum: float
    """Log of the sum of the exponentials of all logits of the base."""
    best: float
    """Log of the probability of its most probable label."""
    contrast: float
    best_label: int = -1
    """Which of the base's labels that is."""
    copy: Seen | None = None
    """The same of the photo with its thing painted out; None: there is no such copy."""


class Cache:
    """The features in a data set's folder, for one base. What is damaged or of another base is not used.

    folder  of the data set
    base    which base, and how it takes pictures
    width   how many numbers a row reads
    """

    def __init__(self, folder: Path, base: str, width: int) -> None:
        self._path, self._base, self._width = folder / FILE, base, width

    def load(self) -> dict[str, Seen]:
        """By what `key_of` says."""
        try:
            if not 0 < self._path.stat().st_size <= LARGEST:
                return {}
            with self._path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
                if str(file["base"]) != self._base:
                    return {}
                keys, digests, read, numbers = (file[name] for name in ("keys", "digests", "read", "numbers"))
        except DAMAGES:
            return {}
        count = len(keys) if keys.ndim == 1 else -1
        shapes = (digests.shape, read.shape, numbers.shape) == ((count, 16), (count, self._width), (count, 4))
        kinds = (digests.dtype, read.dtype, numbers.dtype) == (np.uint8, np.float32, np.float64)
        if not (shapes and kinds and keys.dtype.kind == "U" and np.isfinite(read).all() and np.isfinite(numbers).all()):
            return {}
        rows = zip(keys.tolist(), digests, read, numbers.tolist(), strict=True)
        return {
            key: Seen(digest.tobytes(), row, four[0], four[1], four[2], int(four[3])) for key, digest, row, four in rows
        }

    def save(self, seen: Mapping[str, Seen]) -> None:
        """Replace it. A folder that cannot be written costs nothing but time."""
        rows = seen.values()
        try:
            with atomic_write(self._path, private=True) as partial, partial.open("wb") as file:
                np.savez(
                    file,
                    base=np.array(self._base),
                    keys=np.array(list(seen)),
                    digests=np.array([np.frombuffer(each.digest, np.uint8) for each in rows]),
                    read=np.array([each.read for each in rows]),
                    numbers=np.array([(each.log_sum, each.best, each.contrast, each.best_label) for each in rows]),
                )
        except OSError as error:
            log.info("%s cannot be written: %s", self._path, error.strerror)


def key_of(root: Path, path: Path) -> str:
    """A photo's name in the data set, and what changes when its file does. Raises OSError."""
    found = path.stat()
    return f"{path.relative_to(root)!s}\n{found.st_size}\n{found.st_mtime_ns}"
