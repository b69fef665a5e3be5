"""Photos from files, as RGB arrays. Blocks on the disk; cv2 releases the GIL while it decodes."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.errors import VitcamError


class BrokenPhotoError(VitcamError):
    """A file that should be a photo and cannot be read as one."""


def read_photo(path: Path) -> NDArray[np.uint8]:
    """Decode a photo, turned upright as its EXIF says.

    returns  (H, W, 3) uint8, RGB
    raises   BrokenPhotoError if the file is missing or no image that OpenCV can decode
    """
    try:
        data = np.fromfile(path, np.uint8)
    except OSError as error:
        raise BrokenPhotoError(f"{path}: cannot be read: {error.strerror}") from error
    bgr = cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None
    if bgr is None:
        raise BrokenPhotoError(f"{path}: not an image ({data.size:,} bytes); replace or remove the file")
    return cv2.cvtColor(bgr, cv2.COLOR_BGR2RGB)  # type: ignore[return-value]
