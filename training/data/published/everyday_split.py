"""How the lists `everyday_*.txt` were made: a split by file name in which no photo is on both sides.

Photos are ranked by a hash of their label and stem; the first 10 of a label that resemble no photo taken before are
held out, the next 2 calibrate. Whatever is left and resembles one of those, or shares its stem with one (Faces and
Faces_easy hold the same photos, cut differently), is a duplicate and is not used for training.
"""

from __future__ import annotations

import hashlib
from pathlib import Path, PurePath

import numpy as np

from vitcam_training.data.near_duplicates import NEAR_DUPLICATE, mirrored, thumbnails
from vitcam_training.data.published.everyday import label_of, photos

HELD_OUT, CALIBRATION = 10, 2  # photos of each label


def rank(path: str) -> str:
    """A number that depends on the label and the file's stem alone, so new photos do not move old ones."""
    return hashlib.sha256(f"{label_of(path)}/{PurePath(path).stem}".encode()).hexdigest()


def split(root: Path) -> dict[str, list[str]]:
    """The parts `heldout`, `calibration` and `duplicates`; every other photo is for training."""
    paths = photos(root)
    rows = thumbnails([root / path for path in paths])
    alike = np.maximum(rows @ rows.T, rows @ mirrored(rows).T) > NEAR_DUPLICATE  # (n, n)
    ranks = [rank(path) for path in paths]
    by_label: dict[str, list[int]] = {}
    for i in sorted(range(len(paths)), key=lambda i: (ranks[i], paths[i])):
        by_label.setdefault(label_of(paths[i]), []).append(i)
    chosen: dict[str, list[int]] = {"heldout": [], "calibration": []}
    taken = np.zeros(len(paths), bool)  # photos that are chosen or show the same as a chosen one
    for candidates in by_label.values():
        for part, wanted in (("heldout", HELD_OUT), ("calibration", CALIBRATION)):
            for i in [i for i in candidates if not taken[i]]:
                if wanted and not taken[i]:
                    chosen[part].append(i)
                    taken |= alike[i] | alike[:, i] | np.array([other == ranks[i] for other in ranks])
                    wanted -= 1
    picked = {i for part in chosen.values() for i in part}
    parts = chosen | {"duplicates": [int(i) for i in np.flatnonzero(taken) if int(i) not in picked]}
    return {part: sorted(paths[i] for i in indices) for part, indices in parts.items()}
