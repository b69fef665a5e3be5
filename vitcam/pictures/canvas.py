"""The building blocks of figures: panels with a title above them, rows of panels, bars, a colour scale.

Every picture is on one `Paper`, and lengths are in px. `vitcam explain` and the figures of docs/ use it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Image
from vitcam.pictures.font import Colour, draw_text, shorten, text_width, wrap
from vitcam.pictures.overlay import draw_weights
from vitcam.rects import Rect

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
_DIMMED = 0.62  # brightness of the grey picture under a map, so that the map's colours stand out


@dataclass(frozen=True, slots=True)
class Paper:
    """The colours of a figure. `ok` and `bad` are for right and wrong answers."""

    ground: Colour = WHITE
    ink: Colour = INK
    pale: Colour = PALE
    track: Colour = TRACK
    accent: Colour = BLUE
    ok: Colour = GREEN
    bad: Colour = RED


PRINT = Paper()


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """A picture with a title above it, and a caption of up to two lines between them."""

    image: Image
    """(h, w, 3) uint8, RGB."""
    title: str
    caption: str = ""


def blank(height: int, width: int, paper: Paper = PRINT) -> Image:
    """An empty picture, (height, width, 3) uint8, RGB."""
    return np.full((height, width, 3), paper.ground, np.uint8)


def stack(images: Sequence[Image], gap: int, paper: Paper = PRINT) -> Image:
    """Put pictures one below the other, at the left edge.

    images   (h, w, 3) uint8, RGB each
    gap      between two of them
    returns  (H, W, 3) uint8, RGB
    """
    height = sum(image.shape[0] for image in images) + gap * (len(images) - 1)
    out, top = blank(height, max(image.shape[1] for image in images), paper), 0
    for image in images:
        out[top : top + image.shape[0], : image.shape[1]] = image
        top += image.shape[0] + gap
    return out


def beside(images: Sequence[Image], gap: int, paper: Paper = PRINT) -> Image:
    """Put pictures one beside the other, at the top edge.

    images   (h, w, 3) uint8, RGB each
    gap      between two of them
    returns  (H, W, 3) uint8, RGB
    """
    return np.ascontiguousarray(stack([image.swapaxes(0, 1) for image in images], gap, paper).swapaxes(0, 1))


def framed(image: Image, margin: int, paper: Paper = PRINT) -> Image:
    """Add an empty margin.

    image    (h, w, 3) uint8, RGB
    margin   on each side
    returns  (h + 2 margin, w + 2 margin, 3) uint8, RGB
    """
    out = blank(image.shape[0] + 2 * margin, image.shape[1] + 2 * margin, paper)
    out[margin:-margin, margin:-margin] = image
    return out


def fitted(image: Image, max_height: int, max_width: int) -> Image:
    """Scale a picture in proportion until it is as high or as wide as allowed.

    image    (h, w, 3) uint8, RGB; the pixels of a small one become sharp squares
    returns  (H, W, 3) uint8, RGB
    """
    scale = min(max_height / image.shape[0], max_width / image.shape[1])
    size = max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale))
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_NEAREST if scale >= 3 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(image, size, interpolation=method), dtype=np.uint8)


def columns_for(count: int, room_height: int, room_width: int, aspect: float, extra: int, gap: int) -> tuple[int, int]:
    """The layout in which tiles are largest.

    aspect   of a tile, width over height
    extra    height that each tile takes in addition, for its title
    returns  columns, and the width of a tile
    """
    best = (1, 0)
    for columns in range(1, count + 1):
        rows = -(-count // columns)
        across = (room_width - gap * (columns - 1)) // columns
        down = ((room_height - gap * (rows - 1)) // rows - extra) * aspect
        best = max(best, (columns, int(min(across, down))), key=lambda found: found[1])
    return best


def panel_row(panels: Sequence[Panel], column: int, gap: int = GUTTER, paper: Paper = PRINT) -> Image:
    """Put panels beside each other, with their pictures at the same height.

    column   width of a panel
    returns  (H, W, 3) uint8, RGB
    """
    captions = [wrap(panel.caption, column, SMALL)[:2] for panel in panels]
    lines = max(map(len, captions))
    images = [_captioned(p, c, lines, column, paper) for p, c in zip(panels, captions, strict=True)]
    return beside(images, gap, paper)


def _captioned(panel: Panel, caption: list[str], lines: int, column: int, paper: Paper) -> Image:
    top = TITLE + 8 + LINE * lines + (6 if lines else 2)
    out = blank(top + panel.image.shape[0], column, paper)
    draw_text(out, shorten(panel.title, column, TITLE, "bold"), (0, TITLE - 3), TITLE, paper.ink, "bold")
    for i, line in enumerate(caption):
        draw_text(out, line, (0, TITLE + 2 + LINE * (i + 1) - 6), SMALL, paper.pale)
    out[top:, : panel.image.shape[1]] = panel.image
    return out


def tiles(images: Sequence[Image], titles: Sequence[str], columns: int, gap: int, paper: Paper = PRINT) -> Image:
    """Put pictures of one size in rows, with a short title above each.

    images   (h, w, 3) uint8, RGB each
    returns  (H, W, 3) uint8, RGB
    """
    named = []
    for image, title in zip(images, titles, strict=True):
        head = blank(LINE, image.shape[1], paper)
        draw_text(head, shorten(title, image.shape[1], SMALL), (0, SMALL - 1), SMALL, paper.pale)
        named.append(stack([head, image], 0, paper))
    rows = [beside(named[i : i + columns], gap, paper) for i in range(0, len(named), columns)]
    return stack(rows, gap, paper)


def heat_over(image: Image, weights: NDArray[np.float32], height: int, width: int, opacity: float) -> Image:
    """Draw a map over the picture that it belongs to, in grey.

    image    (h, w, 3) uint8, RGB: what the model saw
    weights  (gh, gw) float32, >= 0
    returns  (height, width, 3) uint8, RGB
    """
    large = fitted(image, height, width)
    large = np.asarray(cv2.resize(large, (width, height)), np.uint8) if large.shape[:2] != (height, width) else large
    grey = cv2.cvtColor(cv2.cvtColor(large, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
    dimmed = np.asarray(cv2.convertScaleAbs(grey, alpha=_DIMMED), np.uint8)
    return draw_weights(dimmed, Rect(0, 0, width, height), weights, "tint", opacity)


def colour_scale(length: int, low: str, high: str, opacity: float, paper: Paper = PRINT) -> Image:
    """The legend of `heat_over`: its colours over a middle grey, with a word at each end.

    length   of the colours
    returns  (H, W, 3) uint8, RGB
    """
    ramp = np.linspace(0, 1, length, dtype=np.float32)[None]
    bar = heat_over(np.full((16, length, 3), 128, np.uint8), ramp, 16, length, opacity)
    left, right = int(text_width(low, SMALL)) + 12, int(text_width(high, SMALL)) + 2
    out = blank(LINE, left + length + 12 + right, paper)
    draw_text(out, low, (0, SMALL), SMALL, paper.pale)
    out[4:20, left : left + length] = bar
    draw_text(out, high, (left + length + 12, SMALL), SMALL, paper.pale)
    return out


def bars(rows: Sequence[tuple[str, float, Colour]], column: int, pitch: int, paper: Paper = PRINT) -> Image:
    """A bar chart of probabilities.

    rows     label, probability of 0 to 1, colour
    column   width of the chart
    pitch    from one row to the next
    returns  (pitch * rows, column, 3) uint8, RGB
    """
    out = blank(pitch * len(rows), column, paper)
    for i, (label, p, colour) in enumerate(rows):
        percent, top = f"{p:.1%}", i * pitch
        room = column - text_width("100.0%", TITLE) - 12
        draw_text(out, shorten(label, room, TITLE), (0, top + TITLE - 3), TITLE, paper.ink)
        draw_text(out, percent, (column - text_width(percent, TITLE), top + TITLE - 3), TITLE, paper.ink)
        for right, fill in ((column, paper.track), (round(p * column), colour)):
            out[top + TITLE + 6 : top + TITLE + 20, :right] = fill
    return out


def badge(text: str, colour: Colour, good: bool, paper: Paper = PRINT) -> Image:
    """A badge: white text on a coloured pill, after a tick or a cross.

    good     True: a tick; False: a cross
    returns  (H, W, 3) uint8, RGB
    """
    size, height = 26, 52
    out = blank(height, int(text_width(text, size, "bold")) + 92, paper)
    radius = height // 2
    for x in (radius, out.shape[1] - radius - 1):
        cv2.circle(out, (x, radius), radius - 1, colour, -1, cv2.LINE_AA)
    out[1:height, radius : out.shape[1] - radius] = colour
    strokes = ([(24, 27), (32, 35), (46, 18)],) if good else ([(25, 17), (43, 35)], [(43, 17), (25, 35)])
    for stroke in strokes:
        cv2.polylines(out, [np.array(stroke, np.int32)], False, WHITE, 4, cv2.LINE_AA)
    draw_text(out, text, (62, 35), size, WHITE, "bold")
    return out
