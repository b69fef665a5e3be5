"""Sizes of pictures and of parts of them: the model's input, and smaller pictures for people.

How a picture becomes the model's input stands in the model file; training, classify and every source follow it.
"""

import math
import time
from dataclasses import dataclass
from typing import Literal, get_args

import cv2
import numpy as np

from vitcam.errors import ModelError, UsageError
from vitcam.frames import Frame, Image
from vitcam.pictures.view import CROP_WORDS, Region
from vitcam.rects import Rect

ResizeMode = Literal["crop", "squash"]
Interpolation = Literal["area", "linear", "bicubic"]
LUMA = (0.299, 0.587, 0.114)
MOST_GAIN = 4.0
"""More would show little but noise."""


@dataclass(frozen=True, slots=True)
class InputSpec:
    """Size and resize mode of a model's input.

    crop      the central square-like part with the input's aspect ratio, `crop_fraction` of the largest that fits
    squash    the whole picture, its aspect ratio not kept
    brighten  the mean brightness, 0 to 1, that darker pictures are raised to; 0: none is
    raises    ModelError for an invalid size, mode, interpolation, fraction or brightness
    """

    height: int
    width: int
    resize: ResizeMode = "crop"
    crop_fraction: float = 1.0
    interpolation: Interpolation = "area"
    brighten: float = 0.0

    def __post_init__(self) -> None:
        if min(self.height, self.width) < 1 or max(self.height, self.width) > 4096:
            raise ModelError(f"the model's input is {self.width}×{self.height} px; 1 to 4096 px a side are allowed")
        if self.resize not in get_args(ResizeMode):
            raise ModelError(f"the resize mode {self.resize!r} is unknown; allowed: {', '.join(get_args(ResizeMode))}")
        if self.interpolation not in get_args(Interpolation):
            allowed = ", ".join(get_args(Interpolation))
            raise ModelError(f"the interpolation {self.interpolation!r} is unknown; allowed: {allowed}")
        if not 0 < self.crop_fraction <= 1:
            raise ModelError(f"the crop fraction is {self.crop_fraction}; more than 0 and at most 1 is allowed")
        if not 0 <= self.brighten < 1:
            raise ModelError(f"`brighten` is {self.brighten}; 0 and more, but less than 1, is allowed")


def crop_of(spec: InputSpec, height: int, width: int, within: Rect | None = None) -> Rect:
    """The part of a picture of `height` × `width` px that the model sees.

    within  the crop that the user has chosen; None: the whole picture
    """
    area = within or Rect(0, 0, width, height)
    if spec.resize == "squash":
        return area
    scale = min(area.height / spec.height, area.width / spec.width) * spec.crop_fraction
    h, w = max(1, round(spec.height * scale)), max(1, round(spec.width * scale))
    return Rect(area.x + (area.width - w) // 2, area.y + (area.height - h) // 2, w, h)


def enough_for(spec: InputSpec, detail: float = 1.0) -> tuple[int, int]:
    """The size (height, width) at which a picture's crop has `detail` times as many px a side as the model's input."""
    part = spec.crop_fraction if spec.resize == "crop" else 1.0
    return math.ceil(detail * spec.height / part), math.ceil(detail * spec.width / part)


def rect_of(region: Region, height: int, width: int) -> Rect:
    """A region of a picture of `height` × `width` px. Raises UsageError if the picture is too small for it."""
    left, top, right, bottom = region.sides(height, width)
    # with fractions, whose sum may be a little more than 1, it is cut off
    if not region.in_fractions and (right > width or bottom > height):
        raise UsageError(
            f"the crop {region} does not fit the upright picture of {width}×{height} px; give {CROP_WORDS}"
        )
    return Rect.between(left, top, right, bottom, height, width)


def shrunk(image: Image, scale: float, interpolation: int = cv2.INTER_AREA) -> Image:
    """Make a picture smaller.

    image    (H, W, 3) uint8, RGB
    returns  (h, w, 3) uint8, RGB, each side times `scale`; `image` itself from a scale of 1 on
    """
    if scale >= 1:
        return image
    size = (max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale)))
    return np.asarray(cv2.resize(image, size, interpolation=interpolation), dtype=np.uint8)


def to_model_size(image: Image, spec: InputSpec, crop: Rect | None = None) -> Image:
    """Crop and resize a picture to the model's input.

    image    (H, W, 3) uint8, RGB
    crop     the part that the model sees; None: what `crop_of` gives
    returns  (spec.height, spec.width, 3) uint8, RGB; a view of `image` if its size is right already
    """
    crop = crop or crop_of(spec, image.shape[0], image.shape[1])
    part = image[crop.y : crop.y + crop.height, crop.x : crop.x + crop.width]
    if part.shape[:2] == (spec.height, spec.width):
        return part
    if spec.interpolation == "bicubic":
        part = _halved(part, min(part.shape[0] / spec.height, part.shape[1] / spec.width))
    out = cv2.resize(part, (spec.width, spec.height), interpolation=_flag(spec, crop))
    return np.asarray(out, dtype=np.uint8)


def chosen_part(frame: Frame) -> Rect | None:
    """The crop that the frame's source has chosen; None: it has chosen none, so the model's own crop applies."""
    height, width = frame.preview.shape[:2]
    return None if (frame.crop.height, frame.crop.width) == (height, width) else frame.crop


def of_model_size(frame: Frame, spec: InputSpec) -> Image:
    """(spec.height, spec.width, 3) uint8, RGB: what the model sees of a frame, made of all px that there are of it."""
    part = chosen_part(frame)
    if part is None:
        return to_model_size(frame.preview, spec)
    picture = frame.part(part)
    return to_model_size(picture, spec, Rect(0, 0, picture.shape[1], picture.shape[0]))


def brightened(image: Image, spec: InputSpec) -> Image:
    """A dark picture at the mean brightness that the model's input asks for; at night a camera sees no more of it.

    image    (h, w, 3) uint8, RGB, at the model's size
    returns  the same shape: each value times the same gain, at most `MOST_GAIN`; `image` itself if it is bright enough
    """
    if not spec.brighten:
        return image
    mean = sum(weight * level for weight, level in zip(LUMA, cv2.mean(image), strict=False)) / 255
    if mean >= spec.brighten:
        return image
    gain = MOST_GAIN if mean * MOST_GAIN <= spec.brighten else spec.brighten / mean
    return np.asarray(cv2.convertScaleAbs(image, alpha=gain), dtype=np.uint8)


def _halved(part: Image, factor: float) -> Image:
    """A picture that is to shrink by `factor`, averaged until that is below 2: OpenCV's bicubic reads only 4 x 4 px."""
    return shrunk(part, 1 / int(factor)) if factor >= 2 else part


def _flag(spec: InputSpec, crop: Rect) -> int:
    if spec.interpolation == "bicubic":
        return int(cv2.INTER_CUBIC)
    # OpenCV's area makes blocks when it enlarges; its linear does not average when it shrinks
    shrinks = crop.height >= spec.height and crop.width >= spec.width
    return int(cv2.INTER_AREA if spec.interpolation == "area" and shrinks else cv2.INTER_LINEAR)


def frame_of_picture(image: Image, spec: InputSpec, source: str, path: str | None = None) -> Frame:
    """A frame for a picture that comes from no source.

    image  (H, W, 3) uint8, RGB
    """
    height, width = image.shape[:2]
    crop: Rect = crop_of(spec, height, width)
    return Frame(image, None, crop, 0, time.monotonic_ns(), source, path)
