"""Cuts a stream of bytes into whole JPEG pictures. Between them may be nothing, or the headers of multipart parts."""

import re

from vitcam.errors import SourceLost

MAX_PICTURE = 16 << 20  # bytes; a JPEG of 100 megapixels is smaller, and an endless one must not fill the memory

_START = b"\xff\xd8\xff"
_START_OR_END = re.compile(rb"\xff[\xd8\xd9]")
_SOI, _EOI, _SOS, _FILL = 0xD8, 0xD9, 0xDA, 0xFF


class JpegStream:
    """Walks the segments of a picture up to its scan (ITU-T T.81, B.1), since an EXIF thumbnail has an end of its own.

    Boundaries and lengths of multipart are ignored: servers get them wrong, and a picture has a marker at its end.
    """

    def __init__(self) -> None:
        self._data = bytearray()
        self._at = 0  # everything before was looked at
        self._in_scan = False
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

    def _next(self) -> bytes | None:
        while self._find_start():
            if not self._in_scan and not self._walk_header():
                if self._at == 0:  # it was not a picture: look for another
                    continue
                return None
            found = _START_OR_END.search(self._data, self._at)
            if found is None:
                self._at = max(self._at, len(self._data) - 1)
                return None
            if found[0][1] == _EOI:
                picture = bytes(memoryview(self._data)[: found.end()])
                self._drop(found.end())
                return picture
            self._give_up(found.start())
        return None

    def _find_start(self) -> bool:
        """Make the buffer begin with a picture; False if there is none."""
        if self._at == 0:
            start = self._data.find(_START)
            if start < 0:
                self._drop(max(0, len(self._data) - len(_START) + 1))
                return False
            self._drop(start)
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
        self._at, self._in_scan = 0, False
