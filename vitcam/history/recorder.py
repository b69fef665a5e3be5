"""Collects what belongs to an event while it lasts, and hands it to the store."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal, Self

from vitcam.frames import Event, Frame, Group, Guess, Place, Prediction
from vitcam.history.best_picture import BestPicture, EncodedFrame
from vitcam.history.clock import RunTimes
from vitcam.history.stored import EventChange, FrameSummary, StoredEvent
from vitcam.run.kinds import Sees

_REMEMBERED = 512  # looks, at every place: the recorder hears of an event some time after its start
_FIRST_SAVE_NS, _LONGEST_GAP_NS = 5_000_000_000, 600_000_000_000
_MOST_POINTS = 64


class Curve:
    """Each point is the mean of `stride` probabilities; when there are too many, two become one."""

    def __init__(self) -> None:
        self._points: list[tuple[int, float]] = []
        self._stride = 1
        self._first_ms = 0
        self._sum = 0.0
        self._count = 0

    def add(self, ms: int, p: float) -> None:
        """Add a probability, in the order of time. ms: after the start of the event; not below 0."""
        if self._count == 0:
            self._first_ms = max(0, ms)
        self._sum += p
        self._count += 1
        if self._count >= self._stride:
            self._points.append((self._first_ms, self._sum / self._count))
            self._sum, self._count = 0.0, 0
        if len(self._points) >= _MOST_POINTS:
            pairs = zip(self._points[::2], self._points[1::2], strict=True)
            self._points = [(one[0], (one[1] + other[1]) / 2) for one, other in pairs]
            self._stride *= 2

    def points(self) -> tuple[tuple[int, float], ...]:
        """At most 64 points; ms after the start, and the probability."""
        rest = [(self._first_ms, self._sum / self._count)] if self._count else []
        return (*self._points, *rest)


@dataclass(frozen=True, slots=True)
class _SeenFrame:
    """What an event needs of a frame from before the recorder heard of it."""

    place: Place
    captured_ns: int
    top: tuple[Guess, ...]
    groups: tuple[Group, ...]
    strangeness: float

    @classmethod
    def of(cls, prediction: Prediction) -> Self:
        """What a prediction says."""
        return cls(prediction.place, prediction.captured_ns, prediction.top, prediction.groups, prediction.strangeness)


@dataclass(slots=True, eq=False)
class _LastingEvent:
    """An event that lasts, and what was collected of it."""

    event: StoredEvent
    start_ns: int
    best: BestPicture = field(default_factory=BestPicture)
    curve: Curve = field(default_factory=Curve)
    better: EncodedFrame | None = None
    """Not handed over yet."""
    changed: bool = False
    saved_ns: int = 0
    gap_ns: int = _FIRST_SAVE_NS

    def look(self, frame: Frame, prediction: Prediction) -> None:
        """Take one more frame into account."""
        p = self.remember(_SeenFrame.of(prediction))
        if (picture := self.best.consider(frame, prediction, p)) is not None:
            self.better = picture
            self.event = replace(self.event, summary=picture.summary, box=prediction.box)
        elif not self.event.summary.top:
            self.event = replace(self.event, summary=FrameSummary(prediction.top, familiarity=prediction.familiarity))

    def remember(self, seen: _SeenFrame) -> float:
        """Put a frame on the curve; the probability in it of what the event is about."""
        p = _probability(self.event, seen)
        self.curve.add((seen.captured_ns - self.start_ns) // 1_000_000, p)
        self.event = replace(self.event, peak=max(self.event.peak, p))
        return p

    def update(self, event: Event) -> None:
        """Take over what the event says of itself now."""
        before = self.event
        same = event.shown.label == before.shown.label and event.label == before.label
        self.changed = self.changed or not same or event.second != before.second
        if event.track is not None and self.event.track is None:  # its pictures are of the view around its box
            self.best = BestPicture()
        box = event.box if self.event.summary.detail is None else self.event.box  # that of its picture
        self.event = replace(
            self.event, label=event.label, p=event.p, group=event.group, track=event.track, box=box, second=event.second
        )

    def drop_pixels(self) -> None:
        """Begin again with its picture; the next one is worth a write at once."""
        self.best, self.better = BestPicture(), None
        self.event = replace(self.event, summary=self.event.summary.without_picture())
        self.saved_ns, self.gap_ns = 0, _FIRST_SAVE_NS

    def is_due(self, now_ns: int) -> bool:
        """Whether it is worth a write: rarer and rarer, the longer the event lasts."""
        return (self.better is not None or self.changed) and now_ns - self.saved_ns >= self.gap_ns

    def saved(self, now_ns: int) -> None:
        self.better, self.changed = None, False
        self.gap_ns = min(2 * self.gap_ns, _LONGEST_GAP_NS) if self.saved_ns else self.gap_ns
        self.saved_ns = now_ns


class Recorder(Sees):
    """Makes of events what the history keeps, with the best picture of each.

    put     hands a change to the store; never waits
    forget  says of which events nothing is kept
    """

    def __init__(
        self,
        put: Callable[[EventChange], None],
        forget: Callable[[Event], bool] = lambda _: False,
    ) -> None:
        self._put = put
        self._forget = forget
        self._times = RunTimes()
        self._lasting: dict[str, _LastingEvent] = {}
        self._seen: deque[_SeenFrame] = deque(maxlen=_REMEMBERED)

    def saw(self, frame: Frame, prediction: Prediction, events: tuple[Event, ...]) -> None:
        """One frame was classified."""
        for event in events:
            self._take(event, frame, prediction)
        for lasting in self._lasting.values():
            if lasting.event.place == prediction.place and lasting.saved_ns != prediction.captured_ns:
                lasting.look(frame, prediction)
                if lasting.is_due(prediction.captured_ns):
                    self._save(lasting, "update", prediction.captured_ns)
        self._seen.append(_SeenFrame.of(prediction))

    def drop_pixels(self) -> None:
        """Masks were drawn: each event that lasts gets another picture."""
        for lasting in self._lasting.values():
            lasting.drop_pixels()

    def unseen(self, events: tuple[Event, ...]) -> None:
        """They ended in a pause."""
        for event in events:
            self._end(event)

    def close(self, events: tuple[Event, ...]) -> None:
        """Nothing more will come."""
        self.unseen(events)

    def _take(self, event: Event, frame: Frame, prediction: Prediction) -> None:
        if event.phase == "new" and not self._forget(event):
            lasting = self._lasting[event.id] = _LastingEvent(self._begun(event), event.start_ns)
            for seen in self._seen:
                if seen.place == event.place and seen.captured_ns >= event.start_ns:
                    lasting.remember(seen)
            lasting.look(frame, prediction)
            self._save(lasting, "new", prediction.captured_ns)
        elif event.phase == "update" and event.id in self._lasting:
            self._lasting[event.id].update(event)
        elif event.phase == "end":
            self._end(event)

    def _begun(self, event: Event) -> StoredEvent:
        return StoredEvent(
            id=event.id, kind=event.kind, label=event.label, zone=event.zone, track=event.track, box=event.box,
            camera=event.camera,
            start_ms=self._times.ms(event.start_ns), end_ms=None, p=event.p, peak=event.p, group=event.group,
            model=event.model.name, fingerprint=event.model.fingerprint, second=event.second,
        )  # fmt: skip

    def _end(self, event: Event) -> None:
        if (lasting := self._lasting.pop(event.id, None)) is None or event.end_ns is None:
            return
        lasting.update(event)
        lasting.event = replace(lasting.event, end_ms=self._times.ms(event.end_ns))
        self._save(lasting, "end", event.end_ns)

    def _save(self, lasting: _LastingEvent, phase: Literal["new", "update", "end"], now_ns: int) -> None:
        event = replace(lasting.event, curve=lasting.curve.points())
        jpeg, detail = (lasting.better.jpeg, lasting.better.detail) if lasting.better else (None, None)
        self._put(EventChange(event, phase, jpeg, self._times.booted_ms, detail))
        lasting.saved(now_ns)


def _probability(event: StoredEvent, seen: _SeenFrame) -> float:
    """Of the event's group in one frame, or of its label where it has none."""
    if event.kind == "unknown":
        return seen.strangeness
    if event.group is not None:
        return next((group.p for group in seen.groups if group.name == event.group.name), 0.0)
    return next((guess.p for guess in seen.top if guess.label == event.label), 0.0)
