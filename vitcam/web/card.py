"""The picture that is shown when there is none: it says why."""

import unicodedata

import cv2
import numpy as np

from vitcam.frames import Image

_BACKGROUND = (24, 27, 34)
_TITLE = (240, 242, 246)
_TEXT = (170, 178, 192)
_ACCENT = (245, 158, 66)
_FONT = cv2.FONT_HERSHEY_SIMPLEX
_NO_ASCII = str.maketrans({"×": "x", "–": "-", "—": "-", "…": "...", "‘": "'", "’": "'", "“": '"', "”": '"', "µ": "u"})


def draw_card(title: str, reason: str, width: int) -> Image:
    """A 16:9 card.

    title    what is the matter, in two or three words
    reason   one sentence; wrapped, and cut with an ellipsis where it would not fit
    width    in px
    returns  (round(width * 9 / 16), width, 3) uint8, RGB
    """
    height = round(width * 9 / 16)
    # OpenCV's strokes are whole pixels wide: twice as large and shrunk they look drawn, not plotted
    large = _draw(title, reason, 2 * height, 2 * width)
    return np.asarray(cv2.resize(large, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _draw(title: str, reason: str, height: int, width: int) -> Image:
    image = np.full((height, width, 3), _BACKGROUND, np.uint8)
    margin = width // 12
    scale = width / 960
    room = width - 2 * margin
    line_height = round(40 * scale)
    lines = wrap(ascii_only(reason[:1].upper() + reason[1:]), room, 0.9 * scale)
    most = max(1, (height // 2 - margin // 2) // line_height)
    if len(lines) > most:
        lines = [*lines[: most - 1], _cut(lines[most - 1], room, 0.9 * scale)]
    _draw_no_picture(image, margin, round(height * 0.2), round(56 * scale))
    baseline = round(height * 0.46)
    _write(image, ascii_only(title), (margin, baseline), 1.5 * scale, _TITLE)
    for i, line in enumerate(lines, start=1):
        _write(image, line, (margin, baseline + round(14 * scale) + i * line_height), 0.9 * scale, _TEXT)
    return image


def ascii_only(text: str) -> str:
    """OpenCV's fonts know ASCII alone: accents go, signs become their nearest, the rest a question mark."""
    plain = unicodedata.normalize("NFKD", text.translate(_NO_ASCII))
    letters = "".join(c for c in plain if not unicodedata.combining(c))
    return " ".join(letters.encode("ascii", "replace").decode().split())


def wrap(text: str, room: int, scale: float) -> list[str]:
    """Break a sentence into lines at most `room` px wide; a word longer than a line is broken too."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if _width(longer, scale) <= room:
            lines[-1] = longer
            continue
        pieces = _break_word(word, room, scale)
        lines = [*(lines if lines[-1] else lines[:-1]), *pieces]
    return lines


def _break_word(word: str, room: int, scale: float) -> list[str]:
    pieces = [""]
    for letter in word:
        if pieces[-1] and _width(pieces[-1] + letter, scale) > room:
            pieces.append("")
        pieces[-1] += letter
    return pieces


def _cut(line: str, room: int, scale: float) -> str:
    while line and _width(line + " ...", scale) > room:
        line = line[:-1]
    return line + " ..."


def _width(text: str, scale: float) -> int:
    return int(cv2.getTextSize(text, _FONT, scale, _weight(scale))[0][0])


def _weight(scale: float) -> int:
    """Width of the strokes, in px."""
    return max(1, round(1.2 * scale))


def _write(image: Image, text: str, at: tuple[int, int], scale: float, colour: tuple[int, int, int]) -> None:
    cv2.putText(image, text, at, _FONT, scale, colour, _weight(scale), cv2.LINE_AA)


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
