"""Synthetic scenes in which things move, and what an ideal model would say of a look at them."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.frames import SECOND, prediction
from vitcam.frames import Frame, Image, Place, Prediction
from vitcam.rects import Rect

WIDTH, HEIGHT, FPS = 320, 180, 12
Floats = NDArray[np.float32]


def textured(seed: int, height: int = HEIGHT, width: int = WIDTH) -> Floats:
    """(height, width, 3): a scene with large shapes and fine texture, in levels of 255."""
    rng = np.random.default_rng(seed)
    large = cv2.resize(
        rng.uniform(60, 190, (6, 10, 3)).astype(np.float32), (width, height), interpolation=cv2.INTER_CUBIC
    )
    edges = cv2.resize(rng.normal(0, 25, (18, 32, 3)).astype(np.float32), (width, height), interpolation=cv2.INTER_AREA)
    fine = cv2.GaussianBlur(rng.normal(0, 30, (height, width, 1)).astype(np.float32), (0, 0), 1.0)[..., None]
    return np.asarray(np.clip(large + edges + fine, 0, 255), dtype=np.float32)


@dataclass
class Thing:
    """A textured patch whose middle moves."""

    where: Callable[[float], tuple[float, float] | None]
    """Time in s -> x and y of its middle, in px; None: it is not there."""
    side: int = 17
    level: float = 60.0
    """How much it is brighter than grey."""
    name: str | None = "bird"
    """What the model says of it."""
    seed: int = 0

    def draw(self, picture: Floats, at_s: float) -> Rect | None:
        """Its rectangle in the picture; None: it is not there."""
        if (middle := self.where(at_s)) is None:
            return None
        height, width = picture.shape[:2]
        left, top = round(middle[0] - self.side / 2), round(middle[1] - self.side / 2)
        x, y, right, bottom = max(0, left), max(0, top), min(width, left + self.side), min(height, top + self.side)
        if right <= x or bottom <= y:
            return None
        patch = 120 + self.level + np.random.default_rng(self.seed).normal(0, 25, (self.side, self.side, 3))
        picture[y:bottom, x:right] = patch[y - top : bottom - top, x - left : right - left]
        return Rect(x, y, right - x, bottom - y)


@dataclass
class Clip:
    """A clip of a still camera: frames with where its things are."""

    seconds: float
    things: tuple[Thing, ...] = ()
    light: Callable[[Floats, float], Floats] = lambda picture, _: picture
    """What light and weather make of a picture at a time."""
    noise: float = 3.0
    fps: float = FPS
    background: Floats = field(default_factory=lambda: textured(7))

    def __iter__(self) -> Iterator[tuple[Frame, dict[str | None, Rect]]]:
        rng = np.random.default_rng(1)
        grains = [rng.normal(0, self.noise, self.background.shape).astype(np.float32) for _ in range(7)]
        for seq in range(round(self.seconds * self.fps)):
            at_s = seq / self.fps
            picture = self.background.copy()
            drawn = {each.name: each.draw(picture, at_s) for each in self.things}
            picture = self.light(picture, at_s) + grains[seq % 7]
            yield (
                frame_at(np.clip(picture, 0, 255).astype(np.uint8), seq, at_s),
                {name: rect for name, rect in drawn.items() if rect is not None},
            )


def frame_at(image: Image, seq: int, at_s: float) -> Frame:
    """A frame of a camera, taken so many seconds after the first."""
    height, width = image.shape[:2]
    side = min(height, width)
    crop = Rect((width - side) // 2, (height - side) // 2, side, side)
    return Frame(image, None, crop, seq, SECOND + round(at_s * SECOND), "test")


def told(frame: Frame, place: Place, things: dict[str | None, Rect], rest: str | None = None) -> Prediction:
    """What an ideal model says of what a frame's crop shows: the largest thing of which it sees enough, else `rest`."""
    best, most = rest, 0.02
    for name, thing in things.items():
        seen = thing.common_area(frame.crop) / frame.crop.area
        if name is not None and seen > most:
            best, most = name, seen
    answer = prediction(best or "nothing", 0.9 if best else 0.2, frame.captured_ns, frame.seq)
    height, width = frame.preview.shape[:2]
    return replace(
        answer, size=(width, height), crop=frame.crop, zone=place.zone, track=place.track, known=best is not None
    )


def circling(
    x: float, y: float, radius: float, period_s: float, phase: float = 0.0
) -> Callable[[float], tuple[float, float]]:
    """A way around a point."""

    def where(at_s: float) -> tuple[float, float]:
        turn = 2 * math.pi * at_s / period_s + phase
        return x + radius * math.cos(turn), y + radius * math.sin(turn)

    return where


def swinging(x: float, y: float, reach: float, period_s: float) -> Callable[[float], tuple[float, float]]:
    """Left and right of a point."""
    return lambda at_s: (x + reach * math.sin(2 * math.pi * at_s / period_s), y)


def crossing(begins_s: float, y: float, speed: float) -> Callable[[float], tuple[float, float] | None]:
    """From left to right, in px/s."""
    return lambda at_s: None if at_s < begins_s else (speed * (at_s - begins_s), y)


def resting(begins_s: float, ends_s: float, x: float, y: float) -> Callable[[float], tuple[float, float] | None]:
    """There for a time."""
    return lambda at_s: (x, y) if begins_s <= at_s < ends_s else None
