"""What printed pictures are made of: panels with a title over them, rows of panels, bars, a colour scale.

Everything here is (H, W, 3) uint8, RGB, on white; lengths are in px. `vitcam explain` and the figures of docs/ use it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Image, Rect
from vitcam.pictures.font import Colour, fit, width, wrap, write
from vitcam.pictures.overlay import draw_weights

INK: Colour = (24, 27, 34)
PALE: Colour = (98, 106, 120)
TRACK: Colour = (230, 233, 238)
BLUE: Colour = (42, 104, 201)
GREEN: Colour = (22, 125, 72)
RED: Colour = (190, 44, 44)
WHITE: Colour = (255, 255, 255)

GUTTER = 32
TITLE = 22
SMALL = 18
LINE = 25
_DIMMED = 0.62  # of the grey picture under a map: colours must not be taken for the picture's own


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """A picture with a title above it, and a caption of up to two lines between them."""

    image: Image
    title: str
    caption: str = ""


def blank(height: int, width: int) -> Image:
    """White paper."""
    return np.full((height, width, 3), 255, np.uint8)


def stack(parts: Sequence[Image], gap: int) -> Image:
    """One below the other, from the left."""
    out = blank(sum(part.shape[0] for part in parts) + gap * (len(parts) - 1), max(part.shape[1] for part in parts))
    top = 0
    for part in parts:
        out[top : top + part.shape[0], : part.shape[1]] = part
        top += part.shape[0] + gap
    return out


def beside(parts: Sequence[Image], gap: int) -> Image:
    """One beside the other, from the top."""
    return np.ascontiguousarray(stack([part.swapaxes(0, 1) for part in parts], gap).swapaxes(0, 1))


def framed(image: Image, margin: int) -> Image:
    """With white on all sides."""
    out = blank(image.shape[0] + 2 * margin, image.shape[1] + 2 * margin)
    out[margin:-margin, margin:-margin] = image
    return out


def fitted(image: Image, room_height: int, room_width: int) -> Image:
    """As large as the room allows, in proportion; small pictures keep their pixels' edges."""
    scale = min(room_height / image.shape[0], room_width / image.shape[1])
    size = max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale))
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_NEAREST if scale >= 3 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(image, size, interpolation=method), dtype=np.uint8)


def columns_for(count: int, room_height: int, room_width: int, aspect: float, extra: int, gap: int) -> tuple[int, int]:
    """How to lay out tiles so that they come out largest.

    aspect   of a tile, width over height
    extra    height that each tile has besides, for its title
    returns  columns, and the width of a tile
    """
    best = (1, 0)
    for columns in range(1, count + 1):
        rows = -(-count // columns)
        across = (room_width - gap * (columns - 1)) // columns
        down = ((room_height - gap * (rows - 1)) // rows - extra) * aspect
        best = max(best, (columns, int(min(across, down))), key=lambda found: found[1])
    return best


def panel_row(panels: Sequence[Panel], column: int, gap: int = GUTTER) -> Image:
    """Panels beside each other, each `column` wide, their pictures beginning at one height."""
    captions = [wrap(panel.caption, column, SMALL)[:2] for panel in panels]
    lines = max(map(len, captions))
    return beside([_captioned(p, c, lines, column) for p, c in zip(panels, captions, strict=True)], gap)


def _captioned(panel: Panel, caption: list[str], lines: int, column: int) -> Image:
    top = TITLE + 8 + LINE * lines + (6 if lines else 2)
    out = blank(top + panel.image.shape[0], column)
    write(out, fit(panel.title, column, TITLE, "bold"), (0, TITLE - 3), TITLE, INK, "bold")
    for i, line in enumerate(caption):
        write(out, line, (0, TITLE + 2 + LINE * (i + 1) - 6), SMALL, PALE)
    out[top:, : panel.image.shape[1]] = panel.image
    return out


def tiles(images: Sequence[Image], titles: Sequence[str], columns: int, gap: int) -> Image:
    """Equal pictures in rows, a short title above each."""
    named = []
    for image, title in zip(images, titles, strict=True):
        head = blank(LINE, image.shape[1])
        write(head, fit(title, image.shape[1], SMALL), (0, SMALL - 1), SMALL, PALE)
        named.append(stack([head, image], 0))
    rows = [beside(named[i : i + columns], gap) for i in range(0, len(named), columns)]
    return stack(rows, gap)


def heat_over(image: Image, weights: NDArray[np.float32], height: int, width: int, opacity: float) -> Image:
    """A map over the grey picture that it is of.

    image    (h, w, 3) what the model saw
    weights  (gh, gw), >= 0
    returns  (height, width, 3)
    """
    large = fitted(image, height, width)
    large = np.asarray(cv2.resize(large, (width, height)), np.uint8) if large.shape[:2] != (height, width) else large
    grey = cv2.cvtColor(cv2.cvtColor(large, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
    dimmed = np.asarray(cv2.convertScaleAbs(grey, alpha=_DIMMED), np.uint8)
    return draw_weights(dimmed, Rect(0, 0, width, height), weights, "tint", opacity)


def colour_scale(length: int, low: str, high: str, opacity: float) -> Image:
    """The colours of `heat_over`, as they come out over a grey of middle brightness, with a word at each end."""
    ramp = np.linspace(0, 1, length, dtype=np.float32)[None]
    bar = heat_over(np.full((16, length, 3), 128, np.uint8), ramp, 16, length, opacity)
    left, right = int(width(low, SMALL)) + 12, int(width(high, SMALL)) + 2
    out = blank(LINE, left + length + 12 + right)
    write(out, low, (0, SMALL), SMALL, PALE)
    out[4:20, left : left + length] = bar
    write(out, high, (left + length + 12, SMALL), SMALL, PALE)
    return out


def bars(rows: Sequence[tuple[str, float, Colour]], column: int, pitch: int) -> Image:
    """Labels with their probabilities, 0 to 1, and a bar below each; `pitch` from one to the next."""
    out = blank(pitch * len(rows), column)
    for i, (label, p, colour) in enumerate(rows):
        percent, top = f"{p:.1%}", i * pitch
        room = column - width("100.0%", TITLE) - 12
        write(out, fit(label, room, TITLE), (0, top + TITLE - 3), TITLE, INK)
        write(out, percent, (column - width(percent, TITLE), top + TITLE - 3), TITLE, INK)
        for right, fill in ((column, TRACK), (round(p * column), colour)):
            out[top + TITLE + 6 : top + TITLE + 20, :right] = fill
    return out


def pill(text: str, colour: Colour, good: bool) -> Image:
    """A word of judgement: white on colour with round ends, after a tick or a cross."""
    size, height = 26, 52
    out = blank(height, int(width(text, size, "bold")) + 92)
    radius = height // 2
    for x in (radius, out.shape[1] - radius - 1):
        cv2.circle(out, (x, radius), radius - 1, colour, -1, cv2.LINE_AA)
    out[1:height, radius : out.shape[1] - radius] = colour
    strokes = ([(24, 27), (32, 35), (46, 18)],) if good else ([(25, 17), (43, 35)], [(43, 17), (25, 35)])
    for stroke in strokes:
        cv2.polylines(out, [np.array(stroke, np.int32)], False, WHITE, 4, cv2.LINE_AA)
    write(out, text, (62, 35), size, WHITE, "bold")
    return out
