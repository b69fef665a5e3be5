"""RandAugment (Cubuk et al. 2019, arXiv 1909.13719): N operations drawn from fourteen, all at the same magnitude M.

The operations are the paper's: identity, autocontrast, equalize, rotate, solarize, color, posterize, contrast,
brightness, sharpness, shear-x, shear-y, translate-x, translate-y. Ranges are AutoAugment's (arXiv 1805.09501, table 6),
turned so that every operation is at its strongest at M = 10 and does nothing at M = 0; where it has two directions,
one is drawn. What a move uncovers is filled with ImageNet's mean, which the network sees as 0.

In NumPy and cv2, so that the loader's threads do it while the network computes: two operations on a picture of 224 px
take 0.36 ms of one core. keras.layers.RandAugment (3.15, JAX, a CPU, batches of 16) took 167 ms.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Operation = Callable[[Image, float, float], Image]
"""(picture (H, W, 3) uint8 RGB, strength 0..1, direction -1 or 1) -> the changed picture."""

MAGNITUDES = 10.0
FILL = (124, 116, 104)  # ImageNet's mean
SMOOTH = np.array([[1, 1, 1], [1, 5, 1], [1, 1, 1]], np.float32) / 13  # Pillow's filter of this name
LUMA = (0.299, 0.587, 0.114)
BYTES = np.arange(256)


def rand_augment(image: Image, operations: int, magnitude: float, rng: np.random.Generator) -> Image:
    """Apply this many operations, drawn with replacement, one after the other.

    image      (H, W, 3) uint8, RGB
    magnitude  0 to 10
    returns    the same shape
    """
    for _ in range(operations):
        name = NAMES[int(rng.integers(len(NAMES)))]
        image = OPERATIONS[name](image, magnitude / MAGNITUDES, 1.0 if rng.random() < 0.5 else -1.0)
    return image


def _identity(image: Image, strength: float, direction: float) -> Image:
    return image


def _autocontrast(image: Image, strength: float, direction: float) -> Image:
    """Stretch each channel to the whole range; it has no strength."""
    low, high = np.array([cv2.minMaxLoc(channel)[:2] for channel in cv2.split(image)]).T  # (3,) each
    scale = np.where(high > low, 255 / np.maximum(high - low, 1), 1.0)
    return _look_up(image, (BYTES[:, None] - np.where(high > low, low, 0)) * scale)


def _equalize(image: Image, strength: float, direction: float) -> Image:
    """Make all values of each channel equally frequent; it has no strength."""
    return np.dstack([cv2.equalizeHist(np.ascontiguousarray(image[..., channel])) for channel in range(3)])


def _solarize(image: Image, strength: float, direction: float) -> Image:
    """Invert what is brighter than a threshold."""
    return _look_up(image, np.where(256 * (1 - strength) > BYTES, BYTES, 255 - BYTES))


def _posterize(image: Image, strength: float, direction: float) -> Image:
    """Keep 8 to 4 bits."""
    return _look_up(image, BYTES & ~((1 << round(4 * strength)) - 1))


def _brightness(image: Image, strength: float, direction: float) -> Image:
    return _look_up(image, BYTES * (1 + 0.9 * direction * strength))


def _contrast(image: Image, strength: float, direction: float) -> Image:
    """Away from, or towards, the mean grey."""
    grey = float(np.dot(cv2.mean(image)[:3], LUMA))
    return _look_up(image, grey + (BYTES - grey) * (1 + 0.9 * direction * strength))


def _color(image: Image, strength: float, direction: float) -> Image:
    """Away from, or towards, the grey of each pixel."""
    factor = 1 + 0.9 * direction * strength
    matrix = factor * np.eye(3) + (1 - factor) * np.tile(LUMA, (3, 1))
    return np.asarray(cv2.transform(np.ascontiguousarray(image), matrix), np.uint8)


def _sharpness(image: Image, strength: float, direction: float) -> Image:
    """Away from, or towards, a blurred picture."""
    blurred = cv2.filter2D(image, -1, SMOOTH, borderType=cv2.BORDER_REFLECT_101)
    factor = 1 + 0.9 * direction * strength
    return np.asarray(cv2.addWeighted(image, factor, blurred, 1 - factor, 0.0), np.uint8)


def _rotate(image: Image, strength: float, direction: float) -> Image:
    """By up to 30 degrees about the middle."""
    angle = math.radians(30 * strength * direction)
    return _move(image, np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]))


def _shear_x(image: Image, strength: float, direction: float) -> Image:
    return _move(image, np.array([[1, 0.3 * strength * direction], [0, 1]]))


def _shear_y(image: Image, strength: float, direction: float) -> Image:
    return _move(image, np.array([[1, 0], [0.3 * strength * direction, 1]]))


def _translate_x(image: Image, strength: float, direction: float) -> Image:
    """By up to 0.45 of the width: 150 of AutoAugment's 331 px."""
    return _move(image, np.eye(2), (0.45 * strength * direction * image.shape[1], 0))


def _translate_y(image: Image, strength: float, direction: float) -> Image:
    return _move(image, np.eye(2), (0, 0.45 * strength * direction * image.shape[0]))


def _move(image: Image, turned: NDArray[np.float64], shift: tuple[float, float] = (0, 0)) -> Image:
    """An affine map (2, 2) about the middle, then a shift in px."""
    height, width = image.shape[:2]
    middle = np.array([(width - 1) / 2, (height - 1) / 2])
    matrix = np.column_stack([turned, middle - turned @ middle + shift])  # (2, 3)
    moved = cv2.warpAffine(image, matrix, (width, height), flags=cv2.INTER_LINEAR, borderValue=FILL)
    return np.asarray(moved, np.uint8)


def _look_up(image: Image, values: NDArray[np.floating | np.integer]) -> Image:
    """Replace each value by that of a table, (256,) or (256, 3) for a table a channel."""
    table = np.clip(np.rint(values), 0, 255).astype(np.uint8)
    return np.asarray(cv2.LUT(np.ascontiguousarray(image), table.reshape(1, 256, -1) if table.ndim == 2 else table))


OPERATIONS: dict[str, Operation] = {
    "identity": _identity, "autocontrast": _autocontrast, "equalize": _equalize, "rotate": _rotate,
    "solarize": _solarize, "color": _color, "posterize": _posterize, "contrast": _contrast,
    "brightness": _brightness, "sharpness": _sharpness, "shear-x": _shear_x, "shear-y": _shear_y,
    "translate-x": _translate_x, "translate-y": _translate_y,
}  # fmt: skip
NAMES = tuple(OPERATIONS)
