"""Watches one view: from its first frame until the camera, its masks, its zones or its crop are others."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import cv2

from vitcam.frames import Detail, Frame, Image, Place, Prediction
from vitcam.look.boxes import least_of
from vitcam.look.rest import RestNames, ScenePicture, names_at_rest
from vitcam.look.scene import Blob, Scene
from vitcam.look.track import Bounds, Track
from vitcam.look.tracks import Tracks
from vitcam.pictures.resize import InputSpec
from vitcam.rects import Rect

_FLOOD = 0.35  # more of the view than a thing fills
_FLOOD_NS = 1_000_000_000  # for this time after it nothing new is followed
_ANEW_NS = 2_500_000_000  # a change of the whole view that lasts longer is another view
_THIN = 0.25  # of its rectangle must a thing fill
_HUGE = 0.25  # what fills more of its bounds is seen in the whole view
_LONGEST_S = 10.0
_MOVING_PX = 20
_SAME_BOX = 0.5
_MARGIN = 4  # px of the small picture around a thing that may show its border


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
        self.height, self.width = frame.preview.shape[:2]
        self._bounds = tuple(bounds)
        self._spec = spec
        self._scene = scene = Scene(frame.preview)
        self._scale = self.width / scene.width, self.height / scene.height
        self.tracks = Tracks(self._scale)
        self._picture = ScenePicture()
        self._rest = RestNames()
        self._px_per_px = 1.0
        self._at_ns = frame.captured_ns
        self._flood_since_ns: int | None = None
        self._flooded_ns: int | None = None
        self._is_grey: bool | None = None
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
        self._learn_px(frame)
        claimed = [self._around(track) for track in self.tracks.all if track.is_claimed(now_ns)]
        self._scene.take(frame.preview, claimed, elapsed_s, learn=self._flood_since_ns is None)
        self._check_colour()
        self._note_movement()
        if self._scene.share > _FLOOD:
            self._flood()
            return count
        self._flood_since_ns = None
        self._follow(frame.preview, elapsed_s)
        return count if self._is_flooded else self.tracks.choose(count, now_ns)

    def looks(self, frame: Frame) -> list[BoxLook]:
        """The looks at what is followed in a frame, due or not."""
        if frame.preview.shape[:2] != (self.height, self.width):
            return []
        return [self._look(track, frame) for track in self.tracks.followed]

    def record_look(self, prediction: Prediction) -> Prediction:
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
        return replace(prediction, at_rest=at_rest)

    def record_background(self, prediction: Prediction) -> None:
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

    def _check_colour(self) -> None:
        is_grey = self._scene.is_grey
        if None not in (is_grey, self._is_grey) and is_grey != self._is_grey:  # infrared was switched on or off
            self.is_over = True
        self._is_grey = self._is_grey if is_grey is None else is_grey

    def _learn_px(self, frame: Frame) -> None:
        scales = [each.picture.shape[1] / each.rect.width for each in frame.details]
        self._px_per_px = max(1.0, *scales) if scales else self._px_per_px

    def _note_movement(self) -> None:
        for bounds in self._bounds:
            if cv2.countNonZero(self._scene.moves[self._scaled(bounds.rect, down=True).px]) >= _MOVING_PX:
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

    def _follow(self, picture: Image, elapsed_s: float) -> None:
        now_ns = self._at_ns
        found = ((blob, self._bounds_of(blob)) for blob in self._scene.blobs())
        blobs = [(blob, bounds) for blob, bounds in found if bounds is not None]
        least = least_of(self._spec, self._px_per_px)
        self.tracks.match(blobs, self._scene.moves, least, now_ns, elapsed_s, begin=not self._is_flooded)
        for track in self.tracks.fading(now_ns):
            self._rest.forget(track.box)
            if track.name is not None:
                self._rest.learn(track.box, frozenset({track.name}), now_ns)
        if self._scene.is_known and not self._is_flooded:
            shown = (self._around(track) for track in self.tracks.all if not track.has_faded)
            self._picture.take(picture, now_ns, map(self._scaled, shown))

    def _bounds_of(self, blob: Blob) -> Bounds | None:
        """The first zone in which the middle of a blob lies; None: it is too thin, or nobody follows it."""
        if blob.px < _THIN * blob.rect.area:
            return None
        x, y = blob.rect.x + blob.rect.width // 2, blob.rect.y + blob.rect.height // 2
        for bounds in self._bounds:
            rect = self._scaled(bounds.rect, down=True)
            if rect.overlaps(Rect(x, y, 1, 1)):
                return bounds if blob.rect.area <= _HUGE * rect.area else None
        return None

    def _around(self, track: Track) -> Rect:
        """With its border, in px of the small picture."""
        rect = track.rect
        right, bottom = rect.x + rect.width + _MARGIN, rect.y + rect.height + _MARGIN
        return Rect.between(rect.x - _MARGIN, rect.y - _MARGIN, right, bottom, self._scene.height, self._scene.width)

    def _scaled(self, rect: Rect, down: bool = False) -> Rect:
        """From px of the small picture to those of the frame, or back."""
        across, upright = (1 / each if down else each for each in self._scale)
        height, width = (self._scene.height, self._scene.width) if down else (self.height, self.width)
        right, bottom = round((rect.x + rect.width) * across), round((rect.y + rect.height) * upright)
        return Rect.between(int(rect.x * across), int(rect.y * upright), right, bottom, height, width)

    def _look(self, track: Track, frame: Frame) -> BoxLook:
        now_ns = frame.captured_ns
        at_rest = self._picture.part(track.box) if track.wants_rest else None
        rect, details = _detailed(track.box, frame), frame.details
        if at_rest is not None:
            rect, details = track.box, (Detail(track.box, at_rest),)
        shown = replace(frame, model_input=None, crop=rect, details=details)
        moving = track.looked_ns is None or track.moved_ns >= track.looked_ns
        return BoxLook(track.place, shown, moving, track.is_due(now_ns), track.waves, at_rest is not None)


def _detailed(box: Rect, frame: Frame) -> Rect:
    """The box, or where a camera gives details of almost the same place, that."""
    best = max(frame.details, key=lambda each: each.rect.likeness(box), default=None)
    return best.rect if best is not None and best.rect.likeness(box) >= _SAME_BOX else box
