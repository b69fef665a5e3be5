"""One thing that is followed, or may be soon: where it is, since when, and what looks at it showed."""

import math
from dataclasses import dataclass

from vitcam.frames import Place
from vitcam.look.boxes import ROOM
from vitcam.rects import Rect

_CONFIRMED = 3  # frames in which it was seen: two after the first
_LOST_NS = 1_000_000_000  # for this time it may be hidden
_REMEMBERED_NS = 5_000_000_000  # what waves is known for this time
_FIRST_S, _LONGEST_S = 0.25, 4.0  # how long what has no name waits for the next look
_SURE_NS = 1_500_000_000  # so long after its first name what sits still is looked at in every turn
_ROOMS = 1.0, 0.88, 1.14
_FRUITLESS = 3  # looks in a row without a name: it has none any more, and may become a part of the scene
_SITS_NS = 500_000_000
_FAR = 32.0  # px of the small picture: an eighth of its longer side
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
    """All times are those of frames, in ns; `rect` and what is said of it are in px of the small picture."""

    bounds: Bounds
    rect: Rect
    born_ns: int
    size: tuple[float, float]
    """Width and height, smoothed."""
    began_at: tuple[float, float]
    """Its middle when it was seen first."""
    seen_ns: int
    moved_ns: int
    box: Rect
    """In px."""
    speed: tuple[float, float] = (0.0, 0.0)
    """Of its middle, to the right and down, in px/s."""
    hits: int = 1
    """Frames in which it was seen."""
    is_solid: bool = False
    """Whether it is too large and too whole for a drop of rain."""
    farthest: float = 0.0
    """How far it has been from where it began."""
    largest: float = 0.0
    """The longest side that it had."""
    number: int | None = None
    """Once it is followed."""
    is_followed: bool = False
    has_faded: bool = False
    """Whether it is becoming a part of the scene."""
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
        return self.is_solid or self.hits >= _CONFIRMED

    @property
    def travels(self) -> bool:
        """Whether it came from elsewhere: a branch that waves and a feeder that swings stay where they are."""
        return self.farthest > max(_FAR, self.largest)

    @property
    def waves(self) -> bool:
        """Whether it only moves to and fro, and looks have named nothing."""
        return self.named_ns is None and not self.travels and self.fruitless >= _FRUITLESS

    @property
    def rank(self) -> tuple[float, int]:
        """What deserves a box most is the least: what travels or was named, then what was not looked at in vain."""
        worth = 2 if self.travels or self.named_ns is not None else -self.fruitless / 2
        return -worth - self.is_followed, self.born_ns

    @property
    def place(self) -> Place:
        return Place(self.bounds.zone, self.number)

    def is_claimed(self, now_ns: int) -> bool:
        """Whether the scene below it is kept as it was; else it becomes a part of it, as what waves in vain."""
        sits = now_ns - self.moved_ns >= _SITS_NS and self.is_there(now_ns)
        return not self.has_faded and (sits or self.named_ns is not None or self.travels or self.fruitless < _FRUITLESS)

    def is_there(self, now_ns: int) -> bool:
        """Whether it was seen just now, and long enough to be looked at."""
        return self.is_confirmed and now_ns - self.seen_ns < _LOST_NS

    def is_gone(self, now_ns: int) -> bool:
        """Whether nobody has to know it any more."""
        known_ns = _REMEMBERED_NS if self.waves else _LOST_NS if self.is_confirmed else 1
        return now_ns - self.seen_ns >= known_ns

    def is_due(self, now_ns: int) -> bool:
        """Whether it may be looked at again."""
        return self.looked_ns is None or self.wants_rest or now_ns - self.looked_ns >= self._pause_ns(now_ns)

    def _pause_ns(self, now_ns: int) -> int:
        """How long it waits from one look to the next."""
        if self.named_ns is not None:
            still_s = (now_ns - max(self.moved_ns, self.named_ns + _SURE_NS)) / 1e9
            return round(min(max(0.0, still_s / 2), _LONGEST_S) * 1e9)
        if self.travels or self.fruitless < _FRUITLESS:
            return 0
        return round(min(_FIRST_S * math.exp2(self.fruitless - _FRUITLESS), _LONGEST_S) * 1e9)

    def fades(self, now_ns: int) -> bool:
        """Whether it has rested for so long that it is a part of the scene."""
        still_ns = now_ns - self.moved_ns
        if self.named_ns is not None:
            return still_ns >= _NAMED_FADES_NS
        return still_ns >= (_UNSEEN_FADES_NS if self.looked_ns is None else _FADES_NS)

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
