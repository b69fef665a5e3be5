"""One thing that is followed, or may be soon: where it is, since when, and what looks at it showed."""

import math
from dataclasses import dataclass

from vitcam.frames import Place
from vitcam.look.boxes import ROOM
from vitcam.look.grid import Span
from vitcam.rects import Rect

_CONFIRMED = 3  # frames in a row: two after the first that moved
_LOST_NS = 1_000_000_000  # for this time it may be hidden
_FRESH = 1.0  # below this wear a place is looked at whenever it is its turn
_FIRST_S, _LONGEST_S = 0.25, 4.0  # how long a worn place waits for the next look
_SURE_NS = 1_500_000_000  # so long after its first name what sits still is looked at in every turn
_ROOMS = 1.0, 0.88, 1.14
_FRUITLESS = 3  # looks in a row without a name: it has none any more
_WAVES = 0.7  # wear: after three looks
_WAITS_NS = 2_000_000_000  # from one look to the next at what waves, while something else travels
_FAR = 16.0  # cells: an eighth of the longer side of the view
_TRAVELLED = 0.5  # so much does the wear count of what came from elsewhere
_NAMED_FADES_NS, _FADES_NS, _UNSEEN_FADES_NS = 300_000_000_000, 10_000_000_000, 60_000_000_000


@dataclass(frozen=True, slots=True)
class Bounds:
    """A zone in which things are followed, or the view."""

    zone: str | None
    """None: the view."""
    rect: Rect
    """In px."""


@dataclass(slots=True, eq=False)
class Track:
    """All times are those of frames, in ns."""

    bounds: Bounds
    span: Span
    """Of cells."""
    size: tuple[float, float]
    """Height and width, smoothed, in cells."""
    box: Rect
    """In px."""
    born_ns: int
    seen_ns: int
    moved_ns: int
    hits: int = 1
    """Frames in a row in which it was seen."""
    began_at: tuple[float, float] = (0.0, 0.0)
    """Row and column of its middle, in cells, when it was seen first."""
    lately_at: tuple[float, float] = (0.0, 0.0)
    """The same of what moves there, smoothed."""
    farthest: float = 0.0
    """How far it has been from there, in cells."""
    largest: tuple[float, float] = (0.0, 0.0)
    """The greatest height and width that it had, smoothed, in cells."""
    wear: float = 0.0
    """How often looks at this place named nothing new, lately."""
    number: int | None = None
    """Once it is followed."""
    is_followed: bool = False
    looked_ns: int | None = None
    named_ns: int | None = None
    """Since when looks name it."""
    fruitless: int = 0
    """Looks in a row that named nothing new."""
    tries: int = 0
    """Looks that named nothing."""
    name: str | None = None
    """That it had last."""
    news: frozenset[str] = frozenset()
    """Names that its place did not show at rest."""
    wants_rest: bool = False
    """Whether somebody should look at what its place shows at rest."""

    @property
    def room(self) -> float:
        """The same as of `box_around`: what the last looks had no name for is shown with less room, then with more."""
        return ROOM * _ROOMS[self.tries % len(_ROOMS)]

    @property
    def is_confirmed(self) -> bool:
        """Whether it was there long enough to be looked at."""
        return self.hits >= _CONFIRMED

    @property
    def is_new(self) -> bool:
        """Whether it was never looked at."""
        return self.looked_ns is None

    @property
    def travels(self) -> bool:
        """Whether it came from elsewhere: a branch that waves and a feeder that swings stay where they are."""
        return self.farthest > max(_FAR, *self.largest)

    @property
    def waves(self) -> bool:
        """Whether it only moves to and fro, and looks have named nothing."""
        return self.named_ns is None and not self.travels and (self.fruitless >= _FRUITLESS or self.wear >= _WAVES)

    @property
    def place(self) -> Place:
        return Place(self.bounds.zone, self.number)

    @property
    def worn(self) -> float:
        """Its wear as far as it counts."""
        return self.wear * (_TRAVELLED if self.travels else 1.0)

    def is_gone(self, now_ns: int) -> bool:
        """Whether it was not seen for too long."""
        return now_ns - self.seen_ns >= (_LOST_NS if self.is_confirmed else 1)

    def is_due(self, now_ns: int, others_travel: bool = False) -> bool:
        """Whether it may be looked at again.

        others_travel  whether something else deserves the looks more than what waves
        """
        if others_travel and self.waves and now_ns - (self.looked_ns or self.born_ns) < _WAITS_NS:
            return self.wants_rest
        return self.looked_ns is None or self.wants_rest or now_ns - self.looked_ns >= self.pause_ns(now_ns)

    def pause_ns(self, now_ns: int) -> int:
        """How long it waits from one look to the next."""
        if self.named_ns is not None:
            still_s = (now_ns - max(self.moved_ns, self.named_ns + _SURE_NS)) / 1e9
            return round(min(max(0.0, still_s / 2), _LONGEST_S) * 1e9)
        if self.worn < _FRESH:
            return 0
        return round(min(_FIRST_S * math.exp2(self.worn - 1), _LONGEST_S) * 1e9)

    def fades(self, now_ns: int) -> bool:
        """Whether it has become a part of the scene."""
        still_ns = now_ns - self.moved_ns
        if self.named_ns is not None:
            return still_ns >= _NAMED_FADES_NS
        return still_ns >= (_UNSEEN_FADES_NS if self.is_new else _FADES_NS)

    def note(self, name: str | None, now_ns: int) -> None:
        """A look has shown this; None: nothing new."""
        self.looked_ns = now_ns
        if name is not None:
            self.name, self.fruitless = name, 0
            self.named_ns = now_ns if self.named_ns is None else self.named_ns
            return
        self.fruitless += 1
        self.tries += 1
        if self.fruitless >= _FRUITLESS:
            self.named_ns = None
