"""Parts of photos in which there is nothing to see, enlarged: sky, walls, grass and tables as real cameras see them.

They are for training, so they are cut from photos trained on only.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path

import cv2
import numpy as np

from vitcam.frames import Image
from vitcam.model.contrast import LEAST, contrast
from vitcam_training.data.dataset import UNLABELLED, Dataset, Sample
from vitcam_training.data.photos import BrokenPhotoError, photo_of

SHARE = 0.3  # of a photo's short side: smaller ones are blurred when enlarged, larger ones hold a part of the thing
PLACES = 7  # a side of the grid on which windows lie
SIDE_PX = 224

log = logging.getLogger(__name__)


def empty_crops(dataset: Dataset) -> tuple[Sample, ...]:
    """The emptiest part of each photo in the part `train`; photos that have something everywhere are left out.

    returns  samples of no label, named PHOTO.empty.png, which are cut out again when they are read
    """
    return tuple(_empty(dataset.part("train")))


def _empty(samples: tuple[Sample, ...]) -> Iterator[Sample]:
    for sample in samples:
        try:
            found = empty_crop(photo_of(sample))
        except BrokenPhotoError as error:
            log.warning("skipped %s", error)
            continue
        if found is not None:
            yield Sample(_name(sample.path), UNLABELLED, render=partial(_cut_again, sample))


def empty_crop(photo: Image) -> Image | None:
    """The window with the least contrast; None if even that shows something.

    photo    (H, W, 3) uint8, RGB
    returns  (224, 224, 3) uint8, RGB
    """
    height, width = photo.shape[:2]
    side = max(1, round(SHARE * min(height, width)))
    tops, lefts = (np.linspace(0, size - side, PLACES).astype(int) for size in (height, width))
    windows = (photo[y : y + side, x : x + side] for y, x in product(tops, lefts))
    least, best = min(((contrast(window), window) for window in windows), key=lambda pair: pair[0])
    return _enlarged(best) if least < LEAST else None


def _cut_again(sample: Sample) -> Image:
    found = empty_crop(photo_of(sample))
    if found is None:
        raise BrokenPhotoError(f"{sample.path}: has changed since its empty part was found")
    return found


def _enlarged(window: Image) -> Image:
    return np.asarray(cv2.resize(window, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_CUBIC), dtype=np.uint8)


def _name(path: Path) -> Path:
    return path.with_name(f"{path.stem}.empty.png")
