"""Draws the icons of the home screen and of Home Assistant from the page's icon.svg: `python -m tests.icons`."""

import xml.etree.ElementTree as ET
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

PAGE = Path(__file__).parents[1] / "vitcam/web/page"
FOLDER = PAGE / "home_screen"
ICONS = {"icon-192.png": (192, False), "icon-512.png": (512, False), "icon-maskable-512.png": (512, True)}
"""File -> its side in px, and whether a phone may cut it to any shape."""
BRAND = Path(__file__).parents[1] / "examples/home-assistant/custom_components/vitcam/brand"
"""Home Assistant shows these from 2026.3 on, and HACS asks for them."""
FILES = {FOLDER / name: shape for name, shape in ICONS.items()}
FILES |= {BRAND / "icon.png": (256, False), BRAND / "icon@2x.png": (512, False)}
_SAFE = 0.82
"""Of the drawing in an icon that is cut: all of it lies in the circle that every shape leaves."""


def drawn(side: int, is_maskable: bool) -> NDArray[np.uint8]:
    """(side, side, 4) uint8, BGRA."""
    ground, *squares = ET.parse(PAGE / "icon.svg").getroot()
    picture = np.zeros((side, side, 4))
    whole = float(ground.attrib["width"])
    if is_maskable:
        picture[:] = (*_bgr(ground), 1)
    else:
        _draw(picture, ground, whole, 1)
    for square in squares:
        _draw(picture, square, whole, _SAFE if is_maskable else 1)
    return np.round(picture * 255).astype(np.uint8)


def _draw(picture: NDArray[np.float64], rect: ET.Element, whole: float, scale: float) -> None:
    """Put a rectangle with round corners over the picture, smooth at its edge."""
    px = picture.shape[0] / whole
    x, y, width, height, radius = (float(rect.get(name, 0)) for name in ("x", "y", "width", "height", "rx"))
    middle = (np.array([x + width / 2, y + height / 2]) - whole / 2) * scale * px + picture.shape[0] / 2
    half = np.array([width, height]) / 2 * scale * px
    corner = radius * scale * px
    at = np.arange(picture.shape[0]) + 0.5
    across, down = (np.abs(at - middle[axis]) - (half[axis] - corner) for axis in (0, 1))
    outside = np.hypot(np.maximum(across, 0)[None, :], np.maximum(down, 0)[:, None])
    inside = np.minimum(np.maximum(across[None, :], down[:, None]), 0)
    cover = np.clip(0.5 - (outside + inside - corner), 0, 1)[..., None]
    before = picture[..., 3:]
    after = cover + before * (1 - cover)
    colour = np.array(_bgr(rect)) * cover + picture[..., :3] * before * (1 - cover)
    picture[..., :3] = colour / np.maximum(after, 1e-9)
    picture[..., 3:] = after


def _bgr(rect: ET.Element) -> tuple[float, float, float]:
    red, green, blue = bytes.fromhex(rect.attrib["fill"].removeprefix("#"))
    return blue / 255, green / 255, red / 255


if __name__ == "__main__":
    for path, (side, is_maskable) in FILES.items():
        cv2.imwrite(str(path), drawn(side, is_maskable), [cv2.IMWRITE_PNG_COMPRESSION, 9])
