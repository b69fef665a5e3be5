"""Drawn scenes, as a fixed camera may see them: a garden, a wall, a yard. Those of the two sets have nothing in common.

Everything is drawn by a seed. Lengths are in parts of the height, so that a scene looks the same at every resolution.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Image

Layer = NDArray[np.float32]  # (H, W, 3), levels of 255, RGB
_Colour = tuple[int, int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Sprite:
    """Something that moves as a whole, with what it hangs or grows from."""

    picture: Layer
    opacity: NDArray[np.float32]
    """(h, w), 0 to 1."""
    left: int
    top: int
    pivot: tuple[float, float]
    """x and y in px of the sprite: this point stays where it is."""


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """What is there without things and weather."""

    still: Image
    """(H, W, 3) uint8, RGB."""
    branches: tuple[Sprite, ...]
    feeder: Sprite
    ground: float
    """Where things stand, in parts of the height."""


def scene_of(kind: str, number: int, height: int, width: int) -> Scene:
    """The scene with this number, of the set `choose` or `final`."""
    set_of = _KINDS[kind]
    rng = np.random.default_rng([ord(kind[0]), number])
    paint, leaf, tube = set_of[number % len(set_of)]
    still, ground = paint(rng, height, width)
    branches = tuple(_branch(rng, height, width, leaf) for _ in range(3))
    return Scene(np.asarray(still.clip(0, 255), np.uint8), branches, _feeder(rng, height, width, tube), ground)


def _cloudy(rng: np.random.Generator, height: int, width: int, first: int = 3, octaves: int = 6) -> Layer:
    """(H, W, 1), mean about 0: noise of all sizes. Perlin 1985, "An image synthesizer", by enlarged noise."""
    found = np.zeros((height, width), np.float32)
    for octave in range(octaves):
        cells = first * 2**octave
        small = rng.normal(size=(cells, cells * width // height))
        found += cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC) / 1.6**octave
    return np.asarray(found[..., None] / 2, np.float32)


def _plain(rng: np.random.Generator, height: int, width: int, colour: _Colour, rough: float) -> Layer:
    fine = rng.normal(0, rough / 3, (height, width, 1))
    return np.asarray(np.array(colour) + rough * _cloudy(rng, height, width) + fine, np.float32)


def _strokes(rng: np.random.Generator, layer: Layer, colour: _Colour, count: int, length: float, upright: bool) -> None:
    """Blades of grass, or leaves: short lines whose colours differ."""
    height, width = layer.shape[:2]
    for _ in range(count):
        x, y, shade = rng.uniform(0, width), rng.uniform(0, height), rng.normal(0, 14)
        angle = rng.normal(-np.pi / 2, 0.4) if upright else rng.uniform(0, 2 * np.pi)
        size = length * height * rng.uniform(0.5, 1.5)
        end = round(x + size * np.cos(angle)), round(y + size * np.sin(angle))
        tone = tuple(float(channel + shade) for channel in colour)
        cv2.line(layer, (round(x), round(y)), end, tone, max(1, round(height / 500)))


def _meadow(rng: np.random.Generator, height: int, width: int, colour: _Colour, blades: int) -> Layer:
    layer = np.ascontiguousarray(_plain(rng, height, width, colour, 9), np.float32)
    _strokes(rng, layer, colour, blades, 0.03, upright=True)
    return layer


@dataclass(frozen=True, slots=True)
class _Tiles:
    """Bricks, slabs or stones: each with a shade of its own, and joints between them."""

    colour: _Colour
    rough: float
    tall: float
    wide: float
    joint: _Colour
    offset: bool


def _tiled(rng: np.random.Generator, height: int, width: int, tiles: _Tiles) -> Layer:
    layer = _plain(rng, height, width, tiles.colour, tiles.rough)
    rows, columns = max(1, round(tiles.tall * height)), max(1, round(tiles.wide * height))
    gap = max(1, round(height / 250))
    for row, y in enumerate(range(0, height, rows)):
        shift = columns // 2 * (row % 2) if tiles.offset else 0
        for x in range(-shift, width, columns):
            part = layer[y : y + rows, max(0, x) : max(0, x + columns)]
            part += rng.normal(0, 11)
            part[-gap:] = tiles.joint
            part[:, -gap:] = tiles.joint
    return layer


def _lawn_and_hedge(rng: np.random.Generator, height: int, width: int) -> tuple[Layer, float]:
    edge = rng.uniform(0.3, 0.45)
    hedge = _plain(rng, height, width, (52, 78, 44), 16)
    _strokes(rng, hedge, (70, 100, 55), 2500, 0.012, upright=False)
    lawn = _meadow(rng, height, width, (96, 128, 62), 3500)
    return _above(hedge, lawn, edge), edge + 0.25


def _bricks_and_slabs(rng: np.random.Generator, height: int, width: int) -> tuple[Layer, float]:
    edge = rng.uniform(0.45, 0.6)
    wall = _tiled(rng, height, width, _Tiles((150, 88, 70), 8, 0.045, 0.14, (176, 168, 158), offset=True))
    yard = _tiled(rng, height, width, _Tiles((146, 142, 136), 8, 0.16, 0.3, (104, 102, 96), offset=False))
    return _above(wall, yard, edge), edge + 0.15


def _water_and_reed(rng: np.random.Generator, height: int, width: int) -> tuple[Layer, float]:
    edge = rng.uniform(0.4, 0.5)
    water = np.ascontiguousarray(_plain(rng, height, width, (104, 122, 134), 10), np.float32)
    for y in rng.integers(0, height, 90):  # ripples
        left = int(rng.integers(0, width))
        cv2.line(water, (left, int(y)), (left + height // 6, int(y)), (126, 144, 156), max(1, height // 400))
    _strokes(rng, water, (112, 116, 66), 900, 0.2, upright=True)
    bank = _meadow(rng, height, width, (128, 120, 84), 3000)
    return _above(water, bank, edge), edge + 0.2


def _stones_and_sand(rng: np.random.Generator, height: int, width: int) -> tuple[Layer, float]:
    edge = rng.uniform(0.42, 0.55)
    wall = _tiled(rng, height, width, _Tiles((118, 116, 112), 11, 0.1, 0.19, (74, 74, 72), offset=True))
    sand = _plain(rng, height, width, (192, 172, 134), 6)
    _strokes(rng, sand, (164, 146, 112), 3500, 0.005, upright=False)
    return _above(wall, sand, edge), edge + 0.17


def _above(upper: Layer, lower: Layer, edge: float) -> Layer:
    cut = round(edge * len(upper))
    return np.concatenate([upper[:cut], lower[cut:]])


def _branch(rng: np.random.Generator, height: int, width: int, leaf: _Colour) -> Sprite:
    """A branch with leaves that grows into the view from above."""
    side = round(height * rng.uniform(0.22, 0.36))
    picture, opacity = np.full((side, side, 3), leaf, np.float32), np.zeros((side, side), np.float32)
    for _ in range(140):
        spread = rng.uniform(0, 1) ** 0.7
        centre = (round(side * (0.5 + spread * rng.normal(0, 0.22))), round(side * spread * 0.9))
        axes = (max(2, round(side * 0.045)), max(1, round(side * 0.02)))
        angle, shade = rng.uniform(0, 360), rng.normal(0, 18)
        tone = tuple(float(channel + shade) for channel in leaf)
        cv2.ellipse(picture, centre, axes, angle, 0, 360, tone, -1)
        cv2.ellipse(opacity, centre, axes, angle, 0, 360, 1.0, -1)
    left = round(rng.uniform(0, width - side))
    return Sprite(picture.clip(0, 255), _soft(opacity), left, 0, (side / 2, 0.0))


def _feeder(rng: np.random.Generator, height: int, width: int, tube: bool) -> Sprite:
    """A bird feeder on a string: a little house, or a tube."""
    tall, wide = round(height * 0.34), round(height * 0.2)
    picture, opacity = np.zeros((tall, wide, 3), np.float32), np.zeros((tall, wide), np.float32)

    def fill(points: list[tuple[float, float]], colour: _Colour) -> None:
        corners = np.array([(x * wide, y * tall) for x, y in points], np.int32)
        cv2.fillConvexPoly(picture, corners, colour)
        cv2.fillConvexPoly(opacity, corners, 1.0)

    fill([(0.48, 0), (0.52, 0), (0.52, 0.45), (0.48, 0.45)], (60, 60, 60))
    if tube:
        fill([(0.36, 0.45), (0.64, 0.45), (0.64, 0.95), (0.36, 0.95)], (190, 196, 190))
        fill([(0.38, 0.6), (0.62, 0.6), (0.62, 0.93), (0.38, 0.93)], (150, 120, 76))
        fill([(0.25, 0.95), (0.75, 0.95), (0.75, 0.99), (0.25, 0.99)], (80, 92, 80))
    else:
        fill([(0.5, 0.42), (0.98, 0.62), (0.02, 0.62)], (112, 60, 46))
        fill([(0.2, 0.62), (0.8, 0.62), (0.8, 0.9), (0.2, 0.9)], (158, 122, 84))
        fill([(0.05, 0.9), (0.95, 0.9), (0.95, 0.97), (0.05, 0.97)], (96, 72, 50))
    left = round(rng.uniform(0.3, 0.7) * width - wide / 2)
    return Sprite(picture, _soft(opacity), left, 0, (wide / 2, 0.0))


def _soft(opacity: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(cv2.GaussianBlur(opacity, (3, 3), 0), np.float32)


_Paint = Callable[[np.random.Generator, int, int], tuple[Layer, float]]
_KINDS: dict[str, tuple[tuple[_Paint, _Colour, bool], ...]] = {
    "choose": ((_lawn_and_hedge, (66, 110, 48), False), (_bricks_and_slabs, (88, 104, 52), False)),
    "final": ((_water_and_reed, (92, 112, 60), True), (_stones_and_sand, (74, 102, 40), True)),
}
