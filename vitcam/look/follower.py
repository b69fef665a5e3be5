"""Follows what moves in the frames of a source, and says where to look.

Two threads call it: the one that takes frames from their source, and the one that classifies. One lock guards its
state; what is followed now is a snapshot, which any thread may read.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass

from vitcam.frames import Frame, Place, Prediction
from vitcam.look.areas import Areas, Zone, zone_rect
from vitcam.look.track import Bounds
from vitcam.look.watch import BoxLook, ViewWatch
from vitcam.pictures.resize import InputSpec
from vitcam.pictures.view import Follow, Region
from vitcam.rects import Box, Rect


@dataclass(frozen=True, slots=True)
class Followed:
    """Something that is followed now."""

    place: Place
    rect: Rect
    """Its box, in px of the frame."""
    size: tuple[int, int]
    """Width and height of the frame, in px."""
    since_ns: int
    """Capture time of the first frame in which it was seen."""

    @property
    def box(self) -> Box:
        """In fractions of the frame."""
        return Box.around(self.rect, self.size)


class Follower:
    """Of the view, or of the zones in which things are followed.

    mode    whether what moves is followed in a zone that has no mode of its own
    spec    the model's input; None: the model takes any size
    region  the part of the view that was chosen for the model; None: all of it
    """

    def __init__(
        self,
        mode: Follow = "off",
        spec: InputSpec | None = None,
        region: Callable[[], Region | None] = lambda: None,
    ) -> None:
        self.mode: Follow = mode
        """Any thread may replace it."""
        self.spec = spec
        """Any thread may replace it: nothing that another model said of a place holds then."""
        self._region = region
        self._lock = threading.Lock()
        self._watch: ViewWatch | None = None
        self._of: object = None
        """What the watch was made for."""
        self._count = 0
        self._followed: tuple[Followed, ...] = ()

    @property
    def followed(self) -> tuple[Followed, ...]:
        """What is followed now. Any thread may ask."""
        return self._followed

    def tracks(self) -> frozenset[int]:
        """The numbers of what is followed now. Any thread may ask."""
        return frozenset(each.place.track for each in self._followed if each.place.track is not None)

    def boxes(self) -> tuple[Box, ...]:
        """The same as parts of the upright picture. Any thread may ask."""
        return tuple(each.box for each in self._followed)

    def is_on(self, areas: Areas) -> bool:
        """Whether anything may be followed. Any thread may ask."""
        return any(map(self.is_on_in, areas.zones or (None,)))

    def is_on_in(self, zone: Zone | None) -> bool:
        """Whether what moves in a zone is followed; None: in the view, and in zones that have no mode of their own."""
        return ((zone and zone.follow) or self.mode) == "motion"

    def begin_anew(self) -> None:
        """Forget everything: the camera was moved, or masks were drawn. Any thread may call it."""
        with self._lock:
            self._watch, self._followed = None, ()

    def take(self, frame: Frame, areas: Areas) -> None:
        """Take a frame into account: each of a camera or a film, in its order, with its masks drawn.

        A photo of a folder is left out: the next one shows something else.
        """
        if frame.path is not None or not self.is_on(areas):
            if self._watch is not None:
                self.begin_anew()
            return
        with self._lock:
            watch = self._watch_of(frame, areas)
            self._count = watch.take(frame, self._count)
            size = watch.width, watch.height
            followed = () if watch.is_over else watch.tracks.followed
            self._followed = tuple(Followed(each.place, each.box, size, each.born_ns) for each in followed)

    def moved_ns(self, zone: str | None) -> int | None:
        """Capture time of the last frame in which something moved in a zone or the view; None: nobody follows it."""
        with self._lock:
            return None if self._watch is None else self._watch.moved_ns.get(zone)

    def looks(self, frame: Frame) -> list[BoxLook]:
        """The looks at what is followed in a frame, due or not."""
        with self._lock:
            return [] if self._watch is None or self._watch.is_over else self._watch.looks(frame)

    def record_look(self, prediction: Prediction) -> Prediction:
        """Take the answer of a look at something that is followed into account.

        returns  it, with whether that is what the place shows at rest
        """
        with self._lock:
            return prediction if self._watch is None else self._watch.record_look(prediction)

    def record_background(self, prediction: Prediction) -> None:
        """Take the answer about a place that is followed, without the thing there, into account."""
        with self._lock:
            if self._watch is not None:
                self._watch.record_background(prediction)

    def _watch_of(self, frame: Frame, areas: Areas) -> ViewWatch:
        """Another one where the view is not what it was."""
        height, width = frame.preview.shape[:2]
        of = (height, width, areas, self._region(), self.mode, self.spec)
        if self._watch is None or self._watch.is_over or of != self._of:
            self._watch, self._of = ViewWatch(frame, self._bounds(areas, height, width), self.spec), of
        return self._watch

    def _bounds(self, areas: Areas, height: int, width: int) -> list[Bounds]:
        if not areas.zones:
            region = self._region()
            return [Bounds(None, Rect(0, 0, width, height) if region is None else zone_rect(region, height, width))]
        zones = filter(self.is_on_in, areas.zones)
        return [Bounds(zone.name, zone_rect(zone.region, height, width)) for zone in zones]
