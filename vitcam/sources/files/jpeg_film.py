"""Tells a photo from a film of JPEG pictures that follow one another in one file (`rpicam-vid --codec mjpeg`)."""

from pathlib import Path

from vitcam.errors import SourceLost, UsageError
from vitcam.pictures.decode import IMAGE_SUFFIXES
from vitcam.pictures.header import read_header
from vitcam.sources.jpeg_stream import MAX_PICTURE, JpegStream

_CHUNK = 1 << 18
_MOST_BYTES = 2 * MAX_PICTURE
# a photo that carries other pictures says so: MPO and Ultra HDR (CIPA DC-007), Google's and Samsung's containers
_CARRIES_OTHERS = (b"MPF\0", b"GContainer", b"Container:Directory", b"hdrgm:Version", b"Samsung_Capture_Info")


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
        while len(pictures) < 2 and read < _MOST_BYTES and (chunk := file.read(_CHUNK)):
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
