"""Rectangles of a picture: in px, and in fractions of it."""

from dataclasses import dataclass
from typing import Self, TypeVar

_Number = TypeVar("_Number", int, float)


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle of a picture, in px from its top left corner."""

    x: int
    y: int
    width: int
    height: int

    @classmethod
    def between(cls, left: int, top: int, right: int, bottom: int, height: int, width: int) -> Self:
        """From one side to the other, in a picture of `height` × `width` px.

        What reaches outside is cut off, but never all of it.
        """
        left, top = max(0, min(left, width - 1)), max(0, min(top, height - 1))
        return cls(left, top, max(1, min(right, width) - left), max(1, min(bottom, height) - top))

    def scaled(self, scale: float, height: int, width: int) -> Self:
        """The same part after the picture was scaled.

        height, width  of the scaled picture in px
        """
        right, bottom = round((self.x + self.width) * scale), round((self.y + self.height) * scale)
        return self.between(round(self.x * scale), round(self.y * scale), right, bottom, height, width)

    @property
    def px(self) -> tuple[slice, slice]:
        """Its rows and columns, as an index of the picture."""
        return slice(self.y, self.y + self.height), slice(self.x, self.x + self.width)

    @property
    def area(self) -> int:
        """How many px it has."""
        return self.width * self.height

    def common(self, other: "Rect") -> "Rect | None":
        """What both have in common; None: nothing."""
        across = _common(self.x, self.width, other.x, other.width)
        down = _common(self.y, self.height, other.y, other.height)
        return Rect(max(self.x, other.x), max(self.y, other.y), across, down) if across > 0 and down > 0 else None

    def overlaps(self, other: "Rect") -> bool:
        """Whether both have a px in common."""
        return self.common(other) is not None

    def common_area(self, other: "Rect") -> int:
        """How many px both have in common."""
        both = self.common(other)
        return 0 if both is None else both.area

    def likeness(self, other: "Rect") -> float:
        """The part that both have in common, of what both cover together: 0 to 1."""
        common = self.common_area(other)
        return common / (self.area + other.area - common)


@dataclass(frozen=True, slots=True)
class Box:
    """A part of a frame that is followed because something moves there, in fractions of the frame."""

    x: float
    y: float
    width: float
    height: float

    @classmethod
    def around(cls, rect: Rect, size: tuple[int, int]) -> Self:
        """A rectangle of a picture; `size` is the width and height of the picture in px."""
        width, height = size
        return cls(rect.x / width, rect.y / height, rect.width / width, rect.height / height)

    def rect(self, size: tuple[int, int]) -> Rect:
        """Where it lies in a picture of that width and height, in px: what `around` was given. Never empty."""
        width, height = size
        left, top = round(self.x * width), round(self.y * height)
        right, bottom = round((self.x + self.width) * width), round((self.y + self.height) * height)
        return Rect.between(left, top, right, bottom, height, width)

    def overlaps(self, other: "Box") -> bool:
        """Whether both have a part in common."""
        across = _common(self.x, self.width, other.x, other.width)
        return across > 0 and _common(self.y, self.height, other.y, other.height) > 0

    @classmethod
    def parse(cls, text: str) -> Self:
        """Of what `str` gives. Raises ValueError for what does not lie in a frame."""
        x, y, width, height = map(float, text.split(","))
        if not (0 <= x <= 1 and 0 <= y <= 1 and 0 < width <= 1 and 0 < height <= 1):
            raise ValueError(f"{text!r} is not a box: it needs four numbers from 0 to 1")
        return cls(x, y, width, height)

    def __str__(self) -> str:
        """`x,y,w,h`, as JSON and settings have it."""
        return ",".join(f"{side:.6g}" for side in (self.x, self.y, self.width, self.height))


def _common(start: _Number, length: _Number, other_start: _Number, other_length: _Number) -> _Number:
    """How much two lengths of one axis have in common; 0 or less: nothing."""
    return min(start + length, other_start + other_length) - max(start, other_start)
