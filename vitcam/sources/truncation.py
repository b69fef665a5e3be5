"""Whether the end of a film's file is missing, by the sizes in its own container: nothing is decoded.

Numbers of frames and durations are estimates, or count what an edit list hides. A container's size is exact.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from vitcam.pictures.file_kind import MP4_BOXES

_MOST_PARTS = 1_000_000  # boxes of a film in fragments, one after the other
_SEGMENT = b"\x18\x53\x80\x67"
_OPEN_END = 0  # a part that reaches to the end of the file, or whose size was never written


def missing_bytes(path: Path) -> int:
    """How many bytes are missing at the end of an MP4, AVI or Matroska file; 0: none, or nobody knows."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            return max(0, max(_ends(file, size), default=0) - size)
    except OSError:
        return 0


def _ends(file: BinaryIO, file_size: int) -> Iterator[int]:
    """Where the parts of the outermost level end, one after the other, as their sizes say."""
    beginning = file.read(8)
    if beginning.startswith(b"\x1a\x45\xdf\xa3"):
        yield _matroska_end(file)
    if not beginning.startswith(b"RIFF") and beginning[4:] not in MP4_BOXES:
        return
    size_of, at = _riff_size if beginning.startswith(b"RIFF") else _box_size, 0
    for _ in range(_MOST_PARTS):
        if at >= file_size:  # a damaged size may be more than a file's position can be
            return
        file.seek(at)
        size = size_of(file.read(16))
        if size == _OPEN_END:
            return
        at += size
        yield at


def _box_size(head: bytes) -> int:
    """Of a box of MP4 (ISO 14496-12, 4.2); what is not a box ends the walk: some programs append notes."""
    size, name = int.from_bytes(head[:4], "big"), head[4:8]
    if len(head) < 8 or not (name.isascii() and name.decode("latin-1").isprintable()):
        return _OPEN_END
    if size == 1:
        size = int.from_bytes(head[8:16], "big")
    return size if size >= 8 else _OPEN_END


def _riff_size(head: bytes) -> int:
    """Of a RIFF chunk; a long AVI has several."""
    size = int.from_bytes(head[4:8], "little")
    if not head.startswith(b"RIFF") or size in (0, 0xFFFFFFFF):  # it was recorded into a pipe
        return _OPEN_END
    return 8 + size + size % 2


def _matroska_end(file: BinaryIO) -> int:
    """Where the segment ends, which follows the EBML header (RFC 9559, 4.5); 0: its size was never written."""
    file.seek(4)
    length, header = _vint(file)
    file.seek(4 + length + header)
    if file.read(4) != _SEGMENT:
        return _OPEN_END
    at = file.tell()
    length, size = _vint(file)
    is_unknown = size == (1 << 7 * length) - 1
    return _OPEN_END if is_unknown else at + length + size


def _vint(file: BinaryIO) -> tuple[int, int]:
    """A number of EBML (RFC 8794, 4): its length in bytes, and its value."""
    first = file.read(1)
    length = 9 - first[0].bit_length() if first and first[0] else 1
    data = first + file.read(length - 1)
    return length, int.from_bytes(data, "big") & ((1 << 7 * length) - 1)
