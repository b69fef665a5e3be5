"""The cells that a frame becomes, and where they lie in it."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Image
from vitcam.rects import Rect

Cells = NDArray[np.float32]  # (rows, columns, 3): mean colours, in levels of 255
Mask = NDArray[np.uint8]  # (rows, columns): 1 where it holds, else 0

LONGER_SIDE = 128
"""Cells along the longer side of a frame: 10 px each of 1280, so that a thing of half a per cent has 40 of them."""
_LEAST_SIDE = 4
_SAMPLES = 2  # per cell and side, each of four px: a true mean of 720p takes 1.6 ms


@dataclass(frozen=True, slots=True)
class Span:
    """A rectangle of cells."""

    top: int
    left: int
    bottom: int
    """The first row below it."""
    right: int
    """The first column to the right of it."""

    @property
    def cells(self) -> tuple[slice, slice]:
        """The rows and columns, as an index."""
        return slice(self.top, self.bottom), slice(self.left, self.right)

    @property
    def height(self) -> int:
        return self.bottom - self.top

    @property
    def width(self) -> int:
        return self.right - self.left

    @property
    def size(self) -> int:
        """How many cells it has."""
        return self.height * self.width

    @property
    def middle(self) -> tuple[float, float]:
        """Row and column, in cells."""
        return (self.top + self.bottom) / 2, (self.left + self.right) / 2

    @property
    def longer_side(self) -> int:
        return max(self.height, self.width)

    def joined(self, other: "Span") -> "Span":
        """The least span that holds both."""
        top, left = min(self.top, other.top), min(self.left, other.left)
        return Span(top, left, max(self.bottom, other.bottom), max(self.right, other.right))

    def grown(self, by: int, shape: tuple[int, int]) -> "Span":
        """Larger by so many cells on each side, inside a grid of so many rows and columns."""
        rows, columns = shape
        top, left = max(0, self.top - by), max(0, self.left - by)
        return Span(top, left, min(rows, self.bottom + by), min(columns, self.right + by))

    def moved(self, down: int, across: int, shape: tuple[int, int]) -> "Span":
        """The same size elsewhere, as far as a grid of so many rows and columns goes."""
        rows, columns = shape
        top = max(0, min(self.top + down, rows - self.height))
        left = max(0, min(self.left + across, columns - self.width))
        return Span(top, left, top + self.height, left + self.width)

    def common(self, other: "Span") -> int:
        """How many cells two spans have in common."""
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        across = min(self.right, other.right) - max(self.left, other.left)
        return max(0, down) * max(0, across)


@dataclass(frozen=True, slots=True)
class Grid:
    """Of frames of one size, in px."""

    height: int
    width: int

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        scale = LONGER_SIDE / max(self.height, self.width)
        return max(_LEAST_SIDE, round(self.height * scale)), max(_LEAST_SIDE, round(self.width * scale))

    @property
    def cell(self) -> tuple[float, float]:
        """Height and width of a cell, in px."""
        rows, columns = self.shape
        return self.height / rows, self.width / columns

    def cells_of(self, picture: Image) -> Cells:
        """The mean colours of the parts of a picture of this size, (H, W, 3) uint8, RGB."""
        rows, columns = self.shape
        samples = cv2.resize(picture, (_SAMPLES * columns, _SAMPLES * rows), interpolation=cv2.INTER_LINEAR)
        return np.asarray(cv2.resize(samples, (columns, rows), interpolation=cv2.INTER_AREA), dtype=np.float32)

    def rect_of(self, span: Span) -> Rect:
        """Where a span lies, in px."""
        high, wide = self.cell
        left, top, right, bottom = span.left * wide, span.top * high, span.right * wide, span.bottom * high
        return Rect.between(int(left), int(top), round(right), round(bottom), self.height, self.width)

    def span_of(self, rect: Rect) -> Span:
        """The cells of a part of the frame, at least one."""
        high, wide = self.cell
        rows, columns = self.shape
        top, left = min(int(rect.y / high), rows - 1), min(int(rect.x / wide), columns - 1)
        bottom, right = round((rect.y + rect.height) / high), round((rect.x + rect.width) / wide)
        return Span(top, left, max(top + 1, min(bottom, rows)), max(left + 1, min(right, columns)))

    def middle_of(self, span: Span) -> tuple[float, float]:
        """x and y, in px."""
        high, wide = self.cell
        return (span.left + span.right) / 2 * wide, (span.top + span.bottom) / 2 * high
