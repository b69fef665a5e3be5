"""Joins cells that differ from the scene into blobs, each of which may be a thing."""

from dataclasses import dataclass

import cv2
import numpy as np

from vitcam.look.grid import Mask, Span

_JOINED = 5  # cells that lie up to four apart belong together: a thing is seldom seen whole
_LEAST_CELLS = 6
_MOST_BLOBS = 16  # the largest ones
_KERNEL = np.ones((_JOINED, _JOINED), np.uint8)


@dataclass(frozen=True, slots=True)
class Blob:
    """Cells that belong together."""

    span: Span
    cells: int
    """How many of its span differ."""


def blobs_of(differs: Mask) -> list[Blob]:
    """The largest first."""
    if not differs.any():
        return []
    count, labels, stats, _ = cv2.connectedComponentsWithStats(cv2.dilate(differs, _KERNEL))
    own = np.bincount(labels[differs > 0], minlength=count)
    by = _JOINED // 2
    found = [
        Blob(_shrunk(stats[label], by, differs.shape), int(own[label]))
        for label in range(1, count)
        if own[label] >= _LEAST_CELLS
    ]
    return sorted(found, key=lambda blob: -blob.cells)[:_MOST_BLOBS]


def _shrunk(stats: np.ndarray[tuple[int, ...], np.dtype[np.int32]], by: int, shape: tuple[int, ...]) -> Span:
    """Without what dilating has added, which the border of the grid has cut off."""
    left, top = int(stats[cv2.CC_STAT_LEFT]), int(stats[cv2.CC_STAT_TOP])
    right, bottom = left + int(stats[cv2.CC_STAT_WIDTH]), top + int(stats[cv2.CC_STAT_HEIGHT])
    return Span(
        top + by if top > 0 else 0,
        left + by if left > 0 else 0,
        bottom - by if bottom < shape[0] else bottom,
        right - by if right < shape[1] else right,
    )
