"""Data sets of drawn pictures, and what teaching them to the shipped model needs."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from tests.shapes import draw

PAIRS = {"red cross": ("red", "cross"), "blue circle": ("blue", "circle"), "green triangle": ("green", "triangle")}


def drawn(root: Path, photos: int = 6, labels: tuple[str, ...] = tuple(PAIRS), seed: int = 0) -> Path:
    """A folder of LABEL/NN.png."""
    rng = np.random.default_rng(seed)
    for label in labels:
        folder = root / label
        folder.mkdir(parents=True, exist_ok=True)
        for i in range(photos):
            write(folder / f"{i:02}.png", draw(*PAIRS[label], rng))
    return root


def write(path: Path, picture: np.ndarray) -> None:
    """(h, w, 3) uint8, RGB."""
    path.write_bytes(cv2.imencode(".png", cv2.cvtColor(picture, cv2.COLOR_RGB2BGR))[1].tobytes())
