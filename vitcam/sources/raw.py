"""Raw pictures from a pipe. They have no header, so format and size must be given."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.errors import UsageError
from vitcam.frames import Image

_PLACE = re.compile(r"(\w+):(\d{1,5})x(\d{1,5})", re.ASCII)
_LEAST_PX, _MOST_PX = 16, 8192
_ROWS = {"yuv420": 1.5, "rgb24": 3.0, "bgr24": 3.0}  # bytes a pixel
_TO_RGB: dict[str, Callable[[NDArray[np.uint8]], cv2.typing.MatLike]] = {
    "yuv420": lambda data: cv2.cvtColor(data, cv2.COLOR_YUV2RGB_I420),
    "rgb24": np.copy,
    "bgr24": lambda data: cv2.cvtColor(data, cv2.COLOR_BGR2RGB),
}


@dataclass(frozen=True, slots=True)
class RawFormat:
    """`yuv420` (three planes, as of `rpicam-vid --codec yuv420`), `rgb24` or `bgr24`; rows without padding."""

    pixels: str
    width: int
    height: int

    @classmethod
    def parse(cls, text: str) -> "RawFormat":
        """`FORMAT:WIDTHxHEIGHT`. Raises UsageError."""
        found = _PLACE.fullmatch(text)
        if found is None or found[1] not in _TO_RGB:
            raise UsageError(
                f"-:{text} is not a valid stdin source; allowed are - (MJPEG) and -:FORMAT:WIDTHxHEIGHT such as "
                f"-:yuv420:1280x720, FORMAT one of {', '.join(_TO_RGB)}"
            )
        width, height = int(found[2]), int(found[3])
        if not all(_LEAST_PX <= side <= _MOST_PX for side in (width, height)):
            raise UsageError(
                f"-:{text} is out of range; width and height from {_LEAST_PX} to {_MOST_PX} px are allowed"
            )
        if found[1] == "yuv420" and (width % 2 or height % 2):
            raise UsageError(f"-:{text} is invalid: width and height of yuv420 must be even")
        return cls(found[1], width, height)

    @property
    def size(self) -> int:
        """Bytes of one picture."""
        return int(self.width * self.height * _ROWS[self.pixels])

    def picture(self, data: bytearray) -> Image:
        """(height, width, 3) uint8, RGB, a copy; `data` has `size` bytes."""
        shape = (self.height * 3 // 2, self.width) if self.pixels == "yuv420" else (self.height, self.width, 3)
        return np.asarray(_TO_RGB[self.pixels](np.frombuffer(data, np.uint8).reshape(shape)), dtype=np.uint8)

    def __str__(self) -> str:
        return f"{self.width}×{self.height} {self.pixels}"
