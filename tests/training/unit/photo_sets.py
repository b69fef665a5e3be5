"""Folders of photos, and what a data set made of them holds."""

from collections import Counter
from pathlib import Path

import cv2
import numpy as np

from vitcam_training.data.dataset import Dataset


def scenes(folder: Path, count: int, frames: int = 1, seed: int = 0) -> Path:
    """`count` pictures that resemble no other, each in a burst of `frames` that do."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    for i in range(count):
        scene = cv2.resize(rng.integers(0, 256, (6, 6, 3)).astype(np.uint8), (48, 48))
        for frame in range(frames):
            cv2.imwrite(str(folder / f"{i:02}-{frame}.png"), np.clip(scene + rng.normal(0, 4, scene.shape), 0, 255))
    return folder


def two_labels(root: Path, count: int = 20, frames: int = 1) -> Path:
    """Photos of cups and of pens, a folder each."""
    scenes(root / "cup", count, frames, seed=1)
    scenes(root / "pen", count, frames, seed=2)
    return root


def sizes(found: Dataset) -> dict[str, dict[str, int]]:
    """How many photos of each label each part has."""
    return {
        part: {found.labels[label]: n for label, n in sorted(Counter(s.label for s in samples).items())}
        for part, samples in found.parts.items()
    }
