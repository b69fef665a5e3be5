"""Reads a picture's header before anything is decoded: size, orientation, and whether the file is complete.

This is cheap enough for every frame of a camera: only the beginnings of segments and chunks are read.
"""

import re
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from vitcam.errors import UsageError
from vitcam.pictures.exif import UPRIGHT, orientation_of
from vitcam.pictures.file_kind import BEGINNING, Use, kind_of

READABLE = "JPEG, PNG, WebP and BMP"
MAX_SCANS = 64  # of a JPEG; a progressive photo has about ten, and each costs a pass over the whole picture
_MAX_SEGMENTS = 10_000  # of a JPEG's header; a photo has a dozen
_MAX_CHUNKS = 100_000  # of a PNG; writers cut the pixels into pieces of 8 kB and more
_MAX_ENTRIES = 1_000  # chunks of a WebP

_COEFFICIENT = 2  # bytes
_WEBP = 5.0  # bytes for each px, measured of one without loss and with transparency

_MARKER = re.compile(rb"\xff+[^\x00\xff]")
_AFTER_SCAN = re.compile(rb"\xff+[^\x00\xff\xd0-\xd7]")  # inside a scan 0xff is escaped, or a restart


@dataclass(frozen=True, slots=True)
class Header:
    """What is known of a picture before it is decoded."""

    width: int
    height: int
    """In px, as stored: before the picture is turned upright."""
    complete: bool
    """False: the end of the picture is missing."""
    orientation: int = UPRIGHT
    """1 to 8, as EXIF counts them (CIPA DC-008, 4.6.4)."""
    scalable: bool = False
    """Whether decoding it at a reduced size is faster and takes less memory, as for a JPEG."""
    kept: float = 0.0
    """Bytes for each px that the decoder keeps beside the picture: coefficients of a JPEG in several scans."""
    needed: tuple[tuple[int, int], ...] = ()
    """Beginnings and ends of the bytes that its pixels need; empty: all of them."""
    exif: tuple[int, int] = (0, 0)
    """Beginning and end of a JPEG's EXIF data; nothing where there are none."""

    @property
    def pixels(self) -> int:
        return self.width * self.height

    @property
    def upright_size(self) -> tuple[int, int]:
        """(height, width) after it is turned upright."""
        return (self.width, self.height) if self.orientation >= 5 else (self.height, self.width)

    def reduced_size(self, factor: int) -> tuple[int, int]:
        """(height, width) upright, with its sides divided by `factor` and rounded up."""
        height, width = self.upright_size
        return -(-height // factor), -(-width // factor)


def read_header(data: bytes) -> Header:
    """Read a JPEG's, PNG's, WebP's or BMP's header. Raises UsageError for other or invalid data."""
    if not data:
        raise UsageError("not an image: the file is empty")
    reader = _reader(data)
    if reader is None:
        raise UsageError(foreign(data))
    try:
        header = reader(data)
    except struct.error:
        raise truncated(data) from None
    if header.width < 1 or header.height < 1:
        raise UsageError(f"not an image: its header says {header.width}×{header.height} px")
    return header


def foreign(beginning: bytes) -> str:
    """What is said of a file that begins like this and is not of a readable kind."""
    kind = kind_of(beginning[:BEGINNING])
    if kind is None:
        return f"not an image: the data are of an unknown kind; {READABLE} can be read"
    said = "cannot be read" if kind.use is Use.FOREIGN else "not an image"
    return f"{said}: {kind.name}; {READABLE} can be read"


def truncated(data: bytes) -> UsageError:
    """The error for a picture that ends too early."""
    return UsageError(f"not an image: truncated after {len(data):,} bytes")


MEDIA_TYPES = {b"\xff\xd8": "image/jpeg", b"\x89P": "image/png", b"RI": "image/webp", b"BM": "image/bmp"}
"""By the first two bytes of pictures that can be read."""


def media_type(picture: bytes) -> str:
    """The media type of a picture that can be read. Raises KeyError for anything else."""
    return MEDIA_TYPES[picture[:2]]


def is_image(beginning: bytes) -> bool:
    """Whether a file that begins with these bytes, 16 or more, is marked as a picture that can be read."""
    return _reader(beginning) is not None


def _reader(data: bytes) -> Callable[[bytes], Header] | None:
    kind = kind_of(data[:BEGINNING]) if data[:2] in _READERS else None
    return None if kind is None or kind.use is not Use.PICTURE else _READERS[data[:2]]


def _read_jpeg(data: bytes) -> Header:
    """Walk the segments up to the first scan (ITU-T T.81, B.1): SOFn holds the size, EOI must follow the last scan."""
    width = height = components = 0
    kept = 0.0
    orientation, progressive, exif = UPRIGHT, False, (0, 0)
    at = 2
    for _ in range(_MAX_SEGMENTS):
        marker, at = _next_marker(data, at, _MARKER)
        if marker in (0xD9, 0xDA):
            in_one = marker == 0xD9 or (not progressive and data[at + 2 : at + 3] == bytes([components]))
            # an EXIF thumbnail has an EOI of its own, so search only from here; inside a scan 0xff is always escaped
            complete = data.find(b"\xff\xd9", at - 2) >= 0 if in_one else _scans_end(data, at)
            return Header(width, height, complete, orientation, scalable=True, kept=0.0 if in_one else kept, exif=exif)
        if marker == 0x01 or 0xD0 <= marker <= 0xD8:  # it has no content
            continue
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width, components = struct.unpack_from(">HHB", data, at + 3)
            progressive = marker & 3 == 2
            kept = _COEFFICIENT * _samples(data[at + 8 : at + 8 + 3 * components])
        length = struct.unpack_from(">H", data, at)[0]
        if marker == 0xE1 and data.startswith(b"Exif\0\0", at + 2):
            exif = at + 8, at + length
            orientation = orientation_of(data[at + 8 : at + length])
        at += length
    raise UsageError("not an image: the JPEG's header never ends")


def _samples(components: bytes) -> float:
    """For each px, of components with their sampling factors (T.81, B.2.2): 1.5 where colours have half the size."""
    across, down = [factors >> 4 for factors in components[1::3]], [factors & 15 for factors in components[1::3]]
    whole = max(across, default=0) * max(down, default=0)
    return sum(x * y for x, y in zip(across, down, strict=True)) / whole if whole else len(across)


def _scans_end(data: bytes, at: int) -> bool:
    """Whether the scans from `at` on end with an EOI. Raises UsageError if there are too many."""
    scans = 1
    for _ in range(_MAX_SEGMENTS):
        try:
            at += struct.unpack_from(">H", data, at)[0]
            marker, at = _next_marker(data, at, _AFTER_SCAN)
        except struct.error:
            return False
        if marker == 0xD9:
            return True
        scans += marker == 0xDA
        if scans > MAX_SCANS:
            raise UsageError(f"the JPEG has more than {MAX_SCANS} scans, and a photo has about ten; save it again")
    raise UsageError("not an image: the JPEG's scans never end")


def _next_marker(data: bytes, at: int, pattern: re.Pattern[bytes]) -> tuple[int, int]:
    """A marker's code, and where its content begins. Raises struct.error if there is none."""
    found = pattern.search(data, at)
    if found is None:
        raise struct.error
    return data[found.end() - 1], found.end()


def _read_png(data: bytes) -> Header:
    """Walk the chunks and check their checksums (W3C PNG, 5.3), since libpng would print errors to stderr.

    Of the ancillary chunks only transparency is left to the decoder. Those of an animation (acTL, fcTL, fdAT) would
    make OpenCV use another decoder, in which one wrong byte ends the process (its issue 27744).
    """
    width, height = struct.unpack_from(">II", data, 16)
    view, at = memoryview(data), 8
    orientation, needed, complete = UPRIGHT, [(0, 8)], False
    for _ in range(_MAX_CHUNKS):
        length, name = struct.unpack_from(">I4s", data, at)
        end = at + 12 + length
        if end > len(data):
            break
        critical = not name[0] & 0x20
        if critical and zlib.crc32(view[at + 4 : end - 4]) != struct.unpack_from(">I", data, end - 4)[0]:
            raise UsageError(f"not an image: the PNG's checksum is wrong at byte {at:,}")
        if critical or name == b"tRNS":
            joins = needed[-1][1] == at
            needed[-1:] = [(needed[-1][0], end)] if joins else [needed[-1], (at, end)]
        if name == b"eXIf":
            orientation = orientation_of(data[at + 8 : end - 4])
        if name == b"IEND":
            complete = True
            break
        at = end
    else:
        raise UsageError(f"not an image: the PNG has more than {_MAX_CHUNKS:,} chunks")
    return Header(width, height, complete, orientation, needed=tuple(needed))


def _read_webp(data: bytes) -> Header:
    """The size by the first chunk, of which there are three kinds (RFC 9649, 2.4 to 2.7)."""
    size, first = struct.unpack_from("<I4x4s", data, 4)
    orientation = UPRIGHT
    if first == b"VP8X":
        width = int.from_bytes(data[24:27], "little") + 1
        height = int.from_bytes(data[27:30], "little") + 1
        orientation = orientation_of(_webp_exif(data))
    elif first == b"VP8L":
        bits = struct.unpack_from("<I", data, 21)[0]
        width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    else:
        width, height = (side & 0x3FFF for side in struct.unpack_from("<HH", data, 26))
    return Header(width, height, len(data) >= size + 8, orientation, kept=_WEBP)


def _webp_exif(data: bytes) -> bytes:
    """The content of the chunk EXIF; some programs write the six bytes of a JPEG's EXIF before it."""
    at = 12
    for _ in range(_MAX_ENTRIES):
        if at + 8 > len(data):
            break
        name, length = struct.unpack_from("<4sI", data, at)
        if name == b"EXIF":
            return data[at + 8 : at + 8 + length].removeprefix(b"Exif\0\0")
        at += 8 + length + length % 2
    return b""


def _read_bmp(data: bytes) -> Header:
    size, kind = struct.unpack_from("<I8xI", data, 2)
    width, height = struct.unpack_from("<HH" if kind == 12 else "<ii", data, 18)
    return Header(width, abs(height), len(data) >= size)


_READERS: dict[bytes, Callable[[bytes], Header]] = {
    b"\xff\xd8": _read_jpeg,
    b"\x89P": _read_png,
    b"RI": _read_webp,
    b"BM": _read_bmp,
}
"""First two bytes of a readable picture -> what reads its header."""
