"""Pictures that are moved by a few pixels, and a share of a data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vitcam.frames import Image
from vitcam.pictures.resize import InputSpec, to_model_size
from vitcam_training.data.dataset import Dataset, Sample
from vitcam_training.data.photos import photo_of


def moved(image: Image, shift: int) -> Image:
    """A picture (H, W, 3) uint8 moved to the right by `shift` px; what is missing on the left is mirrored."""
    if shift == 0:
        return image
    return np.ascontiguousarray(np.pad(image, ((0, 0), (shift, 0), (0, 0)), mode="reflect")[:, : image.shape[1]])


def shifted(samples: Sequence[Sample], spec: InputSpec, shift: int) -> list[Sample]:
    """The same photos at the model's size, each moved to the right by `shift` px."""
    return [replace(sample, pixels=moved(to_model_size(photo_of(sample), spec), shift)) for sample in samples]


def part_of(dataset: Dataset, share: float, seed: int) -> Dataset:
    """The data set with a share of each label's photos to train on, drawn by the seed; the other parts stay.

    A smaller share of the same seed is a part of a larger one.
    """
    if share == 1.0:
        return dataset
    by_label: dict[int, list[Sample]] = {}
    for sample in dataset.part("train"):
        by_label.setdefault(sample.label, []).append(sample)
    rng = np.random.default_rng(seed)
    kept: list[Sample] = []
    for _, photos in sorted(by_label.items()):
        order = rng.permutation(len(photos))
        kept += [photos[i] for i in order[: max(1, round(share * len(photos)))]]
    return replace(dataset, parts=dataset.parts | {"train": tuple(kept)})
