"""What a camera writes beside a picture's pixels: which way is up, and when the picture was taken.

source  CIPA DC-008 (EXIF 2.32), sections 4.6.2 to 4.6.5; TIFF 6.0, section 2
"""

import struct
from collections.abc import Iterator
from datetime import datetime

UPRIGHT = 1  # of the eight orientations
_MAX_ENTRIES = 1_000  # of a directory
_ORIENTATION, _EXIF_DIRECTORY, _TAKEN = 0x0112, 0x8769, 0x9003
_SHORT = 3
_TIME_FORM, _TIME_LENGTH = "%Y:%m:%d %H:%M:%S", 19


def orientation_of(exif: bytes) -> int:
    """The orientation in EXIF's first directory, 1 to 8; upright if there is none, or the data are damaged."""
    try:
        for order, tag, kind, at in _entries(exif, 4):
            if tag == _ORIENTATION:
                value = int(struct.unpack_from(order + "H", exif, at)[0])
                return value if kind == _SHORT and 1 <= value <= 8 else UPRIGHT
    except struct.error:
        pass
    return UPRIGHT


def taken_at(exif: bytes) -> datetime | None:
    """When the picture was taken, by the camera's clock and in its zone of time; None if it does not say so."""
    try:
        found = next((at for _, tag, _, at in _entries(exif, 4) if tag == _EXIF_DIRECTORY), None)
        if found is None:
            return None
        for order, tag, _, at in _entries(exif, found):
            if tag == _TAKEN:
                start = struct.unpack_from(order + "I", exif, at)[0]
                return datetime.strptime(exif[start : start + _TIME_LENGTH].decode("ascii"), _TIME_FORM)
    except (struct.error, ValueError):
        return None
    return None


def _entries(exif: bytes, pointer: int) -> Iterator[tuple[str, int, int, int]]:
    """Order of bytes, tag, kind and place of the value, of each entry of the directory that the pointer leads to.

    raises  struct.error where the data end too early
    """
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(exif[:4])
    if order is None:
        return
    at = struct.unpack_from(order + "I", exif, pointer)[0]
    entries = struct.unpack_from(order + "H", exif, at)[0]
    for entry in range(at + 2, at + 2 + 12 * min(entries, _MAX_ENTRIES), 12):
        tag, kind = struct.unpack_from(order + "HH", exif, entry)
        yield order, tag, kind, entry + 8
