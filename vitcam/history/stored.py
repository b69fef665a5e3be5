"""A stored event, and what may be asked for. All are frozen; times are wall time in ms since the epoch."""

import re
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Group, Guess, Place, SecondAnswer, Shown, node_of
from vitcam.names.everyday import everyday_word
from vitcam.rects import Box, Rect

_FILE_NAME = re.compile(r"[\w-][\w.-]{0,127}", re.ASCII)
Kind = Literal["seen", "unknown", "problem"]
FRAMES, CLIPS = "frames", "clips"
"""Where the files of events are, below the state folder."""
KINDS: tuple[Kind, ...] = ("seen", "unknown", "problem")


@dataclass(frozen=True, slots=True)
class Action:
    """What a rule did because of an event."""

    rule: str
    kind: str
    status: Literal["ok", "failed", "waiting"]
    detail: str = ""
    time: str = ""
    """As `vitcam.wire.wall_time` writes it."""


_NOWHERE = Rect(0, 0, 0, 0)


@dataclass(frozen=True, slots=True, eq=False)
class FrameSummary:
    """What the best frame of an event showed."""

    top: tuple[Guess, ...] = ()
    """The best guesses."""
    size: tuple[int, int] = (0, 0)
    """Width and height of the picture, in px; 0, 0: there is none."""
    crop: Rect = _NOWHERE
    """The part of it that the model saw, in px."""
    evidence: NDArray[np.float32] | None = None
    """(gh, gw), with the precision of float16; None if the model does not give it."""
    familiarity: float | None = None
    detail: tuple[int, int] | None = None
    """Width and height of a second picture in px: what the model saw in the camera's own px. None: there is none."""

    @property
    def of_detail(self) -> "FrameSummary":
        """The same of the second picture, which is what the model saw; itself where there is none."""
        if self.detail is None:
            return self
        return replace(self, size=self.detail, crop=Rect(0, 0, *self.detail), detail=None)

    def without_picture(self) -> "FrameSummary":
        """The same where no picture is kept."""
        return FrameSummary(self.top, familiarity=self.familiarity)


@dataclass(frozen=True, slots=True, eq=False)
class StoredEvent:
    """Something that was there for a while, as the history keeps it."""

    id: str
    kind: Kind
    label: str
    """What the model said."""
    zone: str | None
    camera: str
    start_ms: int
    end_ms: int | None
    """None: it lasts, as far as the history knows."""
    p: float
    """The best smoothed probability, as the event says it."""
    peak: float
    """The best probability of a single frame."""
    group: Group | None = None
    model: str = ""
    fingerprint: str = ""
    """SHA-256 of the model's graph, as hexadecimal digits."""
    summary: FrameSummary = FrameSummary()
    curve: tuple[tuple[int, float], ...] = ()
    """ms after the start, and the probability."""
    frame: str | None = None
    """The picture: a file below the state folder."""
    frame_of: str | None = None
    """The id of the event whose picture this one shows, because both looked the same; None: it has its own, or none."""
    clip: str | None = None
    """The video: a file below the state folder."""
    actions: tuple[Action, ...] = ()
    favourite: bool = False
    corrected: str | None = None
    """The label that a person gave it."""
    track: int | None = None
    """The number of what was followed, in its run; None: it was in the whole zone or view."""
    box: Box | None = None
    """Where in its picture that was; without a picture, where it was when it was most probable."""
    second: SecondAnswer | None = None
    """The surest answer of a second model; None: none was asked."""
    everyday: str = ""
    """What people say for what is displayed, a person's word or the model's, where the names in force are known; empty:
    what they say in English."""

    @property
    def place(self) -> Place:
        """Where it was."""
        return Place(self.zone, self.track)

    @property
    def shown(self) -> Shown:
        """What is displayed of it, as `Event.shown`."""
        shown = node_of(self.label, self.p, self.group) if self.kind == "seen" else Shown(None, self.p, "none")
        if not (is_named := self.corrected or shown.label):
            return shown
        second = None if self.corrected else self.second
        return replace(shown, kind=self.everyday or everyday_word(is_named), detail=second)

    @property
    def name(self) -> str:
        """The label that holds: a person's, else the model's."""
        return self.corrected or self.label

    @property
    def displayed(self) -> str:
        """What it is called: a person's word, else what is displayed, else the model's best guess."""
        return self.corrected or self.shown.label or self.label


@dataclass(frozen=True, slots=True, eq=False)
class EventChange:
    """An event as it is now, for the store."""

    event: StoredEvent
    phase: Literal["new", "update", "end"]
    jpeg: bytes | None = None
    """The whole picture that `event.summary` tells of; None: the one before holds, with its summary."""
    booted_ms: int | None = None
    """From which start of the machine the times of `event` were counted; None: they stay as they are."""
    detail: bytes | None = None
    """JPEG of its box in the camera's own px, beside `jpeg`; None: it has no box."""

    @property
    def picture_bytes(self) -> int:
        """Of both pictures."""
        return len(self.jpeg or b"") + len(self.detail or b"")

    def without_picture(self) -> "EventChange":
        """The same event without its pictures."""
        event = replace(self.event, summary=self.event.summary.without_picture())
        return replace(self, event=event, jpeg=None, detail=None)


@dataclass(frozen=True, slots=True)
class Query:
    """Which events; every condition holds."""

    since_ms: int | None = None
    until_ms: int | None = None
    """Before this."""
    label: str | None = None
    """The label that holds, or what is displayed, in any case."""
    also: frozenset[str] = frozenset()
    """Other names of `label`: an event of one of them is meant, too."""
    shown: frozenset[str] = frozenset()
    """What is displayed, or what people say for it, one of these, in any case; empty: anything."""
    zone: str | None = None
    min_p: float = 0.0
    """Least `peak`."""
    kind: Kind | None = None
    favourite: bool | None = None
    corrected: bool | None = None
    """Whether a person gave it another label."""
    text: str = ""
    """A part of the label, of what is displayed, or of the zone, in any case."""

    @property
    def is_empty(self) -> bool:
        """Whether it leaves out nothing."""
        return self == Query()


@dataclass(frozen=True, slots=True)
class Page:
    """A part of the answer to a query, the newest first."""

    events: tuple[StoredEvent, ...]
    next: str | None
    """The id to ask for the events `before`; None: there are no more."""


def is_file_name(text: str) -> bool:
    """Whether it can be a file's own name, such as an event's id with an ending: it leads to no other folder."""
    return _FILE_NAME.fullmatch(text) is not None


def is_below(name: object, folders: tuple[str, ...]) -> bool:
    """Whether it names a file below one of the folders, such as `frames/2026-01-02/01J….jpg`.

    A database may come from a backup or be changed by hand, so what it names is not believed.
    """
    first, *inner = name.split("/") if isinstance(name, str) else ("",)
    return first in folders and 0 < len(inner) <= 2 and all(map(is_file_name, inner))
