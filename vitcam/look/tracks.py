"""The things that are followed, or may be soon: which blob shows which of them, and which three deserve a box."""

import math

import numpy as np

from vitcam.look.boxes import box_around, steady_box
from vitcam.look.scene import Blob, Mask
from vitcam.look.track import Bounds, Track
from vitcam.rects import Rect

MOST_BOXES = 3
_MOST_TRACKS = 24
_MOST_AT_ONCE = 5  # so many things never come in one frame
_GROWS_S, _SHRINKS_S = 0.1, 0.5
_MOVING_PX = 9
_LARGE_PX, _WHOLE = 100, 0.5  # of what is no drop of rain: px, and the part of its rectangle
_REACH = 0.5  # of its longer side may a thing be from where it is expected
_FASTEST = 560.0  # px/s of what was seen only once: more than two widths of the view
_LIKE = 3.0  # times the area at most is the same thing elsewhere
_LEADS_S, _LEADS = 0.15, 0.05  # how far a box is ahead of its thing: so long, and at most so much of the thing's side
_NEWEST = 0.6  # weight of the newest movement in the speed


class Tracks:
    """Of one view. For one thread.

    scale  px of the frame for each px of the small picture, across and down
    """

    def __init__(self, scale: tuple[float, float]) -> None:
        self._scale = scale
        self.all: list[Track] = []

    @property
    def followed(self) -> list[Track]:
        """In the order of their numbers."""
        return sorted((track for track in self.all if track.is_followed), key=lambda each: each.number or 0)

    def numbered(self, number: int | None) -> Track | None:
        """The track with this number; None: there is none any more."""
        return next((track for track in self.all if track.number == number), None)

    def match(
        self,
        blobs: list[tuple[Blob, Bounds]],
        moves: Mask,
        least: tuple[int, int],
        now_ns: int,
        elapsed_s: float,
        begin: bool,
    ) -> None:
        """Give each track the blob that shows it, and make tracks of the others.

        blobs  the largest first, each with the zone or view that it lies in
        least  of a box, as `box_around` takes it
        begin  whether there may be new tracks
        """
        free = [*blobs]
        for track in sorted(self.all, key=lambda each: (not each.is_confirmed, *each.rank)):
            rect = self._taken(track, free, elapsed_s)
            if rect is not None:
                self._move(track, rect, least, elapsed_s)
                track.hits += 1
                track.seen_ns = now_ns
                if np.count_nonzero(moves[rect.px]) >= _MOVING_PX:
                    track.moved_ns = now_ns
        self.all = [track for track in self.all if not track.is_gone(now_ns)]
        if begin and len(free) <= _MOST_AT_ONCE:
            for blob, bounds in free[: max(0, _MOST_TRACKS - len(self.all))]:
                self._begin(blob, bounds, least, now_ns)

    def fading(self, now_ns: int) -> list[Track]:
        """Those that become a part of the scene from now on."""
        found = [track for track in self.all if not track.has_faded and track.fades(now_ns)]
        for track in found:
            track.has_faded, track.is_followed = True, False
        return found

    def choose(self, count: int, now_ns: int) -> int:
        """Follow three: what was not there before goes before what looks could not name.

        count    the last number that was given
        returns  the same after new ones were given
        """
        there = [track for track in self.all if track.is_there(now_ns) and not track.has_faded]
        chosen = sorted(there, key=lambda each: each.rank)[:MOST_BOXES]
        for track in self.all:
            track.is_followed = track in chosen
            if track.is_followed and track.number is None:
                count += 1
                track.number = count
        return count

    def let_rest(self, now_ns: int) -> None:
        """Nothing can be said of what moves now."""
        for track in self.all:
            track.is_followed = False
        self.all = [track for track in self.all if not track.is_gone(now_ns)]

    def _taken(self, track: Track, free: list[tuple[Blob, Bounds]], elapsed_s: float) -> Rect | None:
        """Where the blob is that shows a track, which is free no more; None: it is not to be seen."""
        right, down = (each * elapsed_s for each in track.speed)
        expected = Rect(track.rect.x + round(right), track.rect.y + round(down), track.rect.width, track.rect.height)
        reach = _REACH * max(track.size)
        if track.hits == 1:
            reach = max(reach, _FASTEST * elapsed_s * track.is_solid)

        def fits(blob: Blob, bounds: Bounds) -> bool:
            if bounds.zone != track.bounds.zone or _gap(expected, blob.rect) > reach:
                return False
            is_like = 1 / _LIKE <= blob.rect.area / max(1, track.rect.area) <= _LIKE
            return is_like or blob.rect.overlaps(track.rect)

        near = [each for each in free if fits(*each)]
        if not near:
            return None
        best = max(near, key=lambda each: (expected.common_area(each[0].rect), -_gap(expected, each[0].rect)))
        free.remove(best)
        return best[0].rect

    def _begin(self, blob: Blob, bounds: Bounds, least: tuple[int, int], now_ns: int) -> None:
        rect = blob.rect
        size, at = (float(rect.width), float(rect.height)), _middle(rect)
        track = Track(bounds, rect, now_ns, size, at, now_ns, now_ns, bounds.rect)
        track.is_solid = blob.px >= max(_LARGE_PX, _WHOLE * rect.area)
        track.box = box_around(self._thing(track), bounds.rect, least)
        self.all.append(track)

    def _move(self, track: Track, rect: Rect, least: tuple[int, int], elapsed_s: float) -> None:
        before, now = _middle(track.rect), _middle(rect)
        if elapsed_s > 0:
            share = _NEWEST if track.hits > 1 else 1.0
            moved = [(new - old) / elapsed_s for old, new in zip(before, now, strict=True)]
            across, down = (was + share * (new - was) for was, new in zip(track.speed, moved, strict=True))
            track.speed = across, down
        width, height = track.size
        track.size = _smoothed(width, rect.width, elapsed_s), _smoothed(height, rect.height, elapsed_s)
        track.rect, track.largest = rect, max(track.largest, *track.size)
        track.farthest = max(track.farthest, math.dist(now, track.began_at))
        track.box = steady_box(track.box, self._thing(track), track.bounds.rect, least, track.room)

    def _thing(self, track: Track) -> Rect:
        """Where it is soon, in px of the frame: ahead of the middle of its place, in its smoothed size."""
        sides = []
        for scale, at, side, speed in zip(self._scale, _middle(track.rect), track.size, track.speed, strict=True):
            ahead = max(-_LEADS * side, min(_LEADS_S * speed, _LEADS * side))
            sides.append((round((at + ahead - side / 2) * scale), max(1, round(side * scale))))
        (x, width), (y, height) = sides
        thing = Rect(x, y, width, height)
        return thing.common(track.bounds.rect) or thing


def _middle(rect: Rect) -> tuple[float, float]:
    return rect.x + rect.width / 2, rect.y + rect.height / 2


def _gap(one: Rect, other: Rect) -> float:
    """px between two; 0 where they overlap."""
    across = max(one.x, other.x) - min(one.x + one.width, other.x + other.width)
    down = max(one.y, other.y) - min(one.y + one.height, other.y + other.height)
    return max(0.0, across, down)


def _smoothed(before: float, now: float, elapsed_s: float) -> float:
    share = min(1.0, elapsed_s / (_GROWS_S if now > before else _SHRINKS_S))
    return before + share * (now - before)
