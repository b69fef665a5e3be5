"""From the weights of patches to colours over a picture."""

from collections.abc import Callable
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.errors import ModelError
from vitcam.frames import Image, Prediction
from vitcam.pictures.overlay_kinds import OVERLAYS
from vitcam.rects import Rect

Draw = Callable[[Image, NDArray[np.float32], float], None]
"""Draws into (h, w, 3) uint8, RGB, the weights (gh, gw), with an opacity of 0 to 1 of the hottest spot."""

# a column, since OpenCV 5 takes a flat array for a row, and OpenCV 4 for a column
_LEVELS = np.arange(256, dtype=np.uint8)[:, None]
_INFERNO: NDArray[np.uint8] = cv2.applyColorMap(_LEVELS, cv2.COLORMAP_INFERNO)[:, 0, ::-1]
"""(256, 3), RGB: from dark, least weight, to yellow, most weight."""


def fuse_heads(attention: NDArray[np.float32], head: int | None = None) -> NDArray[np.float32]:
    """One map from the heads of a block.

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
    """Spread the patches' weights over the picture that the model saw.

    weights  (gh, gw) float32 of the patches, without the class token's own; evidence may be below zero
    smooth   True: interpolate between the centres of patches; False: each patch is a square
    returns  (height, width) uint8; 255 for the fiftieth of the patches with the largest weights, 0 for the least weight
             and where evidence speaks against the answer
    source   the last block's attention from what the head reads, as in Caron et al. 2021 (arXiv 2104.14294)
    """
    # a few patches often have most of the weight (Darcet et al. 2023, arXiv 2309.16588); the others must stay visible
    low, high = np.percentile(weights.clip(0), (0, 98))
    scaled = (weights - low) * (255.0 / max(high - low, 1e-12))
    grid = np.rint(scaled.clip(0, 255)).astype(np.uint8)
    interpolation = cv2.INTER_CUBIC if smooth else cv2.INTER_NEAREST
    return np.asarray(cv2.resize(grid, (width, height), interpolation=interpolation), dtype=np.uint8)


def coloured(levels: NDArray[np.uint8], table: NDArray[np.uint8] = _INFERNO) -> Image:
    """Replace each level by its colour.

    levels   (H, W) uint8
    table    (256, 3) uint8, RGB
    returns  (H, W, 3) uint8, RGB
    """
    return np.asarray(cv2.LUT(cv2.merge((levels, levels, levels)), table[None]), dtype=np.uint8)


def draw_overlay(
    image: Image,
    crop: Rect,
    prediction: Prediction | None,
    kind: str,
    *,
    head: int | None = None,
    opacity: float = 0.5,
    inside: bool = False,
) -> Image:
    """Show where the model looked, inside the part of the picture that it saw.

    image    (H, W, 3) uint8, RGB, at the size it is shown at
    inside   True: it is drawn into `image` itself; False: into a copy
    crop     what the model saw of `image`, in its pixels
    kind     a name of `OVERLAYS`
    head     of kinds that show attention: which head, from 0; None for the mean of all
    opacity  of the hottest spot, 0 to 1
    returns  (H, W, 3) uint8, RGB; `image` itself where there is nothing to draw
    raises   ModelError if there is no such head
    """
    weights = None if prediction is None else overlay_weights(prediction, kind, head)
    if weights is None:
        return image
    return draw_weights(image, crop, weights, OVERLAYS[kind].style, opacity, inside=inside)


def overlay_weights(prediction: Prediction, kind: str, head: int | None = None) -> NDArray[np.float32] | None:
    """What an overlay of that kind draws.

    head     as `draw_overlay` takes it
    returns  (gh, gw); None where the kind draws nothing, or the prediction does not carry it
    raises   ModelError if there is no such head
    """
    needs = OVERLAYS[kind].needs
    weights: NDArray[np.float32] | None = None if needs is None else getattr(prediction, needs.name)
    return fuse_heads(weights, head) if weights is not None and needs is not None and needs.by_head else weights


def draw_weights(
    image: Image, crop: Rect, weights: NDArray[np.float32], style: str, opacity: float = 0.5, *, inside: bool = False
) -> Image:
    """Draw weights over a part of a picture.

    image    (H, W, 3) uint8, RGB
    weights  (gh, gw), spread over `crop`
    style    a key of `STYLES`
    inside   as `draw_overlay` takes it
    returns  (H, W, 3) uint8, RGB
    """
    out = image if inside else image.copy()
    STYLES[style](out[crop.y : crop.y + crop.height, crop.x : crop.x + crop.width], weights, opacity)
    return out


def _draw_tint(seen: Image, weights: NDArray[np.float32], opacity: float) -> None:
    _blend(seen, heat_map(weights, *seen.shape[:2]), opacity)


def _draw_heat(seen: Image, weights: NDArray[np.float32], _: float) -> None:
    seen[:] = coloured(heat_map(weights, *seen.shape[:2]))


def _draw_grid(seen: Image, weights: NDArray[np.float32], opacity: float) -> None:
    _blend(seen, heat_map(weights, *seen.shape[:2], smooth=False), opacity)
    _draw_borders(seen, *weights.shape)


STYLES: dict[str, Draw] = {"tint": _draw_tint, "heat": _draw_heat, "grid": _draw_grid}
"""tint: colours that grow with the weight; heat: the colours alone; grid: one square a patch, with borders."""


def _blend(image: Image, heat: NDArray[np.uint8], opacity: float) -> None:
    """Mix in the colours: the pixels with most weight get `opacity` of their colour, those with none stay as they are.

    What depends only on the level is looked up in tables of 256 entries. A product and a sum in 8 bits remain.
    """
    kept_of, added_of = _tables(opacity)
    kept = cv2.LUT(heat, kept_of)
    dimmed = cv2.multiply(image, cv2.merge((kept, kept, kept)), scale=1 / 255)
    cv2.add(dimmed, coloured(heat, added_of), dst=image)


@lru_cache(maxsize=16)  # of the page's eleven steps
def _tables(opacity: float) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """By level: (256,) which part of a pixel stays, of 255, and (256, 3) what is added to it."""
    share = np.arange(256, dtype=np.float32) * (opacity / 255)
    return np.rint(255 * (1 - share)).astype(np.uint8), np.rint(_INFERNO * share[:, None]).astype(np.uint8)


def _draw_borders(image: Image, rows: int, columns: int) -> None:
    ys = np.linspace(0, image.shape[0] - 1, rows + 1).round().astype(int)
    xs = np.linspace(0, image.shape[1] - 1, columns + 1).round().astype(int)
    image[ys] //= 2
    image[:, xs] //= 2
