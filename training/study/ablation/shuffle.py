"""Pictures whose patches stand in another order: what is left of the answer, if only their content counts?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vitcam.frames import Image
from vitcam.pictures.resize import InputSpec, to_model_size
from vitcam_training.data.dataset import Sample, photo_of


def shuffled(samples: Sequence[Sample], spec: InputSpec, patch_size: int, seed: int = 0) -> list[Sample]:
    """The same photos at the model's size, the patches of each in a random order of its own."""
    rng = np.random.default_rng(seed)
    fitted = (to_model_size(photo_of(sample), spec) for sample in samples)
    return [
        replace(sample, pixels=shuffle(image, patch_size, rng)) for sample, image in zip(samples, fitted, strict=True)
    ]


def shuffle(image: Image, side: int, rng: np.random.Generator) -> Image:
    """One picture, (H, W, 3) uint8, its patches in random order; `side` divides H and W."""
    rows, columns = image.shape[0] // side, image.shape[1] // side
    patches = image.reshape(rows, side, columns, side, 3).swapaxes(1, 2).reshape(rows * columns, side, side, 3)
    moved = patches[rng.permutation(len(patches))].reshape(rows, columns, side, side, 3)
    return np.ascontiguousarray(moved.swapaxes(1, 2).reshape(image.shape))
