"""A clip: a thing comes, moves or rests, and leaves, in a drawn scene with weather. Each frame has its truth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import cv2
import numpy as np

from tests.bench.wide_views.scenes import Scene, Sprite, scene_of
from tests.bench.wide_views.things import SHAPES, Shape, Thing
from tests.bench.wide_views.weather import QUALITY, WEATHERS, Weather, weather_of
from vitcam.frames import Image
from vitcam.rects import Box

FPS = 10.0
SIZES = (0.5, 1.0, 2.0, 4.0, 8.0)
"""The box of a thing, in % of the view's area."""
MOVES = ("crossing", "resting", "border", "feeder")
SPEEDS = (0.1, 0.2, 0.45, 0.9, 2.0)
"""Of what crosses, in widths of the view a second."""
RATES = (5.0, 10.0, 15.0, 30.0)
"""Pictures a second."""
_FIRST = {"choose": 0, "final": 2000}
_FIRST_VARIED = {"choose": 500, "final": 3000}
"""The number of a set's first clip. It draws the scene, its weather and the path; another one makes other clips.

The final clips had other numbers and scenes once. Their figures were looked at, so they chose what came after.
"""
_QUALITIES = (60, 90)
_STARTS_S = (0.5, 2.0)
_RESTING = 0.25
"""The part of the varied clips in which the thing stops in the view."""
HEIGHTS = {720: 1280, 1296: 2304}
"""Height -> width, in px."""
BEFORE_S, PRESENT_S, AFTER_S = 4.0, 8.0, 1.0
_COMES_S = 1.5
_SWING = 9.0  # degrees
_LEAST_TURN = 0.1  # degrees
_SHADOW = 0.45


@dataclass(frozen=True, slots=True)
class Plan:
    """What a clip shows."""

    kind: str
    """The set, `choose` or `final`."""
    number: int
    size: float
    weather: str
    move: str
    height: int
    shape: Shape = "cut-out"
    fps: float = FPS
    speed: float | None = None
    """Of what crosses, in widths of the view a second; None: it takes as long as other things stay."""
    before_s: float = BEFORE_S
    """From the camera's start until the thing comes."""
    quality: int = QUALITY
    """Of each JPEG."""

    @property
    def width(self) -> int:
        """In px."""
        return HEIGHTS[self.height]

    def present_s(self, own: int) -> float:
        """How long a thing that is so many px wide is there."""
        return PRESENT_S if self.speed is None else (self.width + own) / (self.speed * self.width)


class Shot(NamedTuple):
    """One frame and its truth."""

    t: float
    picture: Image
    box: Box | None
    """Where the thing is, also where a part of it lies outside; None: nowhere."""
    in_view: bool
    """At least half of the box is inside the view."""


def plans(kind: str, each: int, sizes: Sequence[float] = SIZES) -> list[Plan]:
    """`each` clips for each size, weather and resolution; moves take turns. Any first part of them is a fair sample."""
    cells = [(size, weather, height) for height in HEIGHTS for size in sizes for weather in WEATHERS]
    found = [
        Plan(kind, n, size, weather, MOVES[(n + n // len(MOVES) + turn) % len(MOVES)], height)
        for turn in range(each)
        for n, (size, weather, height) in enumerate(cells, _FIRST[kind] + turn * len(cells))
    ]
    return [found[i] for i in np.random.default_rng(0).permutation(len(found))]


def varied(kind: str, each: int, sizes: Sequence[float] = SIZES) -> list[Plan]:
    """`each` clips for each size and shape, with the camera's rate, start and quality, and the thing's speed, drawn."""
    cells = [(size, shape) for _ in range(each) for size in sizes for shape in SHAPES]
    found = []
    for number, (size, shape) in enumerate(cells, _FIRST_VARIED[kind]):
        rng = np.random.default_rng([13, number])
        weather, fps, speed = str(rng.choice(WEATHERS)), float(rng.choice(RATES)), float(rng.choice(SPEEDS))
        before_s, quality = round(rng.uniform(*_STARTS_S), 1), int(rng.integers(*_QUALITIES, endpoint=True))
        rests = rng.random() < _RESTING
        move, way = ("resting", None) if rests else ("crossing", speed)
        found.append(Plan(kind, number, size, weather, move, 720, shape, fps, way, before_s, quality))
    return found


def shots_of(plan: Plan, thing: Thing) -> Iterator[Shot]:
    """All frames of a clip. Two calls give the same."""
    scene = scene_of(plan.kind, plan.number, plan.height, plan.width)
    weather = weather_of(plan.weather, plan.number, plan.height, plan.width, plan.quality)
    sprite = _sized(thing, plan)
    path = _Path(plan, scene, sprite.opacity.shape)
    swings = plan.move == "feeder"
    for i in range(round((plan.before_s + path.present_s + AFTER_S) * plan.fps)):
        t = i / plan.fps
        picture = drawn(scene, weather, t, swings=swings)
        at = path.at(t - plan.before_s)
        if at is not None:
            _put(picture, sprite, at, shaded=plan.shape == "cut-out")
        yield Shot(t, weather.over(picture, t), _box(at, sprite, plan), _in_view(at, sprite, plan))


def drawn(scene: Scene, weather: Weather, t: float, swings: bool) -> Image:
    """The scene without a thing: branches sway with the wind, and a feeder swings."""
    picture = scene.still.copy()
    for n, branch in enumerate(scene.branches):
        _sway(picture, branch, 6 * weather.gust(t + 0.7 * n))
    if swings or weather.kind == "wind":
        _sway(picture, scene.feeder, _SWING * float(np.sin(2.6 * t)) * (1.0 if swings else 0.5))
    return picture


def truth(plan: Plan, thing: Thing, shot: Shot) -> dict[str, Any]:
    """A line of the file of truth."""
    box = None if shot.box is None else str(shot.box)
    return {"t": round(shot.t, 3), "things": [thing.label], "box": box, "in_view": shot.in_view, **asdict(plan)}


class _Path:
    """Where a thing is; times begin when it comes."""

    def __init__(self, plan: Plan, scene: Scene, size: tuple[int, ...]) -> None:
        rng = np.random.default_rng([11, ord(plan.kind[0]), plan.number])
        self._plan, self._size = plan, size
        self.present_s = plan.present_s(size[1])
        self._from_left = bool(rng.integers(0, 2))
        self._bob = rng.uniform(3, 6)
        height, width = plan.height, plan.width
        self._y = min(rng.uniform(scene.ground, 0.9) * height - size[0] / 2, height - 0.55 * size[0])
        self._x = rng.uniform(0.25, 0.75) * width
        if plan.move == "feeder":
            feeder = scene.feeder
            beside = feeder.opacity.shape[1] / 2 + size[1] / 2
            self._x = feeder.left + feeder.opacity.shape[1] / 2 + (-beside if self._from_left else beside)
            self._y = feeder.opacity.shape[0]

    def at(self, t: float) -> tuple[float, float] | None:
        """The centre, in px; None: it is not there."""
        if not 0 <= t <= self.present_s:
            return None
        width, own = self._plan.width, self._size[1]
        outside = -own / 2 if self._from_left else width + own / 2
        if self._plan.move == "crossing":
            x = outside + (width + own) * (1 if self._from_left else -1) * t / self.present_s
            return x, self._y - abs(np.sin(self._bob * t)) * 0.06 * self._size[0]
        place = self._x
        if self._plan.move == "border":  # seven tenths of it are in view
            place = outside + 0.7 * own * (1 if self._from_left else -1)
        come = min(1.0, t / _COMES_S, (self.present_s - t) / _COMES_S)
        shift = 0.05 * own * np.sin(1.3 * t) if self._plan.move == "border" else 0.0
        return outside + (place - outside) * come + shift, self._y


def _sized(thing: Thing, plan: Plan) -> Sprite:
    """The thing in the size of the plan."""
    area = plan.size / 100 * plan.height * plan.width
    ratio = thing.opacity.shape[1] / thing.opacity.shape[0]
    width, height = max(2, round((area * ratio) ** 0.5)), max(2, round((area / ratio) ** 0.5))
    shrinks = width < thing.opacity.shape[1]
    way = cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC
    picture = cv2.resize(thing.picture.astype(np.float32), (width, height), interpolation=way)
    opacity = cv2.resize(thing.opacity, (width, height), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)
    return Sprite(picture.clip(0, 255).astype(np.float32), opacity.astype(np.float32), 0, 0, (0, 0))


def _put(picture: Image, sprite: Sprite, at: tuple[float, float], shaded: bool) -> None:
    """Draw the thing, and its shadow below it."""
    height, width = sprite.opacity.shape
    left, top = round(at[0] - width / 2), round(at[1] - height / 2)
    if shaded:
        _shade(picture, height, width, left, top)
    _blend(picture, sprite.picture, sprite.opacity, left, top)


def _shade(picture: Image, height: int, width: int, left: int, top: int) -> None:
    shadow = np.zeros((max(3, height // 4), width), np.float32)
    centre = (width // 2, len(shadow) // 2)
    cv2.ellipse(shadow, centre, (max(1, width * 2 // 5), max(1, len(shadow) // 3)), 0, 0, 360, _SHADOW, -1)
    soft = cv2.GaussianBlur(shadow, (0, 0), max(1.0, len(shadow) / 8)).astype(np.float32)
    _blend(picture, np.zeros((*soft.shape, 3), np.float32), soft, left, top + height - len(shadow) * 2 // 3)


def _sway(picture: Image, sprite: Sprite, degrees: float) -> None:
    """Draw what turns about its pivot."""
    if abs(degrees) < _LEAST_TURN:
        _blend(picture, sprite.picture, sprite.opacity, sprite.left, sprite.top)
        return
    size = sprite.opacity.shape[::-1]
    turn = cv2.getRotationMatrix2D(sprite.pivot, degrees, 1.0)
    _blend(
        picture,
        cv2.warpAffine(sprite.picture, turn, size).astype(np.float32),
        cv2.warpAffine(sprite.opacity, turn, size).astype(np.float32),
        sprite.left,
        sprite.top,
    )


def _blend(picture: Image, layer: np.ndarray[Any, Any], opacity: np.ndarray[Any, Any], left: int, top: int) -> None:
    height, width = picture.shape[:2]
    h, w = opacity.shape
    y0, y1, x0, x1 = max(0, -top), min(h, height - top), max(0, -left), min(w, width - left)
    if y0 >= y1 or x0 >= x1:
        return
    part = picture[top + y0 : top + y1, left + x0 : left + x1]
    weight = opacity[y0:y1, x0:x1, None]
    part[:] = (part + weight * (layer[y0:y1, x0:x1] - part)).astype(np.uint8)


def _box(at: tuple[float, float] | None, sprite: Sprite, plan: Plan) -> Box | None:
    if at is None:
        return None
    h, w = sprite.opacity.shape
    return Box((at[0] - w / 2) / plan.width, (at[1] - h / 2) / plan.height, w / plan.width, h / plan.height)


def _in_view(at: tuple[float, float] | None, sprite: Sprite, plan: Plan) -> bool:
    box = _box(at, sprite, plan)
    if box is None:
        return False
    across = min(1.0, box.x + box.width) - max(0.0, box.x)
    down = min(1.0, box.y + box.height) - max(0.0, box.y)
    return across > 0 and down > 0 and across * down >= 0.5 * box.width * box.height
