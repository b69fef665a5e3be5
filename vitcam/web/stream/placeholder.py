"""The picture that viewers see when there is no frame: it says why."""

from dataclasses import dataclass

import cv2
import numpy as np

from vitcam.frames import Image
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
