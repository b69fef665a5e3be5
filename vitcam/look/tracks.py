"""The things that are followed, or may be soon: which blob shows which of them, and which three deserve a box."""

import math

import numpy as np
from numpy.typing import NDArray

from vitcam.look.blobs import Blob
from vitcam.look.boxes import box_around, steady_box
from vitcam.look.grid import Grid, Mask, Span
from vitcam.look.track import Bounds, Track
from vitcam.rects import Rect

MOST_BOXES = 3
_MOST_TRACKS = 12
_MOST_AT_ONCE = 5  # so many things never come in one frame
_WEARS, _MENDS, _MOST_WEAR, _WEAR_HALF_LIFE_S = 0.25, 0.5, 6.0, 120.0
_FRESHEST = 30  # percentile of a thing's cells: what comes beside something that swings is new
_GROWS_S, _SHRINKS_S = 0.1, 0.5
_MOVING_CELLS = 3
_BORDER = 1  # cell that is partly covered
_STEP = 2  # cells that a thing may move from one frame to the next in a blob that it shares
_LARGER = 1.25  # than each of two things is the blob that shows both; else they are one thing
_LATELY_S = 1.0
_ON = 0.3  # of its longer side must what moves be from where it was lately
_TRAIL = 1.5  # times what moves in it
_LEFT = 0.3  # of its cells must differ there
_FRUITLESS = 0.5  # of a look that named nothing new: what had two of them yields to what was not there before


class Tracks:
    """Of one view. For one thread.

    grid  of its frames
    """

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._wear: NDArray[np.float32] = np.zeros(grid.shape, np.float32)
        """How often looks at each cell named nothing new, lately."""
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
        differs: Mask,
        moves: Mask,
        least: tuple[int, int],
        now_ns: int,
        elapsed_s: float,
        begin: bool,
        light_changes: bool,
    ) -> None:
        """Give each track the blob that shows it, and make tracks of the others.

        blobs  the largest first, each with the zone or view that it lies in
        least  of a box, as `box_around` takes it
        begin  whether there may be new tracks
        light_changes  whether a part of the scene is in another light, so that what a thing has left differs, too
        """
        self._wear *= np.float32(0.5 ** (elapsed_s / _WEAR_HALF_LIFE_S))
        free, crowded = [*blobs], len(blobs) > _MOST_AT_ONCE
        for track in sorted(self.all, key=lambda each: (each.named_ns is None, each.wear, each.born_ns)):
            shared = self._shared(track, blobs)
            if shared is not None:
                free = [each for each in free if each[0] is not shared]
                span = self._part(track, differs, moves)
            else:
                span = self._taken(track, free, crowded)
            if span is not None:
                moving = self._moving_part(track, span, moves, elapsed_s)
                span = moving if light_changes and moving is not None else span
                self._move(track, span, least, elapsed_s)
                self._note(track, differs, moves, now_ns)
            elif not track.is_confirmed:
                track.hits = 0
        self.all = [track for track in self.all if track.hits and not track.is_gone(now_ns)]
        if begin and len(free) <= _MOST_AT_ONCE:
            for blob, bounds in free[: max(0, _MOST_TRACKS - len(self.all))]:
                self._begin(blob.span, bounds, differs, least, now_ns)

    def fading(self, now_ns: int) -> list[Track]:
        """Take out what has become a part of the scene."""
        faded = [track for track in self.all if track.fades(now_ns)]
        self.all = [track for track in self.all if track not in faded]
        return faded

    def choose(self, count: int) -> int:
        """Follow three: what was not there before goes before what looks could not name.

        count    the last number that was given
        returns  the same after new ones were given
        """

        def rank(track: Track) -> tuple[float, int]:
            worn = (
                0.0
                if track.named_ns is not None
                else track.worn + (0.0 if track.travels else _FRUITLESS * track.fruitless)
            )
            return worn - track.is_followed, track.born_ns

        confirmed = sorted((track for track in self.all if track.is_confirmed), key=rank)
        for place, track in enumerate(confirmed):
            track.is_followed = place < MOST_BOXES
            if track.is_followed and track.number is None:
                count += 1
                track.number = count
        return count

    def let_rest(self, now_ns: int) -> None:
        """Nothing can be said of what moves now."""
        for track in self.all:
            track.is_followed = False
        self.all = [track for track in self.all if not track.is_gone(now_ns)]

    def note_look(self, track: Track, differs: Mask, is_fruitless: bool) -> None:
        """A look at a track named nothing new, or something."""
        own = self._wear[track.span.cells]
        worn = (own + (_WEARS if is_fruitless else -_MENDS)).clip(0, _MOST_WEAR)
        np.copyto(own, worn, where=differs[track.span.cells] > 0)
        self._note_wear(track, differs)

    def _shared(self, track: Track, blobs: list[tuple[Blob, Bounds]]) -> Blob | None:
        """The blob that shows a track together with another one, as of a bird at a feeder."""
        if not track.is_confirmed:
            return None
        blob = max((blob for blob, _ in blobs), key=lambda each: track.span.common(each.span), default=None)
        if blob is None or not track.span.common(blob.span):
            return None
        others = (each for each in self.all if each is not track and each.is_confirmed)
        within = [max(each.size) for each in others if _mostly_in(each.span, blob.span)]
        together = bool(within) and blob.span.longer_side > _LARGER * max(*within, *track.size)
        return blob if together else None

    def _part(self, track: Track, differs: Mask, moves: Mask) -> Span | None:
        """Where a track is in a blob that it shares: where it was, or as far as something moves there."""
        near = track.span.grown(_STEP, self._grid.shape)
        rows, columns = np.nonzero(moves[near.cells])
        down = across = 0
        if len(rows) >= _MOVING_CELLS:
            down = round(float(rows.mean()) + 0.5 - near.height / 2)
            across = round(float(columns.mean()) + 0.5 - near.width / 2)
        span = track.span.moved(max(-_STEP, min(down, _STEP)), max(-_STEP, min(across, _STEP)), self._grid.shape)
        return span if np.count_nonzero(differs[span.cells]) >= _LEFT * span.size else None

    def _taken(self, track: Track, free: list[tuple[Blob, Bounds]], crowded: bool) -> Span | None:
        """The span of the blobs that show a track, which are free no more; None: it is not to be seen.

        crowded  so much differs that the blob of the next frame may be another drop of rain
        """
        far = 0 if crowded and not track.is_confirmed else max(3, track.span.longer_side // 2)
        reach = track.span.grown(far, self._grid.shape)
        near = [each for each in free if each[1].zone == track.bounds.zone and reach.common(each[0].span)]
        if not near:
            return None
        best = max(near, key=lambda each: (track.span.common(each[0].span), each[0].cells))
        span, most = best[0].span, 1.5 * max(*track.size, best[0].span.longer_side) + 4
        free.remove(best)
        for each in near:
            together = span.joined(each[0].span)
            if each is not best and track.span.common(each[0].span) and together.longer_side <= most:
                span = together
                free.remove(each)
        return span

    def _moving_part(self, track: Track, span: Span, moves: Mask, elapsed_s: float) -> Span | None:
        """The part of what differs in which something moves on, where the rest does not move; None: there is none."""
        rows, columns = np.nonzero(moves[span.cells])
        if len(rows) < _MOVING_CELLS:
            return None
        top, left = span.top + int(rows.min()), span.left + int(columns.min())
        moving = Span(top, left, span.top + int(rows.max()) + 1, span.left + int(columns.max()) + 1)
        (down, across), (old_down, old_across) = moving.middle, track.lately_at
        share = min(1.0, elapsed_s / _LATELY_S)
        track.lately_at = old_down + share * (down - old_down), old_across + share * (across - old_across)
        moves_on = math.dist(moving.middle, track.lately_at) > _ON * moving.longer_side
        return moving if track.is_confirmed and moves_on and span.size > _TRAIL * moving.size else None

    def _begin(self, span: Span, bounds: Bounds, differs: Mask, least: tuple[int, int], now_ns: int) -> None:
        size = float(span.height), float(span.width)
        track = Track(
            bounds, span, size, bounds.rect, now_ns, now_ns, now_ns, began_at=span.middle, lately_at=span.middle
        )
        track.box = box_around(self._thing(track), bounds.rect, least)
        self._note_wear(track, differs)
        self.all.append(track)

    def _move(self, track: Track, span: Span, least: tuple[int, int], elapsed_s: float) -> None:
        height, width = track.size
        track.size = _smoothed(height, span.height, elapsed_s), _smoothed(width, span.width, elapsed_s)
        track.largest = max(track.largest[0], track.size[0]), max(track.largest[1], track.size[1])
        track.span = span
        track.farthest = max(track.farthest, math.dist(span.middle, track.began_at))
        track.box = steady_box(track.box, self._thing(track), track.bounds.rect, least, track.room)

    def _note(self, track: Track, differs: Mask, moves: Mask, now_ns: int) -> None:
        track.hits += 1
        track.seen_ns = now_ns
        self._note_wear(track, differs)
        if np.count_nonzero(moves[track.span.cells]) >= _MOVING_CELLS:
            track.moved_ns = now_ns

    def _thing(self, track: Track) -> Rect:
        """Where it is, in px: around the middle of its span, in its smoothed size."""
        high, wide = self._grid.cell
        tall, broad = (max(1.0, side - _BORDER) for side in track.size)
        height, width = max(1, round(tall * high)), max(1, round(broad * wide))
        x, y = self._grid.middle_of(track.span)
        thing = Rect(round(x - width / 2), round(y - height / 2), width, height)
        return thing.common(track.bounds.rect) or thing

    def _note_wear(self, track: Track, differs: Mask) -> None:
        """It is that of its freshest cells; as before while none is to be seen."""
        own = self._wear[track.span.cells][differs[track.span.cells] > 0]
        if own.size:
            track.wear = float(np.percentile(own, _FRESHEST))


def _mostly_in(one: Span, other: Span) -> bool:
    return 2 * one.common(other) > one.size


def _smoothed(before: float, now: float, elapsed_s: float) -> float:
    share = min(1.0, elapsed_s / (_GROWS_S if now > before else _SHRINKS_S))
    return before + share * (now - before)
