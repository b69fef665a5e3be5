"""Insertion and deletion: what becomes of the answer when patches go, or come, in the order that a map ranks them.

Source: RISE, Petsiuk et al. 2018 (arXiv 1806.07421), with patches in place of pixels. A good map takes the answer away
early in deletion (a small area under the curve) and brings it early in insertion (a large one).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Image

Floats = NDArray[np.floating[Any]]
Ask = Callable[[Image], float]
"""A picture at the model's size -> the probability of the label that is followed."""


def blurred(image: Image, patch_size: int) -> Image:
    """A picture without what is smaller than a patch, (H, W, 3): its colours stay where they were.

    A blurred patch has no edges of its own, which a patch of one colour has; RISE inserts into a blurred picture for
    that reason. Sigma is a patch's side.
    """
    return np.asarray(cv2.GaussianBlur(image, (0, 0), patch_size, borderType=cv2.BORDER_REFLECT), np.uint8)


def one_colour(image: Image, patch_size: int) -> Image:
    """The mean colour of a picture, everywhere, (H, W, 3): nothing of it is left, but the patches get edges."""
    return np.ascontiguousarray(np.broadcast_to(np.rint(image.mean((0, 1))).astype(np.uint8), image.shape))


NEUTRAL: dict[str, Callable[[Image, int], Image]] = {"blur": blurred, "mean": one_colour}
"""What stands where a patch is missing."""


def ranks_of(weights: Floats, seed: int = 0) -> NDArray[np.int64]:
    """The place of each patch in the order of its weight, 0 for the largest; equal weights in random order.

    weights  (gh, gw)
    returns  (gh, gw)
    """
    lots = np.random.default_rng(seed).random(weights.size)
    ranks = np.empty(weights.size, np.int64)
    ranks[np.lexsort((lots, -weights.reshape(-1)))] = np.arange(weights.size)
    return ranks.reshape(weights.shape)


def counts_of(patches: int, steps: int) -> NDArray[np.int64]:
    """How many patches are changed at each point of a curve, (S + 1,): from none to all, in small steps at first."""
    shares = np.linspace(0, 1, steps + 1) ** 1.5
    return np.unique(np.rint(patches * shares).astype(np.int64))


def curves(ask: Ask, image: Image, blank: Image, ranks: NDArray[np.int64], counts: NDArray[np.int64]) -> Floats:
    """The two curves of one map, without their ends, which are the same for every map of a photo.

    image    (H, W, 3) at the model's size
    blank    the same with nothing on it
    ranks    (gh, gw) of `ranks_of`
    returns  (2, S - 1): probability after the first patches were deleted, and after they were inserted
    """
    side = image.shape[0] // ranks.shape[0], image.shape[1] // ranks.shape[1]
    spread = ranks.repeat(side[0], 0).repeat(side[1], 1)[..., None]  # (H, W, 1)
    found = np.empty((2, len(counts) - 2), np.float32)
    for place, count in enumerate(counts[1:-1]):
        first = spread < count
        found[0, place] = ask(np.where(first, blank, image))
        found[1, place] = ask(np.where(first, image, blank))
    return found


def with_ends(inner: Floats, whole: float, nothing: float) -> Floats:
    """(2, S - 1) of `curves` -> (2, S + 1): deletion from the whole picture to nothing, insertion the other way."""
    ends = np.array([[whole, nothing], [nothing, whole]], inner.dtype)
    return np.concatenate([ends[:, :1], inner, ends[:, 1:]], axis=1)


def areas(curve: Floats, counts: NDArray[np.int64]) -> Floats:
    """The area under curves, (..., S + 1), over the share of patches from 0 to 1: their mean height, (...,)."""
    widths = np.diff(counts) / counts[-1]
    return np.asarray(((curve[..., 1:] + curve[..., :-1]) / 2 * widths).sum(-1))
