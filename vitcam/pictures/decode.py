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
MAX_PIXELS = (
    100_000_000  # of the user's own files; 300 MB once decoded: larger than any camera's, smaller than a Pi's memory
)
MAX_UNTRUSTED_PIXELS = 40_000_000  # of uploads and network sources; decoding the worst of them takes 0.5 GB
IMAGE_SUFFIXES = frozenset({".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".webp", ".bmp", ".dib"})
"""Names of pictures that can be read."""
_CAMERAS_RAW = frozenset({".dng", ".cr2", ".cr3", ".nef", ".arw", ".orf", ".rw2"})
FOREIGN_SUFFIXES = _CAMERAS_RAW | {".heic", ".heif", ".hif", ".avif", ".jxl", ".jp2", ".gif", ".tif", ".tiff"}
"""Names of photos that cannot be read: a folder that holds some is told so, and not that it is empty."""

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
    """(height, width) in px of the upright picture: it may be reduced to no less than this. None: never reduced."""


Decode = Callable[[bytes], Decoded]
Allocate = Callable[[int, int], Image]
"""Takes `height` and `width`, and returns (height, width, 3) uint8 that a picture is written into."""

_OWN_FILE = Limits()


def new_picture(height: int, width: int) -> Image:
    """New memory for a picture, (height, width, 3) uint8; its values are random."""
    return np.empty((height, width, 3), np.uint8)


def decode_image(data: bytes) -> Image:
    """The pixels of one of the user's own files: (H, W, 3) uint8, RGB, upright, never reduced."""
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
    factor = reduction(header.upright_size, enough)
    upright = _UPRIGHT.get(header.orientation, _as_it_is)(_pixels(data, header, factor))
    image = cv2.cvtColor(upright, cv2.COLOR_BGR2RGB, dst=allocate(*upright.shape[:2]))
    height, width = header.upright_size
    return Decoded(np.asarray(image, dtype=np.uint8), width, height)


def checked_header(data: bytes, limits: Limits) -> Header:
    """The header of a complete picture. Raises UsageError for other data, and for a cut-off or too large file."""
    if len(data) > MAX_BYTES:
        raise UsageError(f"the file has {len(data):,} bytes; at most {MAX_BYTES:,} are allowed")
    header = read_header(data)
    if header.width * header.height > limits.most_pixels:
        megapixels = header.width * header.height / 1e6
        raise UsageError(
            f"the picture is {header.width:,}×{header.height:,} px, {megapixels:,.0f} megapixels; "
            f"at most {limits.most_pixels / 1e6:,.0f} are allowed"
        )
    if not header.complete:  # OpenCV would silently fill the rest of a JPEG with grey
        raise truncated(data)
    return header


def reduction(size: tuple[int, int], enough: tuple[int, int] | None) -> int:
    """By what the sides of a picture may be divided, 1, 2, 4 or 8, so that it stays at least `enough` large.

    size, enough  (height, width) in px
    """
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
