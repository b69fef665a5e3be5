"""The picture that is shown when there is none: it says why."""

import cv2
import numpy as np

from vitcam.frames import Image
from vitcam.pictures.font import Colour, fit, wrap, write

_BACKGROUND: Colour = (24, 27, 34)
_TITLE: Colour = (240, 242, 246)
_TEXT: Colour = (170, 178, 192)
_ACCENT: Colour = (245, 158, 66)


def draw_placeholder(title: str, reason: str, width: int) -> Image:
    """A 16:9 card.

    title    what is the matter, in two or three words
    reason   one sentence; wrapped, and cut with an ellipsis where it would not fit
    width    in px
    returns  (round(width * 9 / 16), width, 3) uint8, RGB
    """
    height = round(width * 9 / 16)
    image = np.full((height, width, 3), _BACKGROUND, np.uint8)
    margin, baseline = width // 12, round(height * 0.46)
    room, size = width - 2 * margin, width / 32
    _draw_no_picture(image, margin, round(height * 0.2), max(8, width // 17))
    write(image, fit(title, room, 1.7 * size, "bold"), (margin, baseline), 1.7 * size, _TITLE, "bold")
    sentence = reason[:1].upper() + reason[1:]
    for i, line in enumerate(_lines(sentence, room, size, height - margin - baseline), start=1):
        write(image, line, (margin, baseline + (0.4 + 1.45 * i) * size), size, _TEXT)
    return image


def _lines(sentence: str, room: float, size: float, height: float) -> list[str]:
    """The sentence in lines, no more than have room below each other in `height`."""
    lines = wrap(sentence, room, size)
    most = max(1, int((height / size - 0.4) / 1.45))
    return lines if len(lines) <= most else [*lines[: most - 1], fit(" ".join(lines[most - 1 :]), room, size)]


def _draw_no_picture(image: Image, x: int, y: int, size: int) -> None:
    """A lens with a stroke through it, `size` px wide."""
    weight = max(1, size // 14)
    centre = (x + size // 2, y)
    cv2.circle(image, centre, size // 2, _ACCENT, weight, cv2.LINE_AA)
    cv2.circle(image, centre, size // 5, _ACCENT, weight, cv2.LINE_AA)
    reach = round(size * 0.5)
    ends = ((centre[0] - reach, centre[1] + reach), (centre[0] + reach, centre[1] - reach))
    cv2.line(image, *ends, _BACKGROUND, weight * 4, cv2.LINE_AA)
    cv2.line(image, *ends, _ACCENT, weight, cv2.LINE_AA)
