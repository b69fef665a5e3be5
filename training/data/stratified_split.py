"""A stratified split: the same share of every label, the same on every machine, near duplicates in one part."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Image

NEAR_DUPLICATE = 0.96
"""Correlation of two 16 x 16 thumbnails. Pairs from here up were looked at, and most are one photo."""
SEED = 0  # part of every hash; another one would be another split
SIDE_PX = 16
_ROWS = 1024  # thumbnails that are compared with all others at a time: 40 MB where a label has 10,000 photos

log = logging.getLogger(__name__)

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


@dataclass(frozen=True)
class Shares:
    """Which share of each label's photos is kept from training; where both are wanted and there are three, one each."""

    heldout: float
    calibration: float

    def wanted(self, photos: int) -> dict[str, int]:
        """How many of a label's photos each part gets; the rest, one at least, is trained on."""
        heldout = max(1, round(self.heldout * photos)) if self.heldout else 0
        calibration = max(1, round(self.calibration * photos)) if photos > heldout + 1 else 0
        return {"heldout": heldout, "calibration": calibration}


def divide(photos: Sequence[tuple[str, str]], rows: Thumbnails, shares: Shares) -> list[str]:
    """The part of each photo: `train`, `calibration` or `heldout`.

    photos  label and file name of each
    rows    (n, 768) their thumbnails: near duplicates of one label come into the same part
    """
    by_label: dict[str, list[int]] = {}
    for i, (label, _) in enumerate(photos):
        by_label.setdefault(label, []).append(i)
    parts = ["train"] * len(photos)
    torn = []  # labels whose photos resemble each other too much
    for label, own in sorted(by_label.items()):
        wanted = shares.wanted(len(own))
        names = [photos[i][1] for i in own]
        bursts, whole = _bursts(
            names, near_duplicate_groups(rows[own]), max(wanted.values()), min(filter(None, wanted.values()))
        )
        torn += [] if whole else [label]
        for part, members in _take(names, bursts, wanted, label):
            for i in members:
                parts[own[i]] = part
    if torn:
        log.warning(
            "photos of %d labels, such as %s, are so similar that photos of one series are in different parts; "
            "the figures will be too good",
            len(torn), torn[0],
        )  # fmt: skip
    return parts


def _bursts(names: Sequence[str], alike: list[list[int]], most: int, piece: int) -> tuple[list[list[int]], bool]:
    """Groups of at most `most`; larger ones are cut into pieces of neighbours by name. And whether none was cut."""
    small = [group for group in alike if len(group) <= most]
    large = [sorted(group, key=lambda i: names[i]) for group in alike if len(group) > most]
    cut = [group[start : start + piece] for group in large for start in range(0, len(group), piece)]
    return small + cut, not large


def _take(
    names: Sequence[str], bursts: list[list[int]], wanted: dict[str, int], label: str
) -> list[tuple[str, list[int]]]:
    """What is held out and what calibrates: bursts in the order of a hash, as long as they fit."""

    def rank(burst: list[int]) -> str:
        return min(hashlib.sha256(f"{SEED}/{label}/{names[i]}".encode()).hexdigest() for i in burst)

    left = sorted(bursts, key=rank)
    taken = []
    for part, count in wanted.items():
        fitting: list[list[int]] = []
        for burst in left:
            if sum(len(each) for each in fitting) + len(burst) <= count:
                fitting.append(burst)
        if count and not fitting and len(left) > 1:
            fitting = left[:1]  # rather one burst too many than none
        left = [burst for burst in left if burst not in fitting]
        taken += [(part, burst) for burst in fitting]
    return taken
