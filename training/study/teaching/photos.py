"""What the base makes of photos, asked once and kept in a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vitcam.model.classifier import Classifier
from vitcam.model.spare_rows import AddedRows, read_by_rows
from vitcam_training.data.dataset import BrokenPhotoError, read_photo
from vitcam_training.progress import with_progress

_PROBE, _LOGIT = "the log of the sum", 10.0


@dataclass(frozen=True, eq=False)
class Photos:
    """n photos.

    names          n folders that they lie in
    paths          n
    read           (n, E + 2 D) what rows read
    probabilities  (n, C) of the base
    log_sums       (n,)
    """

    names: NDArray[np.str_]
    paths: NDArray[np.str_]
    read: NDArray[np.float32]
    probabilities: NDArray[np.float32]
    log_sums: NDArray[np.float64]

    def of(self, places: NDArray[np.intp]) -> Photos:
        """Those at these places, (m,)."""
        return Photos(
            self.names[places],
            self.paths[places],
            self.read[places],
            self.probabilities[places],
            self.log_sums[places],
        )


def look(base: Classifier, paths: Sequence[Path], kept: Path) -> Photos:
    """Ask about photos, or read what was said before.

    kept  an .npz file; delete it to ask again
    """
    if kept.is_file():
        with np.load(kept, allow_pickle=False) as file:
            return Photos(*(file[name] for name in ("names", "paths", "read", "probabilities", "log_sums")))
    own = len(base.labels)
    probe = AddedRows((_PROBE,), np.zeros((1, base.card.row_width), np.float32), np.array([_LOGIT], np.float32))
    base.take_rows(probe)
    base.top_k = own + 1
    place = {label: i for i, label in enumerate(base.labels)}
    names, found, read, rows = [], [], [], []
    for path in with_progress(paths, f"asking about {kept.stem}"):
        try:
            answer = base.classify_image(read_photo(path))
        except BrokenPhotoError:
            continue
        row = np.zeros(own + 1)
        for guess in answer.top:
            row[place[guess.label]] += guess.p
        names.append(path.parent.name)
        found.append(str(path))
        read.append(read_by_rows(answer))
        rows.append(row)
    base.take_rows(AddedRows.none(base.card))
    every = np.array(rows)
    probed, left = every[:, -1], 1 - every[:, -1]
    photos = Photos(
        np.array(names), np.array(found), np.array(read, np.float32),
        (every[:, :-1] / left[:, None]).astype(np.float32), _LOGIT + np.log(left / probed),
    )  # fmt: skip
    kept.parent.mkdir(parents=True, exist_ok=True)
    np.savez(
        kept, names=photos.names, paths=photos.paths, read=photos.read, probabilities=photos.probabilities,
        log_sums=photos.log_sums,
    )  # fmt: skip
    return photos


def drawn(names: NDArray[np.str_], count: int, labels: Sequence[str], seed: int) -> tuple[NDArray[np.intp], ...]:
    """Places of so many photos of each label, and of all others of these labels: (m,) and (k,)."""
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(np.flatnonzero(names == label)) for label in labels]
    return np.concatenate([order[:count] for order in orders]), np.concatenate([order[count:] for order in orders])
