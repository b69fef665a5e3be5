"""Examples as numbers, without photos."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vitcam.parts.teach.examples import RIGHT, Examples, Others

WIDTH, EMBEDDING = 24, 8
WALL = np.array([3.0] * EMBEDDING + [0.0] * (WIDTH - EMBEDDING), np.float32)
"""What a wall behind things adds to what is read of them."""


def clouds(labels: int = 3, photos: int = 20, spread: float = 0.6, seed: int = 0) -> Examples:
    """Photos of each label, around a middle of its own."""
    rng = np.random.default_rng(seed)
    of = np.repeat(np.arange(labels), photos)
    middles = np.random.default_rng(7).normal(size=(labels, WIDTH)) * 2
    read = (middles[of] + spread * rng.normal(size=(len(of), WIDTH))).astype(np.float32)
    names = tuple(f"label {label}/{i:02}.jpg" for i, label in enumerate(of.tolist()))
    every = tuple(f"label {label}" for label in range(labels))
    return Examples(every, names, of, read, np.full(len(of), 2.0), np.full(len(of), -0.1), np.arange(len(of)) % 5)


def before_a_wall(things: int = 2, seed: int = 0) -> tuple[Examples, Others]:
    """Photos of things, all before the same wall, and a bank with copies of them in which the wall is left."""
    examples = clouds(things, seed=seed)
    own, copied = strangers().read, (examples.read - clouds(things, spread=0.0, seed=seed).read + WALL)
    read = np.concatenate([own, copied]).astype(np.float32)
    source = np.concatenate([np.full(len(own), RIGHT), np.arange(len(examples))])
    others = Others(read, np.full(len(read), 4.0), np.full(len(read), np.log(0.9)), source)
    return replace(examples, read=examples.read + WALL), others


def strangers(photos: int = 60, seed: int = 3) -> Others:
    """Photos around other middles; the base is right about all of them."""
    rng = np.random.default_rng(seed)
    middles = np.random.default_rng(11).normal(size=(6, WIDTH)) * 2
    read = middles[np.arange(photos) % 6] + 0.6 * rng.normal(size=(photos, WIDTH))
    return of_bank(read.astype(np.float32))


def of_bank(read: NDArray[np.float32]) -> Others:
    """Photos of a bank about which the base is right: (m, WIDTH)."""
    return Others(read, np.full(len(read), 4.0), np.full(len(read), np.log(0.9)), np.full(len(read), RIGHT))
