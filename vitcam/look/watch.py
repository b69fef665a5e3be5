"""Watches one view: from its first frame until the camera, its masks, its zones or its crop are others."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vitcam.frames import Detail, Frame, Image, Place, Prediction
from vitcam.look.blobs import Blob, blobs_of
from vitcam.look.boxes import least_of
from vitcam.look.grid import Cells, Grid, Mask
from vitcam.look.rest import RestNames, ScenePicture, names_at_rest
from vitcam.look.scene import Scene
from vitcam.look.track import Bounds, Track
from vitcam.look.tracks import Tracks
from vitcam.pictures.resize import InputSpec
from vitcam.rects import Rect

_FLOOD = 0.35  # more of the view than a thing fills
_FLOOD_NS = 1_000_000_000  # for this time after it nothing new is followed
_ANEW_NS = 2_500_000_000  # a change of the whole view that lasts longer is another view
_THIN = 0.12  # of its span must a thing fill
_HUGE = 0.25  # what fills more of its bounds is seen in the whole view
_LONGEST_S = 10.0
_GREY, _COLOURED = 2.0, 5.0  # mean difference of a cell's colours, in levels: infrared has none
_MOVING_CELLS = 3  # of 3×3, beside one
_SAME_BOX = 0.5
_MARGIN = 2  # cells around a thing that may show its border


@dataclass(frozen=True, slots=True)
class BoxLook:
    """A look at something that is followed, or at its place as it is at rest."""

    place: Place
    frame: Frame
    """Its `crop` is the box."""
    is_moving: bool
    """Whether something has moved since the last look; before the first one, too."""
    is_due: bool
    waves: bool = False
    """Whether it only moves to and fro, and no look at it has named anything."""
    of_rest: bool = False
    """Whether the frame shows its place without it: it is not shown."""


class ViewWatch:
    """For one thread at a time.

    frame   the first one
    bounds  where things are followed
    spec    the model's input; None: the model takes any size
    """

    def __init__(self, frame: Frame, bounds: Iterable[Bounds], spec: InputSpec | None) -> None:
        height, width = frame.preview.shape[:2]
        self.grid = Grid(height, width)
        self._bounds = tuple(bounds)
        self._spec = spec
        cells = self.grid.cells_of(frame.preview)
        self._scene = Scene(cells)
        self.tracks = Tracks(self.grid)
        self._picture = ScenePicture()
        self._rest = RestNames()
        self._px_per_px = 1.0
        self._at_ns = frame.captured_ns
        self._flood_since_ns: int | None = None
        self._flooded_ns: int | None = None
        self._is_grey = _greyness(cells)
        self.is_over = False
        """Whether the camera sees another view, so that another watch must begin."""
        self.moved_ns = {each.zone: frame.captured_ns for each in self._bounds}
        """Capture time of the last frame in which something moved, by zone; at first any may."""

    def take(self, frame: Frame, count: int) -> int:
        """Take the next frame into account.

        count    the last number that was given to something that is followed
        returns  the same after this frame
        """
        now_ns = frame.captured_ns
        elapsed_s = min(max(0.0, (now_ns - self._at_ns) / 1e9), _LONGEST_S)
        if now_ns < self._at_ns:  # a clock that jumped: nothing can be said of how long anything lasts
            self.is_over = True
        self._at_ns = now_ns
        cells = self.grid.cells_of(frame.preview)
        self._check_colour(cells)
        self._learn_px(frame)
        self._scene.take(cells, self._claimed(), elapsed_s, self._is_flooded)
        self._note_movement()
        if self._scene.share > _FLOOD:
            self._flood()
            return count
        self._flood_since_ns = None
        self._follow(cells, frame.preview, elapsed_s)
        return count if self._is_flooded else self.tracks.choose(count)

    def looks(self, frame: Frame) -> list[BoxLook]:
        """The looks at what is followed in a frame, due or not."""
        if frame.preview.shape[:2] != (self.grid.height, self.grid.width):
            return []
        travel = any(track.travels for track in self.tracks.followed)
        return [self._look(track, frame, travel) for track in self.tracks.followed]

    def looked(self, prediction: Prediction) -> Prediction:
        """What a look at something that is followed has shown.

        returns  it, with whether that is what the place shows at rest
        """
        track = self.tracks.numbered(prediction.track)
        if track is None:
            return prediction
        now_ns, shown = prediction.captured_ns, prediction.shown.label
        rest = self._rest.of(prediction.crop, now_ns)
        named = shown is not None or prediction.unfamiliar  # what has no name by chance may have one in the next look
        # one look without a name does not undo what other looks have named just now
        lasts = shown is None and track.named_ns is not None
        at_rest = rest is not None and named and shown in rest and not lasts
        unknown = shown is not None and rest is None and shown not in track.news
        track.wants_rest = unknown and self._picture.knows(track.box)
        track.note(None if at_rest else shown, now_ns)
        self.tracks.note_look(track, self._scene.differs, at_rest or shown is None)
        return replace(prediction, at_rest=at_rest)

    def looked_at_rest(self, prediction: Prediction) -> None:
        """What the place of something that is followed shows without it."""
        names = names_at_rest(prediction)
        self._rest.learn(prediction.crop, names, prediction.captured_ns)
        track = self.tracks.numbered(prediction.track)
        if track is not None:
            track.wants_rest = False
            if track.name in names:
                track.named_ns = None
            elif track.name is not None:
                track.news |= {track.name}

    def _check_colour(self, cells: Cells) -> None:
        is_grey = _greyness(cells)
        if None not in (is_grey, self._is_grey) and is_grey != self._is_grey:  # infrared was switched on or off
            self.is_over = True
        self._is_grey = self._is_grey if is_grey is None else is_grey

    def _learn_px(self, frame: Frame) -> None:
        scales = [each.picture.shape[1] / each.rect.width for each in frame.details]
        self._px_per_px = max(1.0, *scales) if scales else self._px_per_px

    def _claimed(self) -> Mask:
        claimed: Mask = np.zeros(self.grid.shape, np.uint8)
        for track in self.tracks.all:
            claimed[track.span.grown(_MARGIN, self.grid.shape).cells] = 1
        return claimed

    def _note_movement(self) -> None:
        moves = self._scene.moves
        together = cv2.boxFilter(moves, -1, (3, 3), normalize=False, borderType=cv2.BORDER_CONSTANT)
        for bounds in self._bounds:
            if int(together[self.grid.span_of(bounds.rect).cells].max()) > _MOVING_CELLS:
                self.moved_ns[bounds.zone] = self._at_ns

    @property
    def _is_flooded(self) -> bool:
        return self._flooded_ns is not None and self._at_ns - self._flooded_ns < _FLOOD_NS

    def _flood(self) -> None:
        """More has changed than a thing can fill: the whole view is looked at."""
        self._flooded_ns = self._at_ns
        self._flood_since_ns = self._at_ns if self._flood_since_ns is None else self._flood_since_ns
        self.is_over = self.is_over or self._at_ns - self._flood_since_ns >= _ANEW_NS
        self.tracks.let_rest(self._at_ns)

    def _follow(self, cells: Cells, picture: Image, elapsed_s: float) -> None:
        scene, now_ns = self._scene, self._at_ns
        found = ((blob, self._bounds_of(blob)) for blob in blobs_of(scene.differs))
        blobs = [(blob, bounds) for blob, bounds in found if bounds is not None]
        least = least_of(self._spec, self._px_per_px)
        self.tracks.match(
            blobs,
            scene.differs,
            scene.moves,
            least,
            now_ns,
            elapsed_s,
            begin=not self._is_flooded,
            light_changes=scene.light_changes,
        )
        for track in self.tracks.fading(now_ns):
            self._scene.absorb(cells, track.span.grown(_MARGIN, self.grid.shape))
            self._rest.forget(track.box)
            if track.name is not None:
                self._rest.learn(track.box, frozenset({track.name}), now_ns)
        if scene.is_known and not self._is_flooded:
            self._picture.take(picture, now_ns, map(self._rect_around, self.tracks.all))

    def _bounds_of(self, blob: Blob) -> Bounds | None:
        """The first zone in which the middle of a blob lies; None: it is too thin, or nobody follows it."""
        if blob.cells < _THIN * blob.span.size:
            return None
        x, y = self.grid.middle_of(blob.span)
        for bounds in self._bounds:
            rect = bounds.rect
            if rect.x <= x <= rect.x + rect.width and rect.y <= y <= rect.y + rect.height:
                return bounds if blob.span.size <= _HUGE * self.grid.span_of(rect).size else None
        return None

    def _rect_around(self, track: Track) -> Rect:
        return self.grid.rect_of(track.span.grown(_MARGIN + 1, self.grid.shape))

    def _look(self, track: Track, frame: Frame, travel: bool) -> BoxLook:
        now_ns = frame.captured_ns
        at_rest = self._picture.part(track.box) if track.wants_rest else None
        rect, details = _detailed(track.box, frame), frame.details
        if at_rest is not None:
            rect, details = track.box, (Detail(track.box, at_rest),)
        shown = replace(frame, model_input=None, crop=rect, details=details)
        moving = track.looked_ns is None or track.moved_ns >= track.looked_ns
        return BoxLook(track.place, shown, moving, track.is_due(now_ns, travel), track.waves, at_rest is not None)


def _greyness(cells: Cells) -> bool | None:
    """Whether a picture has no colours; None: that cannot be said."""
    red, green, blue = cv2.split(cells)
    most, least = cv2.max(cv2.max(red, green), blue), cv2.min(cv2.min(red, green), blue)
    colour = cv2.mean(cv2.subtract(most, least))[0]
    return True if colour < _GREY else False if colour > _COLOURED else None


def _detailed(box: Rect, frame: Frame) -> Rect:
    """The box, or where a camera gives details of almost the same place, that."""
    best = max(frame.details, key=lambda each: each.rect.likeness(box), default=None)
    return best.rect if best is not None and best.rect.likeness(box) >= _SAME_BOX else box
