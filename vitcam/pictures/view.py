"""Which part of a camera's picture the model sees, and which way up. Plain values: nothing here touches a pixel.

A picture is made upright first and cropped then. So a crop can be read off the upright picture in the preview.
"""

import math
from dataclasses import dataclass
from typing import Literal, Self

from vitcam.errors import UsageError

Rotate = Literal[0, 90, 180, 270]
Flip = Literal["none", "h", "v", "hv"]
Follow = Literal["off", "motion"]
"""Whether the model looks at what moves, too."""

MOST_SIDE = 65535
"""px; no JPEG is longer or wider."""
LEAST_SIDE = 4
"""px, of a part that somebody chooses on the page: the model would see nothing in less."""
_ROUNDING = 0.01  # px
_BEYOND = 1_000_000  # px; no picture reaches so far
CROP_WORDS = "X,Y,W,H inside the picture, in fractions of it as 0.25,0,0.5,1 or in px as 320,0,640,720"


@dataclass(frozen=True, slots=True)
class Region:
    """A part of an upright picture: from its left top corner, in fractions of the picture or in px.

    raises  UsageError for what cannot lie inside a picture, or is empty
    """

    x: float
    y: float
    width: float
    height: float

    def __post_init__(self) -> None:
        sides = (self.x, self.y, self.width, self.height)
        if not all(math.isfinite(side) and side <= _BEYOND for side in sides):
            raise UsageError(f"the crop {self} is not a rectangle; give {CROP_WORDS}")
        if self.width <= 0 or self.height <= 0:
            raise UsageError(f"the crop {self} is empty; give {CROP_WORDS}")
        over = self.in_fractions and max(self.x + self.width, self.y + self.height) > 1 + 1e-6
        if self.x < 0 or self.y < 0 or over:
            raise UsageError(f"the crop {self} reaches outside the picture; give {CROP_WORDS}")

    def __str__(self) -> str:
        return ",".join(f"{side:.6g}" for side in (self.x, self.y, self.width, self.height))

    @classmethod
    def parse(cls, text: str) -> Self:
        """`X,Y,W,H`. Raises UsageError."""
        try:
            x, y, width, height = (float(part) for part in text.split(","))
        except ValueError:
            raise UsageError(f"the crop {text!r} is not a rectangle; give {CROP_WORDS}") from None
        return cls(x, y, width, height)

    def sides(self, height: int, width: int) -> tuple[int, int, int, int]:
        """Left, top, right and bottom in a picture of `height` × `width` px, in px; they may lie outside it."""
        across, down = (width, height) if self.in_fractions else (1, 1)
        right, bottom = round((self.x + self.width) * across), round((self.y + self.height) * down)
        return round(self.x * across), round(self.y * down), right, bottom

    @property
    def in_fractions(self) -> bool:
        """True: of the picture, whatever its size; False: px."""
        return max(self.x, self.y, self.width, self.height) <= 1

    @property
    def is_whole(self) -> bool:
        """Whether it is the whole of every picture."""
        return (self.x, self.y, self.width, self.height) == (0, 0, 1, 1)


def check_size(what: str, region: Region, size: tuple[int, int] | None) -> None:
    """Raises UsageError for a part in fractions with too few px.

    what  it is, such as `the crop`
    size  (height, width) of the picture in px; None: nobody knows it yet, so any that a picture can have is taken
    """
    height, width = size or (MOST_SIDE, MOST_SIDE)
    across, down = region.width * width, region.height * height
    if across < min(LEAST_SIDE, width) - _ROUNDING or down < min(LEAST_SIDE, height) - _ROUNDING:
        where = f"the picture of {width}×{height} px" if size else "the largest picture there is"
        raise UsageError(
            f"{what} would be {across:.1f}×{down:.1f} px of {where}; at least {LEAST_SIDE} px a side are needed"
        )


def is_region(text: str) -> bool:
    """Whether `text` is a crop that some picture can have."""
    try:
        Region.parse(text)
    except UsageError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Orientation:
    """How pictures become upright: flips first, then a rotation by 90°. Every rotation and flip can be written so."""

    hflip: bool = False
    """Left and right are swapped."""
    vflip: bool = False
    """Top and bottom are swapped."""
    rotate90: bool = False
    """The picture is then rotated by 90° clockwise."""

    @classmethod
    def of(cls, rotate: int, flip: Flip) -> Self:
        """A rotation clockwise by 0, 90, 180 or 270 degrees, followed by flips."""
        hflip, vflip, rotate90 = "h" in flip, "v" in flip, rotate % 180 == 90
        if rotate90:  # a flip after a rotation by 90° is the other flip before it
            hflip, vflip = vflip, hflip
        half = rotate >= 180
        return cls(hflip != half, vflip != half, rotate90)

    @property
    def without_flips(self) -> "Orientation":
        """The rotation alone."""
        return Orientation(rotate90=self.rotate90)


UPRIGHT = Orientation()
