"""Overlays in the zones of a picture, each with the name of its zone and what is seen there."""

from collections.abc import Sequence

import cv2

from vitcam.frames import Image, Prediction, Rect
from vitcam.pictures.font import Colour, draw_text, shorten, text_width
from vitcam.pictures.overlay import STYLES, overlay_weights
from vitcam.pictures.overlay_kinds import OVERLAYS

_LINE: Colour = (255, 255, 255)
_DARK: Colour = (16, 18, 24)
_LEAST_SIZE = 11.0  # px; smaller text cannot be read
_LEAST_ROOM = 24  # px; a narrower zone gets no text


def draw_zones(
    image: Image,
    zones: Sequence[tuple[Rect, Prediction]],
    kind: str,
    *,
    head: int | None = None,
    opacity: float = 0.5,
) -> Image:
    """Show where the model looked in each zone, and what it saw there.

    image    (H, W, 3) uint8, RGB, at the size it is shown at; it stays untouched
    zones    what the model saw of `image`, in its pixels, and its prediction
    kind     a name of `OVERLAYS`; one that draws nothing also draws no names
    head     of kinds that show attention: which head, from 0; None for the mean of all
    opacity  of the hottest spot, 0 to 1
    returns  (H, W, 3) uint8, RGB; `image` itself where there is nothing to draw
    raises   ModelError if there is no such head
    """
    if OVERLAYS[kind].needs is None:
        return image
    out = image.copy()
    for rect, prediction in zones:
        weights = overlay_weights(prediction, kind, head)
        if weights is not None:
            part = out[rect.y : rect.y + rect.height, rect.x : rect.x + rect.width]
            STYLES[OVERLAYS[kind].style](part, weights, opacity)
    for rect, prediction in zones:
        _frame(out, rect, _words(prediction))
    return out


def _words(prediction: Prediction) -> str:
    shown = prediction.told
    found = "unknown" if prediction.blank or prediction.unfamiliar else "not sure"
    return f"{prediction.zone}: {found if shown.label is None else f'{shown.label} {shown.p:.0%}'}"


def _frame(image: Image, rect: Rect, words: str) -> None:
    """A thin line around a zone, and words in its upper left corner."""
    right, bottom = rect.x + rect.width - 1, rect.y + rect.height - 1
    cv2.rectangle(image, (rect.x, rect.y), (right, bottom), _LINE, 1)
    size = max(_LEAST_SIZE, image.shape[1] / 60)
    pad = round(size * 0.35)
    room = rect.width - 2 * pad
    if room < _LEAST_ROOM:
        return
    text = shorten(words, room, size, "bold")
    height = min(round(size * 1.5), rect.height)
    width = min(round(text_width(text, size, "bold")) + 2 * pad, rect.width)
    image[rect.y : rect.y + height, rect.x : rect.x + width] = _DARK
    draw_text(image, text, (rect.x + pad, rect.y + round(size * 1.1)), size, _LINE, "bold")
