"""A picture's bytes become pixels; size and completeness are judged from the header, before anything is decoded."""

import re
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from vitcam.errors import UsageError
from vitcam.frames import Image
from vitcam.opencv import quiet_opencv

MAX_BYTES = 200_000_000
MAX_PIXELS = 100_000_000  # 300 MB once decoded: more than any camera takes, less than a Pi's memory
MAX_SEGMENTS = 10_000  # of a JPEG's header; a photo has a dozen
READABLE = "JPEG, PNG, WebP and BMP"
IMAGE_SUFFIXES = frozenset({".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".webp", ".bmp", ".dib"})

_MARKER = re.compile(rb"\xff+[^\x00\xff]")


@dataclass(frozen=True, slots=True)
class _Header:
    width: int
    height: int
    complete: bool


def decode_image(data: bytes) -> Image:
    """Decode one picture, turned upright as its EXIF orientation says.

    data     a whole JPEG, PNG, WebP or BMP file
    returns  (H, W, 3) uint8, RGB; transparency is dropped, 16 bits become 8
    raises   UsageError for anything else: too large, cut off, damaged, of another kind
    """
    if len(data) > MAX_BYTES:
        raise UsageError(f"the file has {len(data):,} bytes; at most {MAX_BYTES:,} are allowed")
    header = _header(data)
    if header.width * header.height > MAX_PIXELS:
        megapixels = header.width * header.height / 1e6
        raise UsageError(
            f"the picture is {header.width:,}×{header.height:,} px, {megapixels:,.0f} megapixels; "
            f"at most {MAX_PIXELS / 1e6:,.0f} are allowed"
        )
    if not header.complete:  # OpenCV would fill the rest of a JPEG with grey and say nothing
        raise _truncated(data)
    quiet_opencv()
    try:
        bgr = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        bgr = None
    if bgr is None:
        raise UsageError("not an image: the data are damaged")
    return np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2RGB), dtype=np.uint8)


def is_image(beginning: bytes) -> bool:
    """Whether a file that begins with these 16 bytes or more claims to be a picture that can be read."""
    return _reader(beginning) is not None


def _truncated(data: bytes) -> UsageError:
    return UsageError(f"not an image: truncated after {len(data):,} bytes")


def _header(data: bytes) -> _Header:
    if not data:
        raise UsageError("not an image: the file is empty")
    reader = _reader(data)
    if reader is None:
        raise UsageError(f"not an image: {_kind(data)}; {READABLE} can be read")
    try:
        header = reader(data)
    except struct.error:
        raise _truncated(data) from None
    if header.width < 1 or header.height < 1:
        raise UsageError(f"not an image: its header says {header.width}×{header.height} px")
    return header


def _reader(data: bytes) -> Callable[[bytes], _Header] | None:
    if data.startswith(b"\xff\xd8\xff"):
        return _read_jpeg
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return _read_png
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return _read_webp
    if data.startswith(b"BM") and data[14:15] in (b"\x0c", b"\x28", b"\x34", b"\x38", b"\x40", b"\x6c", b"\x7c"):
        return _read_bmp
    return None


def _kind(data: bytes) -> str:
    """Name what people try most often."""
    if data[4:8] == b"ftyp":
        return "a HEIC or AVIF picture, or a video"
    known = {
        b"GIF8": "a GIF picture",
        b"II*\0": "a TIFF picture",
        b"MM\0*": "a TIFF picture",
        b"%PDF": "a PDF document",
    }
    return known.get(data[:4], "the data are of an unknown kind")


def _read_jpeg(data: bytes) -> _Header:
    """Walk the segments up to the first scan (ITU-T T.81, B.1): SOFn holds the size, EOI must follow the scan."""
    width = height = 0
    at = 2
    for _ in range(MAX_SEGMENTS):
        found = _MARKER.search(data, at)
        if found is None:
            raise struct.error
        marker, at = data[found.end() - 1], found.end()
        if marker in (0xD9, 0xDA):
            # an EXIF thumbnail has an EOI of its own, hence only from here; inside a scan 0xff is always escaped
            return _Header(width, height, data.find(b"\xff\xd9", at - 2) >= 0)
        if marker == 0x01 or 0xD0 <= marker <= 0xD8:  # stands alone
            continue
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", data, at + 3)
        at += struct.unpack_from(">H", data, at)[0]
    raise UsageError("not an image: the JPEG's header never ends")


def _read_png(data: bytes) -> _Header:
    """Walk the chunks and check their sums (W3C PNG, 5.3): libpng would print what it finds to stderr."""
    width, height = struct.unpack_from(">II", data, 16)
    view, at = memoryview(data), 8
    while at + 12 <= len(data):
        length, name = struct.unpack_from(">I4s", data, at)
        end = at + 12 + length
        if end > len(data):
            break
        if name[:1].isupper() and zlib.crc32(view[at + 4 : end - 4]) != struct.unpack_from(">I", data, end - 4)[0]:
            raise UsageError(f"not an image: the PNG's checksum is wrong at byte {at:,}")
        if name == b"IEND":
            return _Header(width, height, complete=True)
        at = end
    return _Header(width, height, complete=False)


def _read_webp(data: bytes) -> _Header:
    """The canvas or the only frame, by the three kinds of first chunk (RFC 9649, 2.4 to 2.7)."""
    size, first = struct.unpack_from("<I4x4s", data, 4)
    if first == b"VP8X":
        width = int.from_bytes(data[24:27], "little") + 1
        height = int.from_bytes(data[27:30], "little") + 1
    elif first == b"VP8L":
        bits = struct.unpack_from("<I", data, 21)[0]
        width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    else:
        width, height = (side & 0x3FFF for side in struct.unpack_from("<HH", data, 26))
    return _Header(width, height, len(data) >= size + 8)


def _read_bmp(data: bytes) -> _Header:
    size, kind = struct.unpack_from("<I8xI", data, 2)
    width, height = struct.unpack_from("<HH" if kind == 12 else "<ii", data, 18)
    return _Header(width, abs(height), len(data) >= size)
