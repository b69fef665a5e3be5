"""The patch embedding's weights on the grid of int8, rounded together instead of one by one. NumPy only.

A picture is smooth: neighbouring pixels, and the three colours of one, are nearly the same. So an error in the weight
of one pixel can be taken out by those of its neighbours, and what is left lies where pictures have next to nothing.
The rounding is that of GPTQ (Frantar et al. 2023, arXiv 2210.17323). It needs to know how pixels go together, and for
that no photos: how fast the likeness falls with the distance hardly matters.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vitcam_training.export.folded import Affine

LEVELS = 127
"""Of int8 to each side of zero: what the quantiser divides the largest weight of an output channel by."""
LIKENESS_PX = 40.0
"""Over so many pixels the covariance falls to 1 / e. On 300 photos of `everyday` the error of the embedding falls from
1.20 % to 0.13 %, of DeiT-Tiny's from 1.47 % to 0.17 %; any length of 10 to 80 pixels and any likeness of the colours
of 0.8 to 0.95 gives the same to 0.005 points."""
COLOURS = 0.9
"""Covariance of two colours of a pixel."""
NOISE = 1 / 32
"""Standard deviation of what each pixel has for itself."""
MEAN = 0.2
"""Square of what all have in common in all pictures."""


def round_together(patches: Affine) -> Affine:
    """The kernel, (P*P*3, D), on the grid that int8 will give each of its columns; the quantiser then changes nothing.

    patches  a patch's rows one after the other, RGB side by side
    """
    kernel = patches.kernel.astype(np.float64)
    largest = np.abs(kernel).max(axis=0)
    step = np.where(largest > 0, largest / LEVELS, 1.0)  # (D,)
    levels = _levels(kernel / step, likeness(len(kernel)))
    return Affine((levels * step).astype(np.float32), patches.bias)


def likeness(count: int) -> NDArray[np.float64]:
    """The mean products of a patch's `count` numbers with each other, (P*P*3, P*P*3), in a unit of their variance."""
    side = round((count / 3) ** 0.5)
    row, column, colour = (each.ravel() for each in np.indices((side, side, 3)))
    distance = np.hypot(np.subtract.outer(row, row), np.subtract.outer(column, column))
    covariance = np.exp(-distance / LIKENESS_PX) * np.where(np.equal.outer(colour, colour), 1.0, COLOURS)
    return np.asarray(covariance + MEAN + NOISE**2 * np.eye(count))


def _levels(wanted: NDArray[np.float64], products: NDArray[np.float64]) -> NDArray[np.float64]:
    """Whole numbers from -127 to 127 for the wanted ones, (K, D), one row after the other; later rows make good.

    A weight of 127 or more stays there: by the largest the quantiser finds the grid.
    """
    spread = np.linalg.cholesky(np.linalg.inv(products)).T  # upper: what a row's error does to those after it
    largest = np.abs(wanted) >= LEVELS - 1e-6  # of each column one at least, unless it is zero
    fixed, left = np.sign(wanted) * LEVELS, wanted.copy()
    levels = np.empty_like(wanted)
    for i, share in enumerate(spread):
        levels[i] = np.where(largest[i], fixed[i], np.clip(np.round(left[i]), -LEVELS, LEVELS))
        left[i + 1 :] -= np.outer(share[i + 1 :], (left[i] - levels[i]) / share[i])
    return levels
