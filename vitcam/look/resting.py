"""Whether a camera's view rests, since nothing moves in it: then only a small picture is made of most of its pictures.

Two threads call it. The one that classifies says that the view rests, and what is known of it. The one that takes
pictures from their source asks what to do with the next one, and compares small pictures.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from vitcam.frames import Frame, Image
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import Areas, mask_rect
from vitcam.look.motion import MotionDetector, MotionGate, blocks_in
from vitcam.rects import Rect

_COMPARE_NS = 100_000_000
_WHOLE_NS = 500_000_000  # a picture in all its px so often, for clips and for who looks whether the camera is frozen
_WATCHED_NS = 250_000_000  # and so often for a viewer, who sees the same picture until something moves
_LEARN = 4  # small pictures before one may say that something moves; every other picture is whole until then


@dataclass(frozen=True, slots=True)
class Spot:
    """A part of the view that the model sees, in which nothing moves."""

    zone: str | None
    rect: Rect
    """In px of the upright picture."""
    gate: MotionGate
    """Knows how much of its noise is usual."""


@dataclass(frozen=True, slots=True, eq=False)
class _Rest:
    """One time of rest, from its first frame on."""

    since_ns: int
    size: tuple[int, int]
    """Height and width of the upright picture, in px."""
    spots: tuple[Spot, ...]
    areas: Areas
    detectors: tuple[MotionDetector, ...]


class Resting:
    """Of one camera.

    areas  the masks in force: what they hide moves nothing
    """

    def __init__(self, areas: ActiveAreas) -> None:
        self._areas = areas
        self._rest: _Rest | None = None
        self._seen: _Rest | None = None
        """The rest that small pictures were compared in last."""
        self._compared = self._asked = 0
        self._was_whole = False
        self._compare_ns = self._whole_ns = 0
        self._asks_for_small = False
        self.woken_ns: Mapping[str | None, int] = MappingProxyType({})
        """Capture time of the last picture in which a comparison saw something move, by zone."""

    @property
    def since_ns(self) -> int | None:
        """Capture time of the first frame of this rest; None: the view does not rest. Any thread may ask."""
        rest = self._rest
        return None if rest is None else rest.since_ns

    def rest(self, frame: Frame, spots: Sequence[Spot], areas: Areas) -> None:
        """Nothing moves in a frame, and no event may begin. In the classifying thread."""
        size, rest = frame.preview.shape[:2], self._rest
        if rest is not None and (rest.size, rest.areas) == (size, areas) and _places(rest.spots) == _places(spots):
            return
        since_ns = frame.captured_ns if rest is None else rest.since_ns
        detectors = tuple(MotionDetector(spot.gate.threshold, spot.gate.noise) for spot in spots)
        self._rest = _Rest(since_ns, (size[0], size[1]), tuple(spots), areas, detectors)

    def wake(self) -> None:
        """Something moves, or something else is wrong with the rest. Any thread may say so."""
        self._rest = None

    def wants(self, now_ns: int, is_watched: bool) -> bool:
        """Whether the next picture is wanted, if only to be compared. In the source's thread.

        is_watched  whether somebody looks at the camera's picture
        """
        self._asks_for_small, rest = False, self._rest
        if rest is None:
            return True
        if rest is not self._seen:
            self._seen, self._compared, self._asked = rest, 0, 0
        if now_ns - self._whole_ns >= (_WATCHED_NS if is_watched else _WHOLE_NS):
            self._whole_ns = now_ns
            return True
        self._asked += 1
        if self._compared < _LEARN and self._asked <= 3 * _LEARN:  # a source that makes no small pictures stays at none
            self._asks_for_small = self._was_whole
            self._was_whole = not self._was_whole
            return True
        if now_ns < self._compare_ns:
            return False
        self._compare_ns = max(self._compare_ns, now_ns - _COMPARE_NS) + _COMPARE_NS
        self._asks_for_small = True
        return True

    @property
    def compares(self) -> bool:
        """Whether a small picture is enough of the one that `wants` was asked for last. In the source's thread."""
        return self._asks_for_small

    def moves(self, picture: Image, captured_ns: int) -> bool:
        """Whether something moves in a picture, so that it is wanted in all its px. In the source's thread.

        picture  (h, w, 3) uint8, RGB: the whole upright picture, perhaps reduced
        """
        rest = self._rest
        if rest is None or rest is not self._seen or rest.areas is not self._areas.areas:
            return True
        picture = _without_masks(picture, rest)
        blocks = [blocks_in(picture[_scaled(spot.rect, rest.size, picture).px]) for spot in rest.spots]
        self._compared += 1
        if self._compared == 1:
            for detector, each in zip(rest.detectors, blocks, strict=True):
                detector.begin(each, captured_ns)
            return False
        moved = [detector.differs(each, captured_ns) for detector, each in zip(rest.detectors, blocks, strict=True)]
        if not any(moved) or self._compared <= _LEARN:
            return False
        woken = {spot.zone: captured_ns for spot, moves in zip(rest.spots, moved, strict=True) if moves}
        self.woken_ns = MappingProxyType({**self.woken_ns, **woken})
        self.wake()
        return True


def _places(spots: Sequence[Spot]) -> list[tuple[str | None, Rect]]:
    return [(spot.zone, spot.rect) for spot in spots]


def _without_masks(picture: Image, rest: _Rest) -> Image:
    if not rest.areas.masks:
        return picture
    picture = picture.copy()
    for mask in rest.areas.masks:
        picture[_scaled(mask_rect(mask, *rest.size), rest.size, picture).px] = 0
    return picture


def _scaled(rect: Rect, size: tuple[int, int], picture: Image) -> Rect:
    """Every px of a reduced picture that a part of the whole one touches.

    size  height and width of the whole picture, in px
    """
    height, width = picture.shape[:2]
    down, across = height / size[0], width / size[1]
    left, top = int(rect.x * across), int(rect.y * down)
    right, bottom = int(np.ceil((rect.x + rect.width) * across)), int(np.ceil((rect.y + rect.height) * down))
    return Rect.between(left, top, right, bottom, height, width)
