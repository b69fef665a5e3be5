"""Text in pictures: outlines of Open Sans, filled. OpenCV's own letters are a plotter's, and know ASCII alone.

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
_FINE = 4  # each pixel's ink is counted on 4 × 4 points
_SHIFT = 4  # fractional bits of the points that OpenCV fills between


@dataclass(frozen=True, slots=True, eq=False)
class _Letter:
    advance: int
    """Of 1000 to the em."""
    contours: tuple[NDArray[np.int16], ...]
    """(n, 2) each, x to the right and y down from the baseline; what two of them enclose is a hole."""


def width(text: str, size: float, weight: Weight = "regular") -> float:
    """How wide a text is, in px; `size` in px to the em."""
    return sum(letter.advance for letter in _spell(text, weight)) * size / _EM


def write(
    image: Image, text: str, at: tuple[float, float], size: float, colour: Colour, weight: Weight = "regular"
) -> None:
    """Draw a line of text into a picture; what lies outside of it is cut off.

    image   (H, W, 3) uint8, RGB, changed in place
    at      where the baseline begins: x, y in px
    size    in px to the em; capitals are 0.71 of it high
    weight  regular or bold
    """
    left, top = int(at[0]) - 2, int(at[1] - 1.1 * size)
    columns, rows = int(width(text, size, weight)) + 6, int(1.5 * size) + 3
    ink = np.zeros((rows * _FINE, columns * _FINE), np.uint8)
    scale = size / _EM * _FINE * 2**_SHIFT
    pen = np.array([at[0] - left, at[1] - top]) * (_FINE * 2**_SHIFT)
    for letter in _spell(text, weight):
        if letter.contours:
            points = [np.rint(contour * scale + pen).astype(np.int32) for contour in letter.contours]
            cv2.fillPoly(ink, points, 255, shift=_SHIFT)
        pen[0] += letter.advance * scale
    _blend(image, cv2.resize(ink, (columns, rows), interpolation=cv2.INTER_AREA), left, top, colour)


def fit(text: str, room: float, size: float, weight: Weight = "regular") -> str:
    """The text, or as much of its beginning as `room` px hold, and an ellipsis."""
    if width(text, size, weight) <= room:
        return text
    while text and width(f"{text}…", size, weight) > room:
        text = text[:-1].rstrip()
    return f"{text}…"


def wrap(text: str, room: float, size: float, weight: Weight = "regular") -> list[str]:
    """Break a text into lines at most `room` px wide; a word longer than a line is broken, too."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width(longer, size, weight) <= room:
            lines[-1] = longer
        else:
            lines.extend(_pieces(word, room, size, weight))
    return lines


def _pieces(word: str, room: float, size: float, weight: Weight) -> list[str]:
    """A word in pieces at most `room` px wide, or of one letter where not even that fits."""
    pieces = [""]
    for letter in word:
        if pieces[-1] and width(pieces[-1] + letter, size, weight) > room:
            pieces.append("")
        pieces[-1] += letter
    return pieces


def _blend(image: Image, ink: NDArray[np.uint8], left: int, top: int, colour: Colour) -> None:
    """Colour the picture as far as the ink covers it."""
    y, x = max(0, top), max(0, left)
    part = image[y : max(y, top + ink.shape[0]), x : max(x, left + ink.shape[1])]
    ink = ink[y - top : y - top + part.shape[0], x - left : x - left + part.shape[1]]
    if part.size:
        share = ink[..., None] / np.float32(255)
        part[:] = np.rint(part + share * (np.array(colour, np.float32) - part))


def _spell(text: str, weight: Weight) -> list[_Letter]:
    """The letters of a text; one that the font lacks loses its accents, or becomes a question mark."""
    known = _face(weight)
    letters: list[_Letter] = []
    for sign in unicodedata.normalize("NFC", text):
        if ord(sign) in known:
            letters.append(known[ord(sign)])
            continue
        plain = [part for part in unicodedata.normalize("NFKD", sign) if ord(part) in known]
        letters.extend(known[ord(part)] for part in plain or "?")
    return letters


@cache
def _face(weight: Weight) -> dict[int, _Letter]:
    with np.load(_FILE) as file:
        codes, advances, contours, ends, points = (
            file[f"{weight}_{name}"] for name in ("codes", "advances", "contours", "ends", "points")
        )
    outlines = np.split(points, ends[:-1])
    first = [0, *contours[:-1]]
    return {
        int(code): _Letter(int(advance), tuple(outlines[begin:end]))
        for code, advance, begin, end in zip(codes, advances, first, contours, strict=True)
    }
