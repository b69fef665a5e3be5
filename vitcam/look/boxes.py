"""The square around a thing that the model looks at: with room around it, inside its bounds, and steady."""

import math

from vitcam.pictures.resize import InputSpec
from vitcam.rects import Rect

ROOM = 1.25  # a box is so many times as large as what it is around
_ENLARGED = 2.0  # what is small is enlarged for the model: at most this many times
_MIDDLE = 0.1  # of a box's side: so far from its middle may be what it is around
_GROWS, _SHRINKS = 1.07, 0.93  # how much larger or smaller the box of now must be to take its place


def box_around(thing: Rect, bounds: Rect, least: tuple[int, int], room: float = ROOM) -> Rect:
    """The box of a thing: `room` times as large, of the shape of the model's input, and inside its bounds.

    thing   in px of the picture
    bounds  the view or the zone, in px of the picture
    least   least (height, width) in px
    room    a box is so many times as large as what it is around
    """
    height, width = (max(1, side) for side in least)
    scale = max(room * max(thing.width / width, thing.height / height), 1.0)
    scale = min(scale, bounds.width / width, bounds.height / height)
    wide, high = max(1, math.floor(width * scale + 1e-6)), max(1, math.floor(height * scale + 1e-6))
    wide, high = min(wide, bounds.width), min(high, bounds.height)
    x = thing.x + thing.width // 2 - wide // 2
    y = thing.y + thing.height // 2 - high // 2
    x = max(bounds.x, min(x, bounds.x + bounds.width - wide))
    y = max(bounds.y, min(y, bounds.y + bounds.height - high))
    return Rect(x, y, wide, high)


def steady_box(before: Rect, thing: Rect, bounds: Rect, least: tuple[int, int], room: float = ROOM) -> Rect:
    """The same box, unless the thing has left its middle or has another size, or the bounds are others.

    thing, bounds, least, room  as in `box_around`
    """
    now = box_around(thing, bounds, least, room)
    aside = max(
        abs(2 * now.x + now.width - 2 * before.x - before.width) / (2 * before.width),
        abs(2 * now.y + now.height - 2 * before.y - before.height) / (2 * before.height),
    )
    fits = _SHRINKS <= now.width / before.width <= _GROWS
    return before if fits and aside <= _MIDDLE and _holds(bounds, before) and not _cut(before, thing, bounds) else now


def least_of(spec: InputSpec | None, px_per_px: float = 1.0) -> tuple[int, int]:
    """The least (height, width) of a box in px of the picture: half of the model's input in the camera's own px.

    px_per_px  how many px of the camera one px of the picture stands for
    """
    if spec is None:
        return 1, 1
    px_per_px *= _ENLARGED
    return math.ceil(spec.height / px_per_px), math.ceil(spec.width / px_per_px)


def _holds(bounds: Rect, box: Rect) -> bool:
    return bounds.common(box) == box


def _cut(box: Rect, thing: Rect, bounds: Rect) -> bool:
    """Whether a part of a thing that its bounds hold lies outside the box, though the box is large enough for it."""
    inside = thing.common(bounds)
    if inside is None or inside.width > box.width or inside.height > box.height:
        return False
    return not _holds(box, inside)
