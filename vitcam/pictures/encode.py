"""A picture's pixels become the bytes of a file. Every JPEG and PNG that vitcam writes is made here."""

import cv2

from vitcam.errors import UsageError, VitcamError
from vitcam.frames import Image


def encode_jpeg(image: Image, quality: int) -> bytes:
    """Encode a picture as JPEG.

    image    (H, W, 3) uint8, RGB
    quality  0 to 100
    raises   VitcamError if it cannot be encoded
    """
    return _encode(image, ".jpg", [cv2.IMWRITE_JPEG_QUALITY, quality])


def encode_png(image: Image) -> bytes:
    """Encode a picture as PNG.

    image   (H, W, 3) uint8, RGB
    raises  VitcamError if it cannot be encoded
    """
    return _encode(image, ".png")


def encode_by_ending(image: Image, name: str) -> bytes:
    """Encode a picture in the format that a file's name ends in, with OpenCV's own quality.

    image   (H, W, 3) uint8, RGB
    name    of the file, such as `photo.webp`
    raises  UsageError for an ending that means no format; VitcamError if it cannot be encoded
    """
    _, dot, ending = name.rpartition(".")
    try:
        return _encode(image, dot + ending)
    except cv2.error as error:
        raise UsageError(f"{name} has no ending that says an image format; try .png or .jpg") from error


def _encode(image: Image, ending: str, options: list[int] | None = None) -> bytes:
    done, data = cv2.imencode(ending, cv2.cvtColor(image, cv2.COLOR_RGB2BGR), options or [])
    if not done:
        kind = {".jpg": "JPEG"}.get(ending, ending[1:].upper())
        raise VitcamError(f"a picture of {image.shape[1]}×{image.shape[0]} px could not be encoded as {kind}")
    return bytes(data)
