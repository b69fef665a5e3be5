"""Examples as numbers, without photos."""

from __future__ import annotations

import numpy as np

from vitcam.parts.teach.examples import Examples, Others

WIDTH, EMBEDDING = 24, 8


def clouds(labels: int = 3, photos: int = 20, spread: float = 0.6, seed: int = 0) -> Examples:
    """Photos of each label, around a middle of its own."""
    rng = np.random.default_rng(seed)
    of = np.repeat(np.arange(labels), photos)
    middles = np.random.default_rng(7).normal(size=(labels, WIDTH)) * 2
    read = (middles[of] + spread * rng.normal(size=(len(of), WIDTH))).astype(np.float32)
    names = tuple(f"label {label}/{i:02}.jpg" for i, label in enumerate(of.tolist()))
    every = tuple(f"label {label}" for label in range(labels))
    return Examples(every, names, of, read, np.full(len(of), 2.0), np.full(len(of), -0.1), np.arange(len(of)) % 5)


def strangers(photos: int = 60, seed: int = 3, right: float = 0.9) -> Others:
    """Photos around other middles; the base is right about all of them."""
    rng = np.random.default_rng(seed)
    middles = np.random.default_rng(11).normal(size=(6, WIDTH)) * 2
    read = middles[np.arange(photos) % 6] + 0.6 * rng.normal(size=(photos, WIDTH))
    return Others(read.astype(np.float32), np.full(photos, 4.0), np.full(photos, right))
