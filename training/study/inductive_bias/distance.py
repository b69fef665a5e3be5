"""How far the heads of a ViT look: the mean attention distance, head by head and block by block.

Source: Dosovitskiy et al. 2021 (arXiv 2010.11929), figure 7 on the right and appendix D.7. Keras is imported by this
module.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Image
from vitcam.pictures.resize import InputSpec, to_model_size
from vitcam_training.config import ViTConfig
from vitcam_training.data.dataset import Sample, photo_of
from vitcam_training.vit import ViT
from vitcam_training.weights.checkpoints import load_into, read_network
from vitcam_training.weights.metadata import stored_metadata

BATCH = 16

Distances = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class AttentionDistances:
    """Of one network, in shares of the picture's side."""

    title: str
    config: ViTConfig
    photos: int
    distances: Distances
    """(L, h): block by block and head by head."""

    @property
    def even(self) -> float:
        """Of a head that looks everywhere alike."""
        return float(between_patches(self.config.grid).mean())

    @property
    def side_px(self) -> int:
        """Of the picture."""
        return max(self.config.image_size)


def between_patches(grid: tuple[int, int]) -> Distances:
    """From the middle of each patch to that of each other, in shares of the picture's longer side: (N, N).

    grid  (rows, columns) of patches
    """
    places = np.stack(np.meshgrid(*map(np.arange, grid), indexing="ij"), axis=-1).reshape(-1, 2)
    steps = places[:, None] - places[None]
    return np.asarray(np.hypot(steps[..., 0], steps[..., 1]) / max(grid))


def mean_distances(weights: NDArray[np.floating], grid: tuple[int, int]) -> Distances:
    """How far each head looks: for each patch the distances to the others by its attention, then the mean.

    Tokens before the patches have no place. What a patch gives to them is left out, and its other weights are divided
    by their sum.

    weights  (B, h, T, T), rows sum to 1; the last N tokens are the patches
    grid     (rows, columns) of patches, N in all
    returns  (B, h), in shares of the picture's longer side
    """
    count = grid[0] * grid[1]
    among = np.asarray(weights, np.float64)[..., -count:, -count:]
    shares = among / among.sum(-1, keepdims=True)
    return np.asarray((shares * between_patches(grid)).sum(-1).mean(-1))


def attention_distances(checkpoint: Path, title: str, samples: Sequence[Sample]) -> AttentionDistances:
    """The mean attention distance of every head of a network over photos.

    raises  UsageError if the checkpoint cannot be used
    """
    config, weights = read_network(checkpoint)
    vit, spec = ViT(config), _spec_of(checkpoint, config)
    load_into(vit, weights)
    images = [to_model_size(photo_of(sample), spec) for sample in samples]
    batches = [_of_batch(vit, images[start : start + BATCH]) for start in range(0, len(images), BATCH)]
    return AttentionDistances(title, config, len(images), np.concatenate(batches).mean(0))


def _spec_of(checkpoint: Path, config: ViTConfig) -> InputSpec:
    """As the checkpoint says; published weights were tested on the middle of a photo, bicubic."""
    stored = stored_metadata(checkpoint)
    return stored.input if stored else InputSpec(*config.image_size, crop_fraction=0.875, interpolation="bicubic")


def _of_batch(vit: ViT, images: Sequence[Image]) -> Distances:
    """(B, L, h)."""
    taps = vit.predict_on_batch(np.stack(images))[1]
    seen = [mean_distances(taps[f"{block.name}/attention"], vit.config.grid) for block in vit.blocks]
    return np.stack(seen, axis=1)
