"""Cuts bytes into whole JPEG pictures: those of a stream, and those of a file (`rpicam-vid --codec mjpeg`).

Between the pictures may be nothing, or the headers of multipart parts.
"""

import re
from pathlib import Path
from typing import Literal

from vitcam.errors import SourceLost, UsageError
from vitcam.pictures.decode import IMAGE_SUFFIXES
from vitcam.pictures.header import read_header

MAX_PICTURE = 16 << 20  # bytes; a JPEG of 100 megapixels is smaller, and an endless one must not fill the memory
LEAST_PICTURE = 100  # bytes; the smallest JPEG has a few more

_START = b"\xff\xd8\xff"
_END = b"\xff\xd9"
_START_OR_END = re.compile(rb"\xff[\xd8\xd9]")
_HEADERS = 4096  # bytes before a picture in which its length is looked for
_LENGTH = re.compile(
    rb"content-length[ \t]*:[ \t]*(\d{1,9})[ \t]*\r?\n(?:[^\r\n]{1,999}\r?\n){0,20}\r?\n\Z", re.IGNORECASE
)
_END_OF_HEADERS = re.compile(rb"\n\r?\n\Z")
_AFTER_PICTURE = re.compile(
    rb"[\r\n]*(?:--[ -~]{1,72}\r?\n|(?:content|x)-[\w-]+[ \t]*:|\xff\xd8\xff[\xc0-\xfe])", re.IGNORECASE
)
_ENOUGH_AFTER = 100  # bytes: a boundary has up to 70
_SOI, _EOI, _SOS, _FILL = 0xD8, 0xD9, 0xDA, 0xFF
_CHUNK = 1 << 18
_LOOKED_AT = 2 * MAX_PICTURE  # bytes of a file, to find two pictures
# a photo that carries other pictures says so: MPO and Ultra HDR (CIPA DC-007), Google's and Samsung's containers
_CARRIES_OTHERS = (b"MPF\0", b"GContainer", b"Container:Directory", b"hdrgm:Version", b"Samsung_Capture_Info")


class JpegStream:
    """Ends a picture by its `Content-Length`, if it has one and that is right, else by the marker at its end.

    To find the marker, the segments of a picture are walked up to its scan (ITU-T T.81, B.1), since an EXIF thumbnail
    has an end of its own. Boundaries are ignored, since servers get them wrong; a length counts as right if the picture
    has its marker there, or the next part follows. After a wrong one no length is believed any more.
    """

    def __init__(self) -> None:
        self._data = bytearray()
        self._at = 0  # everything before was looked at
        self._in_scan = False
        self._length: int | None = None
        """Of the picture that the buffer begins with, as its part says."""
        self._lengths_are_right: bool | None = None
        """None: none of them was needed yet."""
        self.cut_off = 0
        """Pictures that were cut off by the beginning of another."""

    def feed(self, data: bytes) -> list[bytes]:
        """The pictures that these bytes complete, in order. Raises SourceLost for one that never ends."""
        self._data += data
        pictures = []
        while (picture := self._next()) is not None:
            pictures.append(picture)
        if len(self._data) > MAX_PICTURE:
            raise SourceLost(f"a picture of the stream does not end within {MAX_PICTURE:,} bytes")
        return pictures

    def finish(self) -> list[bytes]:
        """The picture that only waited for what comes after it. No more bytes will come."""
        if self._length is None or self._lengths_are_right is False or len(self._data) < self._length:
            return []
        return [self._cut(self._length)]

    @property
    def begun(self) -> int:
        """How many bytes there are of a picture whose end has not come."""
        return len(self._data) if self._at else 0

    def _next(self) -> bytes | None:
        while self._find_start():
            if self._length is not None and (by_length := self._by_length(self._length)) is not False:
                return by_length
            if not self._in_scan and not self._walk_header():
                if self._at == 0:  # it was not a picture: look for another
                    continue
                return None
            found = _START_OR_END.search(self._data, self._at)
            if found is None:
                self._at = max(self._at, len(self._data) - 1)
                return None
            if found[0][1] == _EOI:
                return self._cut(found.end())
            self._give_up(found.start())
        return None

    def _by_length(self, length: int) -> bytes | Literal[False] | None:
        """The picture of that length; None while it is incomplete; False if the length is wrong."""
        data = self._data
        if self._has_next_part(length):
            return self._distrust()
        self._at = max(self._at, min(len(data), length) - len(_START) - 4)
        if len(data) < length:
            return None
        if data[length - len(_END) : length] == _END or self._lengths_are_right:
            return self._cut(length)
        after = bytes(data[length : length + _ENOUGH_AFTER])
        if _AFTER_PICTURE.match(after):
            self._lengths_are_right = True
            return self._cut(length)
        return self._distrust() if len(after) == _ENOUGH_AFTER else None

    def _has_next_part(self, end: int) -> bool:
        """Whether another picture begins before `end`, after the headers of a part."""
        data, at = self._data, self._data.find(_START, self._at, end)
        while at >= 0:  # a search for all of it would look at each byte
            if _END_OF_HEADERS.search(data, max(self._at, at - len(b"\n\r\n")), at):
                return True
            at = data.find(_START, at + 1, end)
        return False

    def _distrust(self) -> Literal[False]:
        self._lengths_are_right, self._length, self._at = False, None, 2
        return False

    def _cut(self, end: int) -> bytes:
        """Take the picture out of the buffer. Cameras leave its last marker out; nothing reads it without."""
        picture = bytes(memoryview(self._data)[:end])
        self._drop(end)
        return picture if picture.endswith(_END) else picture + _END

    def _find_start(self) -> bool:
        """Make the buffer begin with a picture; False if there is none."""
        if self._at == 0:
            start = self._data.find(_START)
            if start < 0:
                self._drop(max(0, len(self._data) - _HEADERS))
                return False
            said = _LENGTH.search(self._data, max(0, start - _HEADERS), start)
            length = int(said[1]) if said and self._lengths_are_right is not False else 0
            self._drop(start)
            self._length = length if LEAST_PICTURE <= length <= MAX_PICTURE else None
            self._at = 2
        return True

    def _walk_header(self) -> bool:
        """Step over the segments of the header; False while it is incomplete, and where it is invalid."""
        while len(self._data) >= self._at + 4:
            fill, marker = self._data[self._at], self._data[self._at + 1]
            if fill != _FILL or marker in (_SOI, _EOI):  # not a picture, or cut off in its header
                self._give_up(2)
                return False
            if marker == _FILL:
                self._at += 1
                continue
            self._at += 2 + int.from_bytes(self._data[self._at + 2 : self._at + 4], "big")
            if marker == _SOS:
                self._in_scan = True
                return True
        return False

    def _give_up(self, end: int) -> None:
        self.cut_off += 1
        self._drop(end)

    def _drop(self, end: int) -> None:
        del self._data[:end]
        self._at, self._in_scan, self._length = 0, False, None


def is_film_of_jpegs(path: Path) -> bool:
    """Whether a file that begins with a JPEG picture holds several that follow one another.

    A photo may carry further pictures: its preview, a depth map, the other eye's view. So a file with the name of a
    photo is a film only if the second picture has the size of the first. Raises OSError.
    """
    pictures = _first_two(path)
    if len(pictures) < 2 or any(mark in pictures[0] for mark in _CARRIES_OTHERS):
        return False
    return path.suffix.lower() not in IMAGE_SUFFIXES or _size(pictures[0]) == _size(pictures[1])


def _first_two(path: Path) -> list[bytes]:
    stream, pictures, read = JpegStream(), list[bytes](), 0
    with path.open("rb") as file:
        while len(pictures) < 2 and read < _LOOKED_AT and (chunk := file.read(_CHUNK)):
            read += len(chunk)
            try:
                pictures += stream.feed(chunk)
            except SourceLost:  # the first one is too large for a film
                break
    return pictures


def _size(picture: bytes) -> tuple[int, int] | None:
    try:
        return read_header(picture).upright_size
    except UsageError:
        return None
