"""The values that pass between the parts of vitcam: read this file first.

source -> Frame -> classifier -> Prediction -> events -> Event -> sinks. All are frozen.
Times are monotonic nanoseconds (a Pi may boot with a wrong clock); `vitcam.wire` converts them to wall time.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from vitcam.rects import Box, Rect

Image = NDArray[np.uint8]  # (H, W, 3), RGB
WHY_BLANK = "too dark, too bright or too plain"


class Place(NamedTuple):
    """What is looked at by itself, and has events of its own: the whole view, a zone, or what is followed in one."""

    zone: str | None = None
    """None: the whole view."""
    track: int | None = None
    """The number of what is followed; None: nothing is, it is the whole zone or view."""


@dataclass(frozen=True, slots=True, eq=False)
class Detail:
    """A part of a frame in more px than its preview has, where the camera gives them."""

    rect: Rect
    """Where it lies in the preview, in px of the preview."""
    picture: Image
    """(h, w, 3) uint8, RGB."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture and where it came from."""

    preview: Image
    """(H, W, 3) uint8, RGB. Treat as read-only: it may be the camera's own memory."""
    model_input: Image | None
    """(h, w, 3) uint8, RGB, at the model's size where the source's scaler delivers it, else None."""
    crop: Rect
    """The part of `preview` that the model sees; overlays are drawn inside it. The whole where no model was named."""
    seq: int
    """Counts the frames of one source from 0; a gap is a frame that the source itself lost."""
    captured_ns: int
    """Monotonic time at which the picture was taken or read."""
    source: str
    """The URI the source was opened with."""
    path: str | None = None
    """The file this picture came from, as given; None for cameras and videos."""
    capture_ms: float = 0.0
    """Time the source took to deliver it."""
    asked: bool = False
    """Whether a camera was asked for this one picture: then it may be the same as the one before."""
    masks: tuple[object, ...] = ()
    """The privacy masks that are black in it, as `vitcam.look.areas.Areas` has them."""
    details: tuple[Detail, ...] = ()
    """What is followed in it, in the camera's own px."""

    def part(self, rect: Rect) -> Image:
        """(h, w, 3) uint8, RGB: a part of the picture, with as many px as there are of it.

        rect  in px of `preview`
        """
        for detail in self.details:
            if detail.rect == rect:
                return detail.picture
        return self.preview[rect.px]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that is not a readable picture: reported by name, then skipped."""

    path: str
    error: str
    lasting: bool = True
    """False: it could not be read or fetched, which may go well another time."""


@dataclass(frozen=True, slots=True)
class Guess:
    """A label and its probability after calibration, 0 to 1."""

    label: str
    p: float


UNKNOWN = "unknown"
"""The label of an event of that kind, and the word by which zones and rules mean such events."""
LIKELY = 0.5
"""From this probability on a guess is more likely right than wrong, since probabilities are calibrated. What is less
likely is never displayed; `model.likely` may ask for more."""
LEAST = 0.05
"""Guesses and groups below this probability are noise: people are not shown them."""


@dataclass(frozen=True, slots=True)
class Group:
    """Several labels under one name, such as dog, and the sum of their probabilities, 0 to 1."""

    name: str
    p: float
    best: str | None = None
    """Its most probable label; None where that is the most probable one of all."""

    @property
    def with_best(self) -> bool:
        """Whether the most probable label of all is one of its labels."""
        return self.best is None


Level = Literal["label", "group", "none"]


@dataclass(frozen=True, slots=True)
class SecondAnswer:
    """What a second model says of the same part of a picture, such as goldfinch where the first one says bird."""

    label: str | None
    """The name; None: it is not sure which."""
    p: float
    """Its probability, 0 to 1; where there is no name, that of the best guess."""
    model: str
    """Name of the second model."""
    scientific: str | None = None
    """The scientific name of the species; None: the model gives none, or it is not sure which."""

    @classmethod
    def surer(cls, one: "SecondAnswer | None", other: "SecondAnswer | None") -> "SecondAnswer | None":
        """Of two answers about one thing the one with a name, else the more probable one; of equals the first."""
        if one is None or other is None:
            return one or other
        return max(one, other, key=lambda each: (each.label is not None, each.p))


@dataclass(frozen=True, slots=True)
class Shown:
    """What people read about a picture: the finest name that is likely enough."""

    label: str | None
    """The name of a label or of a group; None where no name is likely enough."""
    p: float
    """Its probability, 0 to 1; where there is no name, that of the best guess."""
    level: Level
    """Whether the name is that of a label or of a group; `none` where there is no name."""
    kind: str | None = field(default=None, compare=False)
    """The everyday name, which goes with the label: what people say for it, such as cat for a tabby cat; None where
    there is no name."""
    detail: SecondAnswer | None = field(default=None, compare=False)
    """What a second model says of it; None: none was asked."""

    def said(self, everyday: Mapping[str, str]) -> Self:
        """The same with its everyday name.

        everyday  of each name that has another one than itself
        """
        return self if self.label is None else replace(self, kind=everyday.get(self.label, self.label))

    @classmethod
    def finest(cls, best: Guess, groups: Iterable[Group], likely: float = LIKELY) -> Self:
        """The best guess where it is likely, else the first likely group; `groups` has the smallest first."""
        if best.p >= likely:
            return cls(best.label, best.p, "label")
        group = next((group for group in groups if group.p >= likely), None)
        return cls(None, best.p, "none") if group is None else cls(group.name, group.p, "group")


@dataclass(frozen=True, slots=True)
class Timings:
    """What one prediction cost, in ms; `total` runs from capture to the finished prediction.

    Where several frames of a film are classified at the same time, `infer` is still the inference of this one, on its
    thread, and `total` includes the wait for the frames before it.
    """

    capture: float
    preprocess: float
    infer: float
    total: float


@dataclass(frozen=True, slots=True, eq=False)
class ModelIdentity:
    """A model as it was loaded: loaded again it is another one. `fingerprint` is that of its file, or empty."""

    name: str
    fingerprint: str
    likely: float = LIKELY
    """From this probability on its names are displayed."""


NO_MODEL = ModelIdentity("", "")


@dataclass(frozen=True, slots=True, eq=False)
class Prediction:
    """What the model says of one frame, and where it looked."""

    source: str
    path: str | None
    seq: int
    captured_ns: int
    size: tuple[int, int]
    """Width and height of the frame's preview, in px."""
    crop: Rect
    """The part of that preview that the model saw."""
    top: tuple[Guess, ...]
    """The k most probable labels, best first."""
    known: bool
    """False when the picture may show none of the labels: it stays below the model's threshold, or is blank. In files
    of score 2 it is the same as whether `shown` has a name."""
    familiarity: float | None
    """How much the picture resembles those of training, 0 to 1; 0.5 is the threshold. None if the file has none."""
    certainty: float
    """What is compared with the threshold: the divergence of the probabilities from the uniform distribution, in nats;
    the best probability where the model file gives no `least_familiarity`; minus infinity for a blank picture."""
    ms: Timings
    attention: NDArray[np.float32] | None
    """(heads, gh, gw): how much what the head reads looked at each patch in the last block. None if it does not say."""
    embedding: NDArray[np.float32] | None
    """(D,): what the head reads, after the final norm; None if the model does not give it."""
    features: NDArray[np.float32] | None = None
    """(2 D,): class token and mean of the patches as they enter the last block. None if it does not give them."""
    groups: tuple[Group, ...] = ()
    """Those that may be displayed, the smallest first: with the best label if it is likely, else all of `LEAST`."""
    rollout: NDArray[np.float32] | None = None
    """(gh, gw): attention rollout of what the head reads, through all blocks; None unless it was asked for."""
    rows: NDArray[np.float32] | None = None
    """(layers, heads, gh, gw): the same as `attention` of every block; None unless it was asked for."""
    evidence: NDArray[np.float32] | None = None
    """(gh, gw): what each patch wrote for the answer, below zero against it, in the last four blocks (older files: in
    the last one). None if the model does not say."""
    blank: bool = False
    """True when there is nothing to see: the picture is too dark, too bright or too plain."""
    unfamiliar: bool = False
    """True when the picture shows something that the model has no word for: it stays below the model's threshold."""
    evidence_share: float | None = None
    """The sum of the evidence as a part of the margin: of how far the logits of the likely labels are above the mean of
    all. Above 1 where the token that the head reads speaks against the answer. None if the model does not say."""
    model: ModelIdentity = NO_MODEL
    """What answered."""
    zone: str | None = None
    """The zone of the picture that the model saw; None: the whole view."""
    track: int | None = None
    """The number of what is followed there; None: the model saw the whole zone or view. Its box is `crop`."""
    at_rest: bool = False
    """True when what is displayed of a followed place is what that place shows at rest: no event begins with it."""
    second: SecondAnswer | None = None
    """What a second model says of what is displayed; None: none was asked, or nothing is displayed."""
    stood_ns: int = 0
    """Capture time until which the answer before this one is known to have held, since nothing had moved; 0: it is not
    known."""
    everyday: Mapping[str, str] = field(default_factory=dict)
    """The everyday name of each label and group that has another one than itself."""
    headline: Shown | None = None
    """Smoothed, for programs: what the event says that lasts in the zone, else `shown` of smoothed probabilities. It
    may name what has left the picture. None for pictures by themselves, and before the pipeline has added it."""

    @property
    def place(self) -> Place:
        """What the model looked at."""
        return Place(self.zone, self.track)

    @property
    def box(self) -> Box | None:
        """What is followed, in fractions of the frame; None for a whole zone or view."""
        return None if self.track is None else Box.around(self.crop, self.size)

    @property
    def told(self) -> Shown:
        """`headline` where there is one, else `shown`."""
        return self.headline or self.shown

    @property
    def shown(self) -> Shown:
        """What is displayed, stored and acted on: the best label, else the smallest group, else nothing."""
        best = self.top[0]
        if not self.known:
            return Shown(None, best.p, "none")
        shown = Shown.finest(best, self.groups, self.model.likely).said(self.everyday)
        return shown if self.second is None else replace(shown, detail=self.second)

    @property
    def best_three(self) -> tuple[Guess, ...]:
        """The guesses that stand in the place of a name where none is likely."""
        return tuple(guess for guess in self.top[:3] if guess.p >= LEAST)

    @property
    def group(self) -> Group | None:
        """The smallest likely group with the best label, where that label alone is not likely."""
        likely = self.model.likely
        if self.top[0].p >= likely:
            return None
        return next((group for group in self.groups if group.with_best and group.p >= likely), None)

    @property
    def strangeness(self) -> float:
        """How certain it is that the picture shows something that is none of the model's labels, 0 to 1."""
        familiar = self.top[0].p if self.familiarity is None else self.familiarity
        return 0.0 if self.blank else 1.0 - familiar


@dataclass(frozen=True, slots=True)
class Event:
    """Something that was there for a while: `new` when it appears, `update` while it stays, `end` when it is gone."""

    id: str
    phase: Literal["new", "update", "end"]
    label: str
    p: float
    start_ns: int
    end_ns: int | None
    """When it was seen last. Before its phase is `end`: it is out of sight, and may come again in a moment."""
    camera: str
    group: Group | None = None
    """What is surely there where no label is: `label` is then the best guess within this group."""
    zone: str | None = None
    """Where in the picture it is; None: in the whole view."""
    track: int | None = None
    """The number of what is followed there; None: it is in the whole zone or view."""
    box: Box | None = None
    """Where in the picture what is followed was, when it was most probable; None for a whole zone or view."""
    model: ModelIdentity = NO_MODEL
    """What saw it."""
    kind: Literal["seen", "unknown", "problem"] = "seen"
    """`unknown`: something that the model does not know was to be seen for long. `problem`: the camera does not see
    what it usually sees, and `label` says why."""
    everyday: Mapping[str, str] = field(default_factory=dict)
    """As its predictions have it."""
    second: SecondAnswer | None = None
    """The surest answer of a second model so far; None: none was asked."""

    @property
    def place(self) -> Place:
        """Where it is."""
        return Place(self.zone, self.track)

    @property
    def shown(self) -> Shown:
        """What is displayed of it, with its best probability so far; no name for what has none."""
        if self.kind != "seen":
            return Shown(None, self.p, "none")
        shown = node_of(self.label, self.p, self.group).said(self.everyday)
        return shown if self.second is None or shown.label is None else replace(shown, detail=self.second)


def node_of(label: str, p: float, group: Group | None) -> Shown:
    """What is displayed of an event: its group where it has one, else its label if that is likely."""
    if group is not None:
        return Shown(group.name, group.p, "group")
    return Shown(label, p, "label") if p >= LIKELY else Shown(None, p, "none")
