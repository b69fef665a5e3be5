"""One frame as one JPEG: resize, draw, encode, and the headers that go with it."""

import time
from dataclasses import dataclass
from urllib.parse import quote

import cv2
import numpy as np

from vitcam.errors import VitcamError
from vitcam.frames import ClassifiedFrame, Image, Rect
from vitcam.pictures.overlay import draw_overlay, overlay_weights
from vitcam.pictures.overlay_kinds import OVERLAYS
from vitcam.web.stream.variant import Variant


@dataclass(frozen=True, slots=True)
class Card:
    """What is shown instead of a picture."""

    title: str
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """What the viewers of one variant are sent: a frame, or else a card."""

    jpeg: bytes
    shown: ClassifiedFrame | None = None
    card: Card | None = None
    number: int = 0
    """Counts the pictures of a variant, so that no viewer gets one twice."""

    @property
    def captured_ns(self) -> int:
        """Monotonic time of the frame; 0 for the card."""
        return self.shown.frame.captured_ns if self.shown is not None else 0

    def headers(self) -> dict[str, str]:
        """What a machine wants to know of it, as HTTP headers in ASCII."""
        if self.shown is None:
            return {"X-Timestamp": f"{time.time():.6f}"}
        age_s = (time.monotonic_ns() - self.captured_ns) / 1e9
        headers = {"X-Timestamp": f"{time.time() - age_s:.6f}"}
        prediction = self.shown.prediction
        if prediction is None:
            return headers
        headers |= {"X-Vitcam-Seq": str(prediction.seq), "X-Vitcam-Infer-Ms": f"{prediction.ms.infer:.3f}"}
        if prediction.top:
            headers["X-Vitcam-Label"] = header_text(prediction.top[0].label)
            headers["X-Vitcam-P"] = f"{prediction.top[0].p:.6f}"
        return headers


def header_text(label: str) -> str:
    """A label that can do no harm in a header: what is not printable ASCII is percent-encoded UTF-8."""
    return quote(label[:200], safe=" !#$&'()*+,/:;=?@[]{}|^`<>\"")


def draw(shown: ClassifiedFrame, variant: Variant) -> Image:
    """The frame at the size it will be shown, with its overlay. Resized first: drawing costs by the pixel.

    returns  (h, w, 3) uint8, RGB, w at most `variant.width`
    """
    preview = shown.frame.preview
    scale = min(1.0, variant.width / preview.shape[1])
    image = resize(preview, scale)
    crop = scale_rect(shown.frame.crop, scale, image)
    return draw_overlay(image, crop, shown.prediction, variant.overlay, head=variant.head, opacity=variant.opacity)


def has_weights(shown: ClassifiedFrame, variant: Variant) -> bool:
    """Whether it can be drawn as asked: what costs extra is only computed once somebody looks."""
    needs = OVERLAYS[variant.overlay].needs
    if needs is None or not needs.costs_extra:
        return True
    return shown.prediction is not None and overlay_weights(shown.prediction, variant.overlay) is not None


def resize(image: Image, scale: float) -> Image:
    """Shrink a picture; itself where there is nothing to do."""
    if scale >= 1:
        return image
    size = (max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale)))
    # area looks best, but only from 1/2 on does it differ visibly from linear, which costs a fifth
    method = cv2.INTER_AREA if scale <= 0.5 else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(image, size, interpolation=method), dtype=np.uint8)


def scale_rect(rect: Rect, scale: float, image: Image) -> Rect:
    """Where `rect` lies after its picture was scaled to `image`; inside it, and never empty."""
    height, width = image.shape[:2]
    left, right = round(rect.x * scale), round((rect.x + rect.width) * scale)
    top, bottom = round(rect.y * scale), round((rect.y + rect.height) * scale)
    left, top = min(left, width - 1), min(top, height - 1)
    return Rect(left, top, max(1, min(right, width) - left), max(1, min(bottom, height) - top))


def encode(image: Image, quality: int) -> bytes:
    """(h, w, 3) uint8, RGB, as JPEG."""
    done, data = cv2.imencode(".jpg", cv2.cvtColor(image, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not done:
        raise VitcamError(f"a picture of {image.shape[1]}×{image.shape[0]} px could not be encoded as JPEG")
    return bytes(data)
