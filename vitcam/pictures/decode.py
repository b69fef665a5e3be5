"""A picture's bytes become pixels. Size and completeness are checked in the header, before anything is decoded."""

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from vitcam.errors import UsageError
from vitcam.frames import Image
from vitcam.pictures.header import READABLE, Header, is_image, read_header, truncated
from vitcam.pictures.opencv import quiet_opencv

__all__ = [
    "FOREIGN_SUFFIXES",
    "IMAGE_SUFFIXES",
    "READABLE",
    "Decode",
    "Decoded",
    "Limits",
    "decode",
    "decode_image",
    "is_image",
]

MAX_BYTES = 200_000_000
MAX_PIXELS = 100_000_000  # more than any phone's
MAX_DECODING = 480_000_000  # bytes; a progressive JPEG of 40 megapixels in four colours takes 440
WHOLE_PIXELS = 40_000_000  # a picture of more px is decoded at half its width and height, or less
IMAGE_SUFFIXES = frozenset({".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".webp", ".bmp", ".dib"})
"""Names of pictures that can be read."""
_CAMERAS_RAW = frozenset({".dng", ".cr2", ".cr3", ".nef", ".arw", ".orf", ".rw2"})
FOREIGN_SUFFIXES = _CAMERAS_RAW | {".heic", ".heif", ".hif", ".avif", ".jxl", ".jp2", ".gif", ".tif", ".tiff"}
"""Names of photos that cannot be read: a folder that holds some is told so, and not that it is empty."""

_PIXEL = 3  # bytes; a picture is in memory twice while it is handed over, turned or reduced
_REDUCED = {
    1: cv2.IMREAD_COLOR,
    2: cv2.IMREAD_REDUCED_COLOR_2,
    4: cv2.IMREAD_REDUCED_COLOR_4,
    8: cv2.IMREAD_REDUCED_COLOR_8,
}
_UPRIGHT: dict[int, Callable[[Image], cv2.typing.MatLike]] = {  # by EXIF's orientation
    2: lambda picture: cv2.flip(picture, 1),
    3: lambda picture: cv2.rotate(picture, cv2.ROTATE_180),
    4: lambda picture: cv2.flip(picture, 0),
    5: cv2.transpose,
    6: lambda picture: cv2.rotate(picture, cv2.ROTATE_90_CLOCKWISE),
    7: lambda picture: cv2.rotate(cv2.transpose(picture), cv2.ROTATE_180),
    8: lambda picture: cv2.rotate(picture, cv2.ROTATE_90_COUNTERCLOCKWISE),
}


@dataclass(frozen=True, slots=True, eq=False)
class Decoded:
    """A picture's pixels and its size."""

    image: Image
    """(h, w, 3) uint8, RGB, upright; it may be reduced, but keeps its proportions."""
    width: int
    height: int
    """In px, of the upright picture before any reduction."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How large a picture may be, and how large it must stay."""

    most_pixels: int = MAX_PIXELS
    enough: tuple[int, int] | None = None
    """(height, width) in px of the upright picture: it may be reduced to no less than this. None: it is as large as it
    may be. One of more than `WHOLE_PIXELS` is reduced in any case."""


Decode = Callable[[bytes], Decoded]
Allocate = Callable[[int, int], Image]
"""Takes `height` and `width`, and returns (height, width, 3) uint8 that a picture is written into."""

_OWN_FILE = Limits()


def new_picture(height: int, width: int) -> Image:
    """New memory for a picture, (height, width, 3) uint8; its values are random."""
    return np.empty((height, width, 3), np.uint8)


def decode_image(data: bytes) -> Image:
    """The pixels of one of the user's own files: (H, W, 3) uint8, RGB, upright, as large as `decode` makes it."""
    return decode(data).image


def decode(data: bytes, limits: Limits = _OWN_FILE, allocate: Allocate = new_picture) -> Decoded:
    """Decode one picture in this process, and turn it upright as its EXIF orientation says.

    data      a whole JPEG, PNG, WebP or BMP file
    allocate  gives the memory for the pixels; transparency is dropped, 16 bits become 8
    raises    UsageError if the file is too large, cut off, damaged, or of another kind
    """
    return decode_checked(data, checked_header(data, limits), limits.enough, allocate)


def decode_checked(
    data: bytes, header: Header, enough: tuple[int, int] | None = None, allocate: Allocate = new_picture
) -> Decoded:
    """As `decode`, of a file whose header has been checked."""
    quiet_opencv()
    factor = reduction(header, enough)
    upright = _UPRIGHT.get(header.orientation, _as_it_is)(_pixels(data, header, factor))
    image = cv2.cvtColor(upright, cv2.COLOR_BGR2RGB, dst=allocate(*upright.shape[:2]))
    height, width = header.upright_size
    return Decoded(np.asarray(image, dtype=np.uint8), width, height)


def checked_header(data: bytes, limits: Limits) -> Header:
    """The header of a complete picture. Raises UsageError for other data, and for a cut-off or too large file."""
    if len(data) > MAX_BYTES:
        raise UsageError(f"the file has {len(data):,} bytes; at most {MAX_BYTES:,} are allowed")
    header = read_header(data)
    size = f"the picture is {header.width:,}×{header.height:,} px, {header.pixels / 1e6:,.0f} megapixels"
    if header.pixels > limits.most_pixels:
        raise UsageError(f"{size}; at most {limits.most_pixels / 1e6:,.0f} are allowed: save it smaller")
    taken = len(data) + decoding_bytes(header, reduction(header, limits.enough))
    if taken > MAX_DECODING:
        raise UsageError(
            f"{size}, and decoding it takes {taken / 1e6:,.0f} MB; at most {MAX_DECODING / 1e6:,.0f} are allowed: "
            "save it smaller, or as a JPEG that is not progressive"
        )
    if not header.complete:  # OpenCV would silently fill the rest of a JPEG with grey
        raise truncated(data)
    return header


def decoding_bytes(header: Header, factor: int) -> int:
    """How much memory decoding takes, beside the file: measured with libjpeg-turbo, libpng and libwebp.

    factor  by which its sides are divided; only a JPEG takes less for it
    """
    pixels = header.pixels / factor**2 if header.scalable else header.pixels
    return round(max(header.kept * header.pixels + _PIXEL * pixels, 2 * _PIXEL * pixels))


def reduction(header: Header, enough: tuple[int, int] | None) -> int:
    """By what the sides of a picture are divided, 1, 2, 4 or 8, so that it stays at least `enough` large.

    A very large one is divided by 2 at least.

    enough  (height, width) in px
    """
    least = 2 if header.pixels > WHOLE_PIXELS else 1
    return max(least, fitting_reduction(header.upright_size, enough))


def fitting_reduction(size: tuple[int, int], enough: tuple[int, int] | None) -> int:
    """The same for a picture that is not very large; size: (height, width) in px."""
    if enough is None:
        return 1
    fitting = (
        factor for factor in _REDUCED if all(side >= factor * least for side, least in zip(size, enough, strict=True))
    )
    return max(fitting, default=1)


def _pixels(data: bytes, header: Header, factor: int) -> Image:
    """(h, w, 3) uint8, BGR, not turned, reduced by `factor`. Raises UsageError if the data are damaged."""
    if len(header.needed) > 1:
        view = memoryview(data)
        data = b"".join(view[start:end] for start, end in header.needed)
    height, width = (-(-side // factor) for side in (header.height, header.width))
    in_decoder = factor if header.scalable else 1
    try:
        bgr = cv2.imdecode(np.frombuffer(data, np.uint8), _REDUCED[in_decoder] | cv2.IMREAD_IGNORE_ORIENTATION)
        if bgr is not None and factor > in_decoder:
            bgr = cv2.resize(bgr, (width, height), interpolation=cv2.INTER_AREA)
    except cv2.error:
        bgr = None
    if bgr is None or bgr.shape != (height, width, 3):
        raise UsageError("not an image: the data are damaged")
    return np.asarray(bgr, dtype=np.uint8)


def _as_it_is(picture: Image) -> Image:
    return picture
