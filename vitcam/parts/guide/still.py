"""`-m vitcam.parts.guide.still URI`: a process that writes what a camera sees to stdout, as JPEG in Base64."""

import base64
import sys
import time

import cv2

from vitcam.errors import VitcamError
from vitcam.frames import Image
from vitcam.pictures.encode import encode_jpeg
from vitcam.sources import open_source
from vitcam.sources.source import SourceOptions

_WIDTH = 480  # px
_QUALITY = 80
_SETTLES_S = 0.8  # a camera's first pictures are too dark or too bright


def main() -> int:
    """Returns the exit status."""
    try:
        picture = _newest(sys.argv[1])
    except (VitcamError, OSError) as error:
        sys.stderr.write(f"{error}".replace("\n", " "))
        return 1
    sys.stdout.write(base64.b64encode(encode_jpeg(_small(picture), _QUALITY)).decode("ascii"))
    return 0


def _newest(uri: str) -> Image:
    """(H, W, 3) uint8, RGB. Raises SourceError if there is none."""
    with open_source(uri, SourceOptions(width=640, height=480)) as source:
        until_s, newest = time.monotonic() + _SETTLES_S, None
        for frame in source:
            newest = frame.preview
            if time.monotonic() >= until_s or not source.live:
                break
        if newest is None:
            raise VitcamError(f"{uri} gives no picture")
        return newest.copy()  # what the camera lends is gone once it is closed


def _small(picture: Image) -> Image:
    """(h, `_WIDTH`, 3) uint8, RGB."""
    height, width = picture.shape[:2]
    small: Image = cv2.resize(picture, (_WIDTH, max(1, round(height * _WIDTH / width))), interpolation=cv2.INTER_AREA)
    return small


if __name__ == "__main__":
    sys.exit(main())
