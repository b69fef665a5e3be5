"""Copies of photos with their thing painted out: by what is left of them, no label may be recognised."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Image
from vitcam.parts.teach.dataset import Photo
from vitcam.parts.teach.datasets.teachable import NOTHING

MOST = 20
"""Photos of a label that are copied: more take time and change little."""
_THING = 0.5
"""The thing is where this share of the patches is to which the evidence points most."""


def to_paint(photos: Sequence[Photo]) -> frozenset[int]:
    """Which photos are copied, by their places: of each label so many, evenly. Nothing can be painted out of the empty
    scene."""
    places: dict[str, list[int]] = {}
    for place, photo in enumerate(photos):
        if photo.label.casefold() != NOTHING:
            places.setdefault(photo.label, []).append(place)
    return frozenset(place for own in places.values() for place in own[:: math.ceil(len(own) / MOST)])


def without_thing(image: Image, evidence: NDArray[np.float32]) -> Image:
    """The picture with its thing, and a margin around it, in the mean colour of the rest.

    image     (h, w, 3) uint8, RGB
    evidence  (rows, columns) of the patches, for what the model takes it for
    """
    thing = (evidence > max(0.0, float(np.quantile(evidence, 1 - _THING)))).astype(np.uint8)
    thing = cv2.dilate(thing, np.ones((2, 2), np.uint8))
    out = cv2.resize(thing, image.shape[1::-1], interpolation=cv2.INTER_NEAREST) > 0
    copy = image.copy()
    if not out.all():
        copy[out] = image[~out].mean(0).astype(np.uint8)
    return copy
