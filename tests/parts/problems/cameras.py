"""Cameras for the watch of problems: scenes in memory, what may happen to them, and hours that pass quickly."""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.frames import SECOND, prediction
from tests.picture_by_picture import SteppedPipeline
from vitcam.daemon.publisher import Publisher
from vitcam.events import Rules
from vitcam.frames import Event, Frame, Image, Prediction
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.follower import Follower
from vitcam.look.motion import GateOptions, MotionGate
from vitcam.parts.problems.watch import ProblemWatch
from vitcam.pictures.resize import InputSpec, crop_of
from vitcam.pipeline.frozen import FrozenWatch
from vitcam.pipeline.options import PipelineOptions
from vitcam.rects import Rect
from vitcam.run.kinds import Hears

Change = Callable[[Image], Image]

LOOKS_PER_S = 2.0
_FPS = 10
_SPEC = InputSpec(64, 64)
_GATE = GateOptions(hold_s=1, rest_s=60)


def turned(degrees: float) -> Change:
    """The camera turns around its own axis."""

    def change(image: Image) -> Image:
        height, width = image.shape[:2]
        onto = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0)
        return np.asarray(cv2.warpAffine(image, onto, (width, height), borderMode=cv2.BORDER_REFLECT), np.uint8)

    return change


def shifted(share: float) -> Change:
    """The camera points elsewhere, by that part of the picture's width."""

    def change(image: Image) -> Image:
        height, width = image.shape[:2]
        onto = np.array([[1, 0, share * width], [0, 1, 0]], np.float32)
        return np.asarray(cv2.warpAffine(image, onto, (width, height), borderMode=cv2.BORDER_REFLECT), np.uint8)

    return change


def blurred(sigma: float) -> Change:
    """Out of focus, by a Gaussian of that many px."""
    return lambda image: np.asarray(cv2.GaussianBlur(image, (0, 0), sigma), np.uint8)


def lit(gain: float | Sequence[float], offset: float = 0.0) -> Change:
    """Other light: a gain for all colours or for each, and an offset in levels of 255."""
    gains = np.broadcast_to(np.asarray(gain, np.float64), 3)
    table = np.clip(np.arange(256)[:, None] * gains + offset, 0, 255).astype(np.uint8)
    return lambda image: np.asarray(cv2.LUT(image, table[None]), np.uint8)


def covered(image: Image) -> Image:
    """By a hand."""
    return _hand(*image.shape[:2])


@cache
def _hand(height: int, width: int) -> Image:
    """(height, width, 3) uint8: its colour, some shade, and the noise of a sensor."""
    shade = 0.6 + 0.4 * np.linspace(0, 1, width)
    noise = np.random.default_rng(0).normal(0, 3, (height, width, 1))
    return np.asarray((np.array([150, 90, 60]) * shade[None, :, None] + noise).clip(0, 255), np.uint8)


FAULTS: dict[str, tuple[Change, str]] = {
    "turned by 90°": (turned(90), "camera moved"),
    "turned by 180°": (turned(180), "camera moved"),
    "turned by 30°": (turned(30), "camera moved"),
    "shifted by 30 %": (shifted(0.3), "camera moved"),
    "blurred, 4 px": (blurred(4), "camera out of focus"),
    "blurred, 12 px": (blurred(12), "camera out of focus"),
    "darkened to 5 %": (lit(0.05), "camera covered"),
    "covered by a hand": (covered, "camera covered"),
    "covered by a cap": (lit(0.0), "camera covered"),
    "blinded": (lit(3.0, 140), "camera blinded"),
}
"""What may happen to a camera, and which problem it is."""


@dataclass
class Scenes:
    """A clip in memory, which repeats without end."""

    frames: Sequence[Image]
    predict: Callable[[int, Image], Prediction] = field(default=lambda index, image: prediction())
    """The prediction for a frame of that number; asked for once."""
    fps: float = 9.99
    _predictions: dict[int, Prediction] = field(default_factory=dict)

    def at(self, seconds: float, light: Change | None = None, fault: Change | None = None) -> tuple[Frame, Prediction]:
        """What a camera sees at that time, after `fault` and `light`."""
        index = int(seconds * self.fps) % len(self.frames)
        image = self.frames[index]
        for change in (fault, light):
            image = image if change is None else change(image)
        if index not in self._predictions:
            self._predictions[index] = self.predict(index, self.frames[index])
        height, width = image.shape[:2]
        captured_ns = round(seconds * SECOND)
        shown = Frame(image, None, Rect(0, 0, width, height), index, captured_ns, "test")
        return shown, replace(self._predictions[index], captured_ns=captured_ns)


class Counted(Follower):
    """A follower that counts how often it began again."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = 0

    def begin_anew(self) -> None:
        super().begin_anew()
        self.begun += 1


class _Told(Publisher):
    """Notes what is reported, and when."""

    def __init__(self, hour: "Hour") -> None:
        super().__init__(Rules(), lambda: None)
        self._hour = hour

    def report(self, event: Event) -> None:
        self._hour.events.append((self._hour.now_s, event))


@dataclass
class Hour:
    """What a watch said while time passed."""

    scenes: Scenes
    now_s: float = 0.0
    events: list[tuple[float, Event]] = field(default_factory=list)
    """When each came, in s, and the event."""

    def __post_init__(self) -> None:
        self.follower = Counted()
        self.watch = ProblemWatch(_Told(self), self.follower, FrozenWatch(ActiveAreas()))

    def passes(
        self, seconds: float, light: Callable[[float], Change] | None = None, fault: Change | None = None
    ) -> list[tuple[float, Event]]:
        """Let this much time pass; what was said in it, with the seconds since its start."""
        start_s, before = self.now_s, len(self.events)
        for step in range(round(seconds * LOOKS_PER_S)):
            self.now_s = start_s + step / LOOKS_PER_S
            shown = self.scenes.at(self.now_s, light(self.now_s) if light else None, fault)
            self.watch.saw(*shown, ())
        self.now_s = start_s + seconds
        return [(at_s - start_s, event) for at_s, event in self.events[before:]]


class CameraAtRest(Hears):
    """A fixed camera that rests while nothing moves, in a pipeline and with a watch.

    photo  (H, W, 3) uint8, RGB: all that it ever sees, with a sensor's noise
    """

    def __init__(self, photo: Image) -> None:
        noise = np.random.default_rng(0)
        noisy = (photo + noise.normal(0, 2, photo.shape) for _ in range(8))
        self._pictures = [each.clip(0, 255).astype(np.uint8) for each in noisy]
        self.taken = self.looks = 0
        """Pictures that it took, and looks of the model at them."""
        self.events: list[Event] = []
        """Of problems."""
        self.rested: list[bool] = []
        """Whether it rested as each of them was told."""
        told = Publisher(Rules(), lambda: None)
        options = PipelineOptions("camera", "model", gate=MotionGate(_GATE), input=_SPEC, rested=told.rested)
        self._stepped = SteppedPipeline(options, self._classify, told.prediction)
        told.attach(ProblemWatch(told, options.follower, self._stepped.pipeline.frozen), self)

    def heard(self, prediction: Prediction | None, events: tuple[Event, ...]) -> None:
        problems = [event for event in events if event.kind == "problem"]
        self.events += problems
        self.rested += [self._stepped.pipeline.resting.since_ns is not None for _ in problems]

    def passes(self, seconds: float, fault: Change = lambda picture: picture) -> None:
        """Let this much time pass, with what happens to the camera meanwhile."""
        shown = [fault(each) for each in self._pictures]
        for picture in itertools.islice(itertools.cycle(shown), round(seconds * _FPS)):
            self.taken += 1
            now_ns = SECOND + self.taken * SECOND // _FPS
            crop = crop_of(_SPEC, *picture.shape[:2])
            frame = Frame(picture, None, crop, self.taken, now_ns, "camera")
            self._stepped.take(now_ns, lambda: _at_an_eighth(picture), lambda: frame)  # noqa: B023

    def _classify(self, frame: Frame) -> Prediction:
        self.looks += 1
        return replace(prediction(), seq=frame.seq, captured_ns=frame.captured_ns)


def _at_an_eighth(picture: Image) -> Image:
    return np.asarray(cv2.resize(picture, None, fx=1 / 8, fy=1 / 8, interpolation=cv2.INTER_AREA), np.uint8)


def day_and_clouds(seconds: float) -> Change:
    """The light of a whole day in an hour: the sun rises and sets, its colour changes, clouds come within seconds."""
    sun = 0.8 - 0.45 * math.cos(2 * math.pi * seconds / 3600)  # 0.35 to 1.25
    cloud = 1 - 0.35 * _cloud(seconds)
    warm = 0.12 * math.cos(2 * math.pi * seconds / 3600)
    gains = [sun * cloud * (1 + warm), sun * cloud, sun * cloud * (1 - warm)]
    return lit(gains, 10 * math.sin(2 * math.pi * seconds / 700))


def _cloud(seconds: float) -> float:
    """0 to 1; each comes and goes within three seconds, some thirty an hour."""
    number, share = divmod(seconds, 120)
    begins = 20 + 13 * (number % 5)
    return min(1.0, max(0.0, min((share - begins) / 3, (begins + 40 - share) / 3)))


def fixed_camera(photo: Image, objects: Sequence[Image], seconds: float = 60.0, fps: float = 2.0) -> Iterator[Image]:
    """A camera that hangs still over a photo, with noise, before which things pass by.

    photo    (H, W, 3) uint8, RGB
    objects  smaller pictures; each crosses the view in its turn
    """
    rng = np.random.default_rng(0)
    height, width = photo.shape[:2]
    for step in range(round(seconds * fps)):
        image: NDArray[np.int16] = photo.astype(np.int16)
        thing = objects[step // 10 % len(objects)]
        tall, wide = thing.shape[:2]
        left = round((step % 10) / 9 * (width + wide)) - wide
        top = (height - tall) // 2
        a, b = max(0, left), min(width, left + wide)
        if b > a:
            image[top : top + tall, a:b] = thing[:, a - left : b - left]
        yield np.asarray((image + rng.normal(0, 2, image.shape)).clip(0, 255), np.uint8)
