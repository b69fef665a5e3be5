"""What the places of a view show at rest: a picture of the scene with nothing new in it, and the names seen there."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from vitcam.frames import Image, Prediction
from vitcam.rects import Rect

_EVERY_NS = 2_000_000_000
_MOST_PLACES = 64
_SAME_PLACE = 0.5  # of the smaller of two boxes lies in the other
_FRESH_NS = 900_000_000_000  # the light of an hour ago shows other names
_POSSIBLE, _POSSIBLE_GROUP = 0.2, 0.35  # what nearly had a name at rest may have it in the next look

Names = frozenset[str | None]
"""What is displayed; None: nothing is."""


def names_at_rest(prediction: Prediction) -> Names:
    """What may be displayed of a place that shows this."""
    names: set[str | None] = {prediction.shown.label}
    if prediction.known:
        names |= {guess.label for guess in prediction.top if guess.p >= _POSSIBLE}
        names |= {group.name for group in prediction.groups if group.p >= _POSSIBLE_GROUP}
    return frozenset(names)


class ScenePicture:
    """The newest picture of every place at which nothing new was. For one thread."""

    def __init__(self) -> None:
        self._picture: Image | None = None
        self._unknown: tuple[Rect, ...] = ()
        """What was not seen without something new in it."""
        self._at_ns: int | None = None

    def take(self, picture: Image, now_ns: int, new: Iterable[Rect]) -> None:
        """Copy what shows nothing new, every two seconds.

        picture  (H, W, 3) uint8, RGB, of the same size each time
        new      where something new is, in px
        """
        if self._at_ns is not None and 0 <= now_ns - self._at_ns < _EVERY_NS:
            return
        self._at_ns = now_ns
        new = tuple(new)
        if self._picture is None:
            self._picture, self._unknown = picture.copy(), new
            return
        kept = [(self._picture[rect.px].copy(), rect) for rect in new]
        np.copyto(self._picture, picture)
        for part, rect in kept:
            self._picture[rect.px] = part
        self._unknown = tuple(rect for rect in self._unknown if any(map(rect.overlaps, new)))

    def knows(self, rect: Rect) -> bool:
        """Whether a place was seen without anything new."""
        return self._picture is not None and not any(map(rect.overlaps, self._unknown))

    def part(self, rect: Rect) -> Image | None:
        """(h, w, 3) uint8, RGB: a copy of a place without anything new; None if it was never seen so."""
        return self._picture[rect.px].copy() if self._picture is not None and self.knows(rect) else None


@dataclass(frozen=True, slots=True)
class _Known:
    box: Rect
    names: Names
    at_ns: int


class RestNames:
    """The names that places have at rest. For one thread."""

    def __init__(self) -> None:
        self._known: deque[_Known] = deque(maxlen=_MOST_PLACES)

    def learn(self, box: Rect, names: Names, now_ns: int) -> None:
        """A box shows these at rest."""
        self._known.append(_Known(box, names, now_ns))

    def of(self, box: Rect, now_ns: int) -> Names | None:
        """What a box shows at rest; None: nobody has looked."""
        found = [
            known.names
            for known in self._known
            if known.box.common_area(box) >= _SAME_PLACE * min(known.box.area, box.area)
            and 0 <= now_ns - known.at_ns < _FRESH_NS
        ]
        return frozenset().union(*found) if found else None

    def forget(self, box: Rect) -> None:
        """A box shows something else from now on."""
        self._known = deque((known for known in self._known if not known.box.overlaps(box)), _MOST_PLACES)
