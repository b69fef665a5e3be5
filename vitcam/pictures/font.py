"""Text in pictures: filled outlines of Open Sans. OpenCV's own font has thin strokes and only ASCII letters.

Open Sans is Google's, digitised by Steve Matteson, under the Apache License 2.0; `examples/make_font.py` takes the
outlines out of it.
"""

import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Image

Colour = tuple[int, int, int]
Weight = Literal["regular", "bold"]

_FILE = Path(__file__).with_name("font.npz")
_EM = 1000
_FINE = 4  # 4 × 4 points of each pixel are tested for smooth edges
_SHIFT = 4  # fractional bits of a contour's points, for cv2.fillPoly


@dataclass(frozen=True, slots=True, eq=False)
class _Glyph:
    advance: int
    """Width in thousandths of an em."""
    contours: tuple[NDArray[np.int16], ...]
    """(n, 2) each, x to the right and y down from the baseline. A contour inside another is a hole."""


def text_width(text: str, size: float, weight: Weight = "regular") -> float:
    """How wide a text is, in px, at `size` px to the em."""
    return sum(glyph.advance for glyph in _glyphs(text, weight)) * size / _EM


def draw_text(
    image: Image, text: str, at: tuple[float, float], size: float, colour: Colour, weight: Weight = "regular"
) -> None:
    """Draw a line of text into a picture. What does not fit is cut off.

    image   (H, W, 3) uint8, RGB, changed in place
    at      where the baseline begins: x, y in px
    size    in px to the em; capitals are 0.71 of it high
    weight  regular or bold
    """
    left, top = int(at[0]) - 2, int(at[1] - 1.1 * size)
    columns, rows = int(text_width(text, size, weight)) + 6, int(1.5 * size) + 3
    ink = np.zeros((rows * _FINE, columns * _FINE), np.uint8)
    scale = size / _EM * _FINE * 2**_SHIFT
    pen = np.array([at[0] - left, at[1] - top]) * (_FINE * 2**_SHIFT)
    for glyph in _glyphs(text, weight):
        if glyph.contours:
            points = [np.rint(contour * scale + pen).astype(np.int32) for contour in glyph.contours]
            cv2.fillPoly(ink, points, 255, shift=_SHIFT)
        pen[0] += glyph.advance * scale
    _blend(image, cv2.resize(ink, (columns, rows), interpolation=cv2.INTER_AREA), left, top, colour)


def shorten(text: str, max_width: float, size: float, weight: Weight = "regular") -> str:
    """The text, shortened to at most `max_width` px with an ellipsis at its end."""
    if text_width(text, size, weight) <= max_width:
        return text
    while text and text_width(f"{text}…", size, weight) > max_width:
        text = text[:-1].rstrip()
    return f"{text}…"


def wrap(text: str, max_width: float, size: float, weight: Weight = "regular") -> list[str]:
    """Break a text into lines of at most `max_width` px. A word that is longer than a line is broken, too."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size, weight) <= max_width:
            lines[-1] = longer
        else:
            lines.extend(_pieces(word, max_width, size, weight))
    return lines


def _pieces(word: str, max_width: float, size: float, weight: Weight) -> list[str]:
    """A word in pieces of at most `max_width` px, but of at least one letter."""
    pieces = [""]
    for letter in word:
        if pieces[-1] and text_width(pieces[-1] + letter, size, weight) > max_width:
            pieces.append("")
        pieces[-1] += letter
    return pieces


def _blend(image: Image, ink: NDArray[np.uint8], left: int, top: int, colour: Colour) -> None:
    """Colour the pixels by how much of each one the ink covers."""
    y, x = max(0, top), max(0, left)
    part = image[y : max(y, top + ink.shape[0]), x : max(x, left + ink.shape[1])]
    ink = ink[y - top : y - top + part.shape[0], x - left : x - left + part.shape[1]]
    if part.size:
        share = ink[..., None] / np.float32(255)
        part[:] = np.rint(part + share * (np.array(colour, np.float32) - part))


def _glyphs(text: str, weight: Weight) -> list[_Glyph]:
    """The glyphs of a text. A letter that the font lacks loses its accents, or becomes a question mark."""
    known = _face(weight)
    glyphs: list[_Glyph] = []
    for sign in unicodedata.normalize("NFC", text):
        if ord(sign) in known:
            glyphs.append(known[ord(sign)])
            continue
        plain = [part for part in unicodedata.normalize("NFKD", sign) if ord(part) in known]
        glyphs.extend(known[ord(part)] for part in plain or "?")
    return glyphs


@cache
def _face(weight: Weight) -> dict[int, _Glyph]:
    with np.load(_FILE) as file:
        codes, advances, contours, ends, points = (
            file[f"{weight}_{name}"] for name in ("codes", "advances", "contours", "ends", "points")
        )
    outlines = np.split(points, ends[:-1])
    first = [0, *contours[:-1]]
    return {
        int(code): _Glyph(int(advance), tuple(outlines[begin:end]))
        for code, advance, begin, end in zip(codes, advances, first, contours, strict=True)
    }
