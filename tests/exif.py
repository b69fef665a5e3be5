"""Photos as phones write them: with an orientation, and with the time."""

import struct

import cv2
import numpy as np

from vitcam.frames import Image


def exif(orientation: int = 1, taken: str = "", order: str = "<") -> bytes:
    """EXIF data with these two entries, the second in a directory of its own."""
    first = struct.pack(order + "HHHII", 2, 0x0112, 3, 1, 0)[:10] + struct.pack(order + "HH", orientation, 0)
    first += struct.pack(order + "HHIII", 0x8769, 4, 1, 38, 0)
    text = taken.encode() + b"\0"
    second = struct.pack(order + "HHHIII", 1, 0x9003, 2, len(text), 38 + 18, 0)
    return (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(order + "I", 8) + first + second + text


def photo(image: Image, orientation: int = 1, taken: str = "") -> bytes:
    """A JPEG. image: (H, W, 3) uint8, BGR."""
    jpeg = bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 95])[1])
    data = b"Exif\0\0" + exif(orientation, taken)
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(data) + 2) + data + jpeg[2:]


def scene(seed: int, height: int = 480, width: int = 640) -> Image:
    """A picture unlike that of any other seed."""
    rng = np.random.default_rng(seed)
    return np.asarray(
        cv2.resize(rng.integers(0, 255, (6, 8, 3), np.uint8), (width, height), interpolation=cv2.INTER_CUBIC)
    )
