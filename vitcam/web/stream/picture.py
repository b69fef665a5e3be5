"""What viewers are sent: a JPEG of a frame, or of a placeholder that says why there is none, and its HTTP headers."""

import time
from dataclasses import dataclass
from urllib.parse import quote

import cv2
import numpy as np

from vitcam.frames import Image, Prediction
from vitcam.pictures.font import Colour, draw_text, shorten, wrap

_BACKGROUND: Colour = (24, 27, 34)
_TITLE: Colour = (240, 242, 246)
_TEXT: Colour = (170, 178, 192)
_ACCENT: Colour = (245, 158, 66)


@dataclass(frozen=True, slots=True)
class Placeholder:
    """What a placeholder says."""

    title: str
    """The state in two or three words."""
    reason: str
    """One sentence; wrapped, and cut with an ellipsis where it does not fit."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """One JPEG, made from a frame or else from a placeholder.

    It holds no frame: a viewer who does not read keeps a picture for half a minute, and a frame is 30 times as large.
    """

    jpeg: bytes
    captured_ns: int = 0
    """Monotonic time of the frame; 0 for a placeholder."""
    prediction: Prediction | None = None
    """Of the frame."""
    placeholder: Placeholder | None = None
    number: int = 0
    """Counts the pictures of a variant, so that no viewer gets one twice."""

    def headers(self) -> dict[str, str]:
        """What programs need to know of the picture, as HTTP headers in ASCII."""
        if not self.captured_ns:
            return {"X-Timestamp": f"{time.time():.6f}"}
        age_s = (time.monotonic_ns() - self.captured_ns) / 1e9
        headers = {"X-Timestamp": f"{time.time() - age_s:.6f}"}
        prediction = self.prediction
        if prediction is None:
            return headers
        headers |= {"X-Vitcam-Seq": str(prediction.seq), "X-Vitcam-Infer-Ms": f"{prediction.ms.infer:.3f}"}
        shown = prediction.shown
        headers |= {"X-Vitcam-P": f"{shown.p:.6f}", "X-Vitcam-Level": shown.level}
        if shown.label is not None:
            headers |= {
                "X-Vitcam-Label": header_text(shown.label),
                "X-Vitcam-Kind": header_text(shown.kind or shown.label),
            }
        if prediction.zone is not None:
            headers["X-Vitcam-Zone"] = header_text(prediction.zone)
        return headers


def header_text(label: str) -> str:
    """A label that is safe in an HTTP header: everything but printable ASCII is percent-encoded UTF-8."""
    return quote(label[:200], safe=" !#$&'()*+,/:;=?@[]{}|^`<>\"")


def draw_placeholder(placeholder: Placeholder, width: int) -> Image:
    """A 16:9 picture with title and reason.

    width    in px
    returns  (round(width * 9 / 16), width, 3) uint8, RGB
    """
    height = round(width * 9 / 16)
    image = np.full((height, width, 3), _BACKGROUND, np.uint8)
    margin, baseline = width // 12, round(height * 0.46)
    line_width, size = width - 2 * margin, width / 32
    _draw_crossed_lens(image, margin, round(height * 0.2), max(8, width // 17))
    title = shorten(placeholder.title, line_width, 1.7 * size, "bold")
    draw_text(image, title, (margin, baseline), 1.7 * size, _TITLE, "bold")
    sentence = placeholder.reason[:1].upper() + placeholder.reason[1:]
    for i, line in enumerate(_lines(sentence, line_width, size, height - margin - baseline), start=1):
        draw_text(image, line, (margin, baseline + (0.4 + 1.45 * i) * size), size, _TEXT)
    return image


def _lines(sentence: str, width: float, size: float, height: float) -> list[str]:
    """The sentence in lines of at most `width`, as many as fit below each other in `height`."""
    lines = wrap(sentence, width, size)
    max_lines = max(1, int((height / size - 0.4) / 1.45))
    if len(lines) <= max_lines:
        return lines
    return [*lines[: max_lines - 1], shorten(" ".join(lines[max_lines - 1 :]), width, size)]


def _draw_crossed_lens(image: Image, x: int, y: int, size: int) -> None:
    """A lens, `size` px wide, with a stroke through it."""
    weight = max(1, size // 14)
    centre = (x + size // 2, y)
    cv2.circle(image, centre, size // 2, _ACCENT, weight, cv2.LINE_AA)
    cv2.circle(image, centre, size // 5, _ACCENT, weight, cv2.LINE_AA)
    reach = round(size * 0.5)
    ends = ((centre[0] - reach, centre[1] + reach), (centre[0] + reach, centre[1] - reach))
    cv2.line(image, *ends, _BACKGROUND, weight * 4, cv2.LINE_AA)
    cv2.line(image, *ends, _ACCENT, weight, cv2.LINE_AA)
