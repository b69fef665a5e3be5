"""Pictures that FFmpeg has decoded, made as they are meant to be seen. PyAV brings FFmpeg along.

OpenCV has an FFmpeg, too. But OpenCV 4.11 keeps the first size of a stream, and reads beyond the picture if a smaller
one follows; it tells neither a flip from a rotation, nor a film that ends early from one that was trimmed.
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import cast

import av
import av.video.reformatter
import av.video.stream
import numpy as np

from vitcam.frames import Image
from vitcam.pictures.view import UPRIGHT, Orientation
from vitcam.sources.transform import reorient

_LEAST_ASPECT, _MOST_ASPECT = 0.2, 5.0  # of a pixel; what claims more is damaged
_SQUARE = 0.01  # by so much may a pixel differ from a square
# the other cores are the model's; before 17 PyAV converts in one thread only, and cannot be told so
_ONE_THREAD = {"threads": 1} if int(av.__version__.partition(".")[0]) >= 17 else {}


class FrameConverter:
    """Makes frames of one stream RGB, upright, and as wide as they are meant to be. For one thread."""

    def __init__(self, stream: av.video.stream.VideoStream) -> None:
        self._stream = stream
        self._reformatter = av.video.reformatter.VideoReformatter()
        self._stored: tuple[int, int] | None = None
        """(width, height) of the newest frame, as it is stored."""
        self._orientation, self._aspect = UPRIGHT, 1.0

    def size(self, frame: av.VideoFrame) -> tuple[int, int]:
        """(height, width) in px of the upright picture."""
        width, height = self._square_size(frame)
        return (width, height) if self._orientation.rotate90 else (height, width)

    def picture(self, frame: av.VideoFrame, factor: int = 1) -> Image:
        """The upright picture, (H, W, 3) uint8, RGB, its sides divided by `factor` and rounded up.

        raises  av.FFmpegError if it cannot be converted
        """
        width, height = (-(-side // factor) for side in self._square_size(frame))
        rgb = self._reformatter.reformat(
            frame, width, height, "rgb24", interpolation="AREA" if factor > 1 else "BILINEAR", **_ONE_THREAD
        )
        return reorient(self._orientation, np.asarray(rgb.to_ndarray(), dtype=np.uint8))

    def _square_size(self, frame: av.VideoFrame) -> tuple[int, int]:
        """(width, height) in px of the picture with square pixels, before it is turned.

        A film that is to be turned comes from a phone, and phones have square pixels. If it claims others, a program
        that changed its size wrote so.
        """
        if self._stored != (frame.width, frame.height):
            self._follow(frame)
        if abs(self._aspect - 1) < _SQUARE or self._orientation != UPRIGHT:
            return frame.width, frame.height
        return max(1, round(frame.width * self._aspect)), frame.height

    def _follow(self, frame: av.VideoFrame) -> None:
        """Read what belongs to frames of this size; not for every frame.

        A frame whose side data were read is kept in memory until the garbage collector comes; and what the decoder says
        of pixels is that of the frame which it has read, some frames after the one that it gives.
        """
        of = self._stream if self._stored is None else self._stream.codec_context  # the first is the container's
        self._aspect = pixel_aspect_of(of.sample_aspect_ratio)
        self._orientation = orientation_of(frame)
        self._stored = frame.width, frame.height


def pixel_aspect_of(aspect: Fraction | None) -> float:
    """Width of a pixel by its height; 1 where it is unknown or cannot be."""
    value = number_of(aspect)
    return value if _LEAST_ASPECT <= value <= _MOST_ASPECT else 1.0


def orientation_of(frame: av.VideoFrame) -> Orientation:
    """What makes a picture upright, by its display matrix (ISO 14496-12, 6.2.2): a multiple of 90°, flips included."""
    # PyAV's types call this a single value, and it is a mapping
    matrix = cast(Mapping[str, memoryview], frame.side_data).get("DISPLAYMATRIX")
    if matrix is None:
        return UPRIGHT
    a, b, _, c, d = (int(each) for each in np.frombuffer(matrix, np.int32, 5))
    if abs(a) + abs(d) >= abs(b) + abs(c):
        return Orientation(hflip=a < 0, vflip=d < 0)
    return Orientation(hflip=b < 0, vflip=c > 0, rotate90=True)


def number_of(fraction: Fraction | None) -> float:
    """A fraction of FFmpeg as a number; 0 where it is unknown (0/0, 1/0)."""
    try:
        value = float(fraction or 0)
    except (ZeroDivisionError, OverflowError, ValueError):
        return 0.0
    return value if math.isfinite(value) else 0.0
