"""Overlays in the zones of a picture and in what is followed there, with the name of each and what is seen there."""

from collections.abc import Sequence

import cv2

from vitcam.frames import Image, Prediction
from vitcam.pictures.font import Colour, draw_text, shorten, text_width
from vitcam.pictures.overlay import STYLES, overlay_weights
from vitcam.pictures.overlay_kinds import OVERLAYS
from vitcam.rects import Rect

Look = tuple[Rect, Prediction]
"""What the model saw of a picture, in its px, and what it said."""

_LINE: Colour = (255, 255, 255)
_DARK: Colour = (16, 18, 24)
_LEAST_SIZE = 11.0  # px; smaller text cannot be read
_LEAST_ROOM = 24  # px; a narrower zone gets no text


def draw_zones(
    image: Image, looks: Sequence[Look], kind: str, *, head: int | None = None, opacity: float = 0.5
) -> Image:
    """Show where the model looked in each place, and what it saw there.

    image    (H, W, 3) uint8, RGB, at the size it is shown at; it stays untouched
    looks    at most one for each zone, and for each thing that is followed
    kind     a name of `OVERLAYS`; one that draws nothing also draws no names
    head     of kinds that show attention: which head, from 0; None for the mean of all
    opacity  of the hottest spot, 0 to 1
    returns  (H, W, 3) uint8, RGB; `image` itself where there is nothing to draw
    raises   ModelError if there is no such head
    """
    if OVERLAYS[kind].needs is None:
        return image
    out = image.copy()
    for rect, prediction in _weighed(looks):
        weights = overlay_weights(prediction, kind, head)
        if weights is not None:
            part = _part(out, rect)
            part[:] = _part(image, rect)  # where a box lies over its zone
            STYLES[OVERLAYS[kind].style](part, weights, opacity)
    for rect, prediction in looks:
        if prediction.track is not None:
            _frame_box(out, rect, prediction)
        elif prediction.zone is not None:
            _frame_zone(out, rect, f"{prediction.zone}: {_found(prediction)}")
    return out


def _weighed(looks: Sequence[Look]) -> list[Look]:
    """Those whose weights are drawn, in this order: a zone gives way to what is followed in it and has a name."""
    followed = [look for look in looks if look[1].track is not None]
    named = {each.zone for _, each in followed if each.shown.label is not None and not each.at_rest}
    return [look for look in looks if look[1].track is None and look[1].zone not in named] + followed


def _part(image: Image, rect: Rect) -> Image:
    return image[rect.y : rect.y + rect.height, rect.x : rect.x + rect.width]


def _found(prediction: Prediction) -> str:
    shown = prediction.shown
    if shown.label is not None:
        return f"{shown.kind} {shown.p:.0%}"
    return "unknown" if prediction.blank or prediction.unfamiliar else "not sure"


def _frame_zone(image: Image, rect: Rect, words: str) -> None:
    """A thin line around a zone, and words in its upper left corner."""
    _outline(image, rect, _LINE, 1)
    size = _text_size(image)
    pad = round(size * 0.35)
    room = rect.width - 2 * pad
    if room < _LEAST_ROOM:
        return
    text = shorten(words, room, size, "bold")
    height = min(round(size * 1.5), rect.height)
    width = min(round(text_width(text, size, "bold")) + 2 * pad, rect.width)
    _draw_plate(image, text, Rect(rect.x, rect.y, width, height))


def _frame_box(image: Image, rect: Rect, prediction: Prediction) -> None:
    """A thin line around what is followed, and its name above or below it, since a box is often narrower than that."""
    _outline(image, rect, _DARK, 3)
    _outline(image, rect, _LINE, 1)
    if prediction.shown.label is None:
        return
    size = _text_size(image)
    pad = round(size * 0.35)
    text = shorten(_found(prediction), image.shape[1] - 2 * pad, size, "bold")
    width = min(round(text_width(text, size, "bold")) + 2 * pad, image.shape[1])
    height = min(round(size * 1.5), image.shape[0])
    above, below = rect.y - height - 1, rect.y + rect.height + 1
    top = above if above >= 0 else below if below + height <= image.shape[0] else rect.y
    _draw_plate(image, text, Rect(min(rect.x, image.shape[1] - width), top, width, height))


def _outline(image: Image, rect: Rect, colour: Colour, weight: int) -> None:
    cv2.rectangle(image, (rect.x, rect.y), (rect.x + rect.width - 1, rect.y + rect.height - 1), colour, weight)


def _text_size(image: Image) -> float:
    return float(max(_LEAST_SIZE, image.shape[1] / 60))


def _draw_plate(image: Image, text: str, plate: Rect) -> None:
    size = _text_size(image)
    _part(image, plate)[:] = _DARK
    draw_text(image, text, (plate.x + round(size * 0.35), plate.y + round(size * 1.1)), size, _LINE, "bold")
