"""Plays pictures to the daemon's own parts in a time of its own, as fast as the machine can.

The daemon is assembled as `vitcam run` does it, without the page and the history. A camera gives `FPS` pictures a
second; each look at the model takes `LOOK_FRAMES` of them. The clock that all parts read stands still while they work,
so the same pictures give the same answers on every machine.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Literal, NamedTuple, Self
from unittest.mock import patch

from vitcam.config.load import merge_layers
from vitcam.config.settings import Settings
from vitcam.daemon.assembly import assemble
from vitcam.daemon.classifiers import CameraClassifier
from vitcam.daemon.daemon import Daemon, RunOptions
from vitcam.frames import Event, Frame, Image, Prediction, Shown, Unreadable
from vitcam.rects import Box, Rect
from vitcam.sinks.sink import Summary
from vitcam.sources import OPENERS
from vitcam.sources.source import Source, SourceOptions

Mode = Literal["off", "on", "hand"]
"""Following is off or on; `hand`: the model sees a box around the thing that is true in each frame."""
LOOK_FRAMES = 2
_SCHEME = "wide-view"
BEGAN_NS = 1_000_000_000_000
"""What the clock shows at the first picture."""
_PATIENCE_S = 60.0
_PADDED = 1.5


class Picture(NamedTuple):
    """What the camera gives at one time."""

    t: float
    image: Image
    hand: Rect | None = None
    """The box by hand, for that mode; None: the model sees what it sees without."""


class Display(NamedTuple):
    """What viewers see with one frame."""

    shown: Shown | None
    """None: no prediction is recent."""
    followed: bool
    """It is that of a box."""


@dataclass(slots=True)
class Played:
    """What came of it."""

    displays: list[Display] = field(default_factory=list)
    """For each frame."""
    looks: list[Prediction] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    """Each as it began; problems of the camera are not among them."""
    ended: list[Event] = field(default_factory=list)
    """The same, as each ended."""
    heard: Callable[[], None] = lambda: None
    """Called for each look."""

    def serving(self, url: str) -> None:
        """As `Sink` has it."""

    def prediction(self, prediction: Prediction, changed: bool) -> None:
        """As `Sink` has it."""
        light = replace(prediction, attention=None, embedding=None, features=None, evidence=None)
        self.looks.append(light)
        self.heard()

    def event(self, event: Event) -> None:
        """As `Sink` has it."""
        if event.kind != "problem" and event.phase != "update":
            (self.events if event.phase == "new" else self.ended).append(event)

    def unreadable(self, bad: Unreadable) -> None:
        """As `Sink` has it."""

    def close(self, summary: Summary | None) -> None:
        """As `Sink` has it."""


def play(
    pictures: Iterable[Picture],
    mode: Mode,
    fps: float,
    model: str = "everyday",
    settings: Sequence[str] = (),
    look_frames: int = LOOK_FRAMES,
) -> Played:
    """Run the daemon over pictures.

    fps          of `pictures`
    settings     more of them, such as `look.follow=motion`
    look_frames  pictures that pass while the model looks once
    """
    step = Lockstep(look_frames)
    played = Played(heard=step.heard)
    sets = [f"camera.source={_SCHEME}:", f"model.name={model}", "model.threads=1", f"camera.fps={fps}"]
    sets += ["web.enabled=off", "store.enabled=off", "heat.enabled=off"]
    sets += [f"look.follow={'motion' if mode == 'on' else 'off'}"]
    shown = pictures if mode == "hand" else (picture._replace(hand=None) for picture in pictures)
    with _parts([*sets, *settings], step, shown, played) as daemon:
        played.displays = step.displays
        camera = daemon.open_source()
        daemon.pipeline.start(lambda: camera)
        step.watch(daemon)
        if not daemon.pipeline.over.wait(3600) or daemon.pipeline.failure is not None:
            raise RuntimeError(f"the clip was not played to its end: {daemon.pipeline.failure}")
        daemon.pipeline.stop(_PATIENCE_S)
        daemon.publisher.close(None)
    return played


class Lockstep:
    """Camera and model wait for each other, and the clock goes with the camera.

    frames  pictures that pass while the model looks once
    """

    def __init__(self, frames: int) -> None:
        self._frames = frames
        self._turn = threading.Condition()
        self._given = 0
        self._due: int | None = None
        """The number of pictures at which the look that is done is told; None: there is none."""
        self._unheard = 0
        """Looks that were told, and that the sinks have not heard of yet."""
        self._over = False
        self._daemon: Daemon | None = None
        self.now_ns = BEGAN_NS
        self.hands: dict[int, Rect | None] = {}
        """The box by hand, by number of the picture."""
        self.displays: list[Display] = []

    def watch(self, daemon: Daemon) -> None:
        """The daemon that plays."""
        daemon.pipeline.predicted.subscribe(self.told)
        with self._turn:
            self._daemon = daemon
            self._turn.notify_all()

    def looked(self, seq: int) -> None:
        """Called by the model once it has an answer: returns when it may be told."""
        with self._turn:
            self._due = due = max(self._given, seq + 1) + self._frames
            self._turn.notify_all()
            self._turn.wait_for(lambda: (self._given >= due or self._over) and not self._unheard)
            self._due = None

    def told(self) -> None:
        """Called for each look that the sinks will hear of: not for one at a place without what is followed there."""
        with self._turn:
            self._unheard += 1

    def heard(self) -> None:
        """Called by the sinks for each look."""
        with self._turn:
            self._unheard -= 1
            self._turn.notify_all()

    def give(self, seq: int, at_ns: int) -> None:
        """Called by the camera before each picture: returns once the daemon has done all that it can do by then."""
        with self._turn:
            self._turn.wait_for(lambda: self._daemon is not None)
        if seq:
            self._settle(seq)
        self.now_ns = at_ns

    def end(self, seq: int) -> None:
        """The clip is over."""
        self._settle(seq)
        with self._turn:
            self._over = True
            self._turn.notify_all()

    def _settle(self, given: int) -> None:
        with self._turn:
            self._given = given
            self._turn.notify_all()
            if not self._turn.wait_for(lambda: self._is_settled(given), _PATIENCE_S):
                raise RuntimeError(f"the model does not look at picture {given}")
        assert self._daemon is not None
        latest = self._daemon.pipeline.latest.peek()
        prediction = None if latest is None else latest.prediction
        told = None if prediction is None else prediction.told
        self.displays.append(Display(told, prediction is not None and prediction.track is not None))

    def _is_settled(self, given: int) -> bool:
        return self._due is not None and self._due > given and not self._unheard


class Camera:
    """A live source of given pictures."""

    live = True

    def __init__(self, pictures: Iterable[Picture], options: SourceOptions, step: Lockstep) -> None:
        self._pictures = pictures
        self._options = options
        self._step = step

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def stop(self) -> None: ...

    def __iter__(self) -> Iterator[Frame]:
        seq = -1
        for seq, picture in enumerate(self._pictures):
            at_ns = BEGAN_NS + round(picture.t * 1e9)
            self._step.give(seq, at_ns)
            self._step.hands[seq] = picture.hand
            picture.image.setflags(write=False)
            yield self._options.frame(picture.image, _SCHEME, seq, at_ns, 0)
        self._step.end(seq + 1)


def hand_box(box: Box, height: int, width: int, least_px: int) -> Rect:
    """The square that the model sees of a thing: its box, padded by half, inside the view.

    box       of the thing, which may reach outside
    least_px  its side is at least that
    """
    left, right = max(0.0, box.x) * width, min(1.0, box.x + box.width) * width
    top, bottom = max(0.0, box.y) * height, min(1.0, box.y + box.height) * height
    side = min(round(max(_PADDED * max(right - left, bottom - top), least_px)), height, width)
    x = min(max(0, round((left + right - side) / 2)), width - side)
    y = min(max(0, round((top + bottom - side) / 2)), height - side)
    return Rect(x, y, side, side)


@contextmanager
def _parts(sets: Sequence[str], step: Lockstep, pictures: Iterable[Picture], played: Played) -> Iterator[Daemon]:
    """The daemon's parts, with the clock, the camera and the pace of the model in their place."""

    class Paced(CameraClassifier):
        def __call__(self, frame: Frame) -> Prediction:
            hand = step.hands.get(frame.seq)
            prediction = super().__call__(frame if hand is None else replace(frame, crop=hand))
            step.looked(frame.seq)
            return prediction

    def opener(uri: str, place: str, options: SourceOptions) -> Source:
        return Camera(pictures, options, step)

    def read() -> Settings:
        return merge_layers(None, list(sets), {}, {}, Path("/nonexistent")).settings

    with (
        TemporaryDirectory(prefix="vitcam-wide-views-") as folder,
        patch.dict(OPENERS, {_SCHEME: opener}),
        patch("vitcam.daemon.assembly.CameraClassifier", Paced),
        patch("vitcam.daemon.assembly.build_sink", lambda *_: played),
        patch("time.monotonic_ns", lambda: step.now_ns),
        patch("time.monotonic", lambda: step.now_ns / 1e9),
    ):
        daemon = assemble(RunOptions(read(), read), {"STATE_DIRECTORY": folder}, patient=False)
        try:
            yield daemon
        finally:
            daemon.photos.close()
