"""Near duplicates: frames of one burst, copies, mirror images. They must be in the same part of a split."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Image

NEAR_DUPLICATE = (
    0.96  # correlation of two 16 x 16 thumbnails; pairs from here up were looked at, and most are one photo
)
SIDE_PX = 16
_ROWS = 1024  # thumbnails that are compared with all others at a time: 40 MB where a label has 10,000 photos

Thumbnails = NDArray[np.float32]
"""(n, 768): one row a photo, 16 x 16 RGB less its mean, of length 1, so that a product of rows is a correlation."""


def thumbnail(photo: Image) -> Thumbnails:
    """One row of `Thumbnails`, (768,), of a photo (H, W, 3) uint8 RGB."""
    row = cv2.resize(photo, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_AREA).reshape(-1).astype(np.float32)
    row -= row.mean()
    return np.asarray(row / max(float(np.linalg.norm(row)), 1e-6))


def mirrored(rows: Thumbnails) -> Thumbnails:
    """The rows of the mirror images, (n, 768)."""
    return rows.reshape(-1, SIDE_PX, SIDE_PX, 3)[:, :, ::-1].reshape(len(rows), -1)


def near_duplicate_groups(rows: Thumbnails) -> list[list[int]]:
    """Groups of photos that resemble each other, directly or through others; in order, each photo once.

    rows  (n, 768)
    """
    group = np.arange(len(rows))  # the smallest number of a photo that each is known to go with
    turned = mirrored(rows)
    for start in range(0, len(rows), _ROWS):
        some = rows[start : start + _ROWS]
        for i, alike in enumerate(np.maximum(some @ rows.T, some @ turned.T) > NEAR_DUPLICATE, start):
            names = np.unique(np.append(group[alike], group[i]))
            if len(names) > 1:
                group[np.isin(group, names)] = names[0]
    return [np.flatnonzero(group == name).tolist() for name in np.unique(group)]
