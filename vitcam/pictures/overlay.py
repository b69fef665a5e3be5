"""From attention weights to colours over a picture. Nothing else in vitcam knows about colours."""

from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.errors import ModelError
from vitcam.frames import Image, Rect

Mode = Literal["none", "evidence", "attention", "rollout", "heat", "grid"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of overlay, in words for people."""

    mode: Mode
    label: str
    sentence: str


KINDS = (
    Kind("none", "None", "Nothing is drawn over the picture."),
    Kind("evidence", "Evidence", "The patches that spoke for the answer."),
    Kind(
        "attention",
        "Attention",
        # Darcet et al. 2023, Vision Transformers Need Registers, arXiv 2309.16588
        "Where the last block looked; it also glows on plain patches in which the network stores things.",
    ),
    Kind("rollout", "Rollout", "What reached the answer through all blocks, followed from layer to layer."),
    Kind("heat", "Heat", "The attention alone, without the picture: yellow is most, black is least."),
    Kind("grid", "Grid", "The attention patch by patch, as coarse as the model sees it."),
)
"""Every mode once, in the order in which people are offered them."""

MODES: tuple[Mode, ...] = tuple(kind.mode for kind in KINDS)
_LEVELS = np.arange(256, dtype=np.uint8)[
    :, None
]  # a column: OpenCV 5 takes a flat array for a row, OpenCV 4 for a column
_INFERNO: NDArray[np.uint8] = cv2.applyColorMap(_LEVELS, cv2.COLORMAP_INFERNO)[:, 0, ::-1]
"""(256, 3), RGB: dark for cold, yellow for hot."""


def usual_mode(weighs: bool) -> Mode:
    """What is drawn unasked: evidence where the model gives it, since that shows best what the answer hangs on.

    source  docs/overlays.md, where they are measured
    """
    return "evidence" if weighs else "attention"


def fuse_heads(attention: NDArray[np.float32], head: int | None = None) -> NDArray[np.float32]:
    """One map of a block's heads.

    attention  (heads, gh, gw), >= 0
    head       which head, from 0; None for the mean of all
    returns    (gh, gw)
    raises     ModelError if there is no such head
    """
    if head is None:
        return np.asarray(attention.mean(axis=0), dtype=np.float32)
    if not 0 <= head < len(attention):
        raise ModelError(f"head {head} was asked for; this model has heads 0 to {len(attention) - 1}")
    return np.asarray(attention[head], dtype=np.float32)


def heat_map(weights: NDArray[np.float32], height: int, width: int, *, smooth: bool = True) -> NDArray[np.uint8]:
    """Spread attention over the picture that the model looked at.

    weights  (gh, gw), row-major patches, a class token's own weight already cut off; evidence may be below zero
    smooth   interpolate between the patches' centres, else show each patch as a square
    returns  (height, width) uint8; 255 for the hottest fiftieth of the patches, 0 where the model looked least, and
             where evidence speaks against the answer
    source   the last block's attention from what the head reads, as in Caron et al. 2021 (arXiv 2104.14294)
    """
    # a few patches often draw most of the weight (Darcet et al. 2023, arXiv 2309.16588): the rest must stay visible
    low, high = np.percentile(weights.clip(0), (0, 98))
    scaled = (weights - low) * (255.0 / max(high - low, 1e-12))
    grid = np.rint(scaled.clip(0, 255)).astype(np.uint8)
    interpolation = cv2.INTER_CUBIC if smooth else cv2.INTER_NEAREST
    return np.asarray(cv2.resize(grid, (width, height), interpolation=interpolation), dtype=np.uint8)


def coloured(levels: NDArray[np.uint8], table: NDArray[np.uint8] = _INFERNO) -> Image:
    """Each level's colour.

    levels   (H, W) uint8
    table    (256, 3) uint8, RGB
    returns  (H, W, 3) uint8, RGB
    """
    return np.asarray(cv2.LUT(cv2.merge((levels, levels, levels)), table[None]), dtype=np.uint8)


def overlay(
    image: Image,
    crop: Rect,
    attention: NDArray[np.float32] | None,
    mode: Mode,
    *,
    head: int | None = None,
    opacity: float = 0.5,
) -> Image:
    """Show where the model looked, inside the part of the picture that it saw.

    image      (H, W, 3) uint8, RGB, at the size it will be shown; it stays untouched
    crop       what the model saw of `image`, in its pixels
    attention  (heads, gh, gw), or (1, gh, gw) of a rollout or evidence; None where there is none: then the picture
               stays as it is
    mode       evidence, attention, rollout: colours grow with the weight; heat: the map alone; grid: one square a
               patch, with its borders
    opacity    of the hottest spot, 0 to 1
    returns    (H, W, 3) uint8, RGB; `image` itself where there is nothing to draw
    """
    if mode == "none" or attention is None:
        return image
    heat = heat_map(fuse_heads(attention, head), crop.height, crop.width, smooth=mode != "grid")
    out = image.copy()
    seen = out[crop.y : crop.y + crop.height, crop.x : crop.x + crop.width]
    seen[:] = coloured(heat) if mode == "heat" else _blend(seen, heat, opacity)
    if mode == "grid":
        _draw_borders(seen, attention.shape[1], attention.shape[2])
    return out


def _blend(image: Image, heat: NDArray[np.uint8], opacity: float) -> Image:
    """Per pixel: a cold spot keeps the picture, the hottest gets `opacity` of the colour.

    What depends on the heat alone is looked up in tables of 256 entries; a sum and a product in 8 bits are left.
    """
    share = np.arange(256, dtype=np.float32) * (opacity / 255)
    kept = cv2.LUT(heat, np.rint(255 * (1 - share)).astype(np.uint8))
    added = coloured(heat, np.rint(_INFERNO * share[:, None]).astype(np.uint8))
    dimmed = cv2.multiply(image, cv2.merge((kept, kept, kept)), scale=1 / 255)
    return np.asarray(cv2.add(dimmed, added), dtype=np.uint8)


def _draw_borders(image: Image, rows: int, columns: int) -> None:
    ys = np.linspace(0, image.shape[0] - 1, rows + 1).round().astype(int)
    xs = np.linspace(0, image.shape[1] - 1, columns + 1).round().astype(int)
    image[ys] //= 2
    image[:, xs] //= 2
