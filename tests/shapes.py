"""A world of coloured shapes: pictures of them, and what one says of each."""

from __future__ import annotations

import itertools
import math

import cv2
import numpy as np
from numpy.typing import NDArray

SIDE = 48
COLOURS = {
    "red": (220, 30, 30), "green": (30, 170, 50), "blue": (40, 70, 220), "yellow": (235, 215, 40),
    "white": (245, 245, 245), "purple": (140, 40, 160), "orange": (245, 140, 20), "black": (15, 15, 15),
    "pink": (250, 160, 200), "brown": (110, 60, 20), "cyan": (50, 210, 220),
}  # fmt: skip
LINES = {"bar": (0.0,), "pole": (math.pi / 2,), "cross": (0.0, math.pi / 2)}
"""Shapes of lines, and how these are turned."""
SHAPES = ("circle", "ring", "triangle", *LINES)
PAIRS = tuple(itertools.product(COLOURS, SHAPES))
UNSEEN = tuple(pair for i, pair in enumerate(PAIRS) if i % len(SHAPES) == i // len(SHAPES) % len(SHAPES))
"""Combinations that no training has seen: one of each colour; each shape is among the others."""
STRIPED, BLOB = "striped", "blob"
"""Of any colours, and of any outline: what shows that a shape has no colour of its own, and a colour no shape."""
SEEN = tuple(pair for pair in PAIRS if pair not in UNSEEN)


def seen_pair(rng: np.random.Generator) -> tuple[str, str]:
    """What a picture for training shows: one of `SEEN`, or a colour or a shape by itself, which is learned sooner."""
    kind = rng.uniform()
    if kind < 0.4:
        return STRIPED, SHAPES[rng.integers(len(SHAPES))]
    if kind < 0.6:
        return tuple(COLOURS)[rng.integers(len(COLOURS))], BLOB
    return SEEN[rng.integers(len(SEEN))]


def draw(colour: str, shape: str, rng: np.random.Generator) -> NDArray[np.uint8]:
    """One shape near the middle of a grey ground that is light at one side, (SIDE, SIDE, 3) uint8, RGB."""
    slope = np.linspace(-30, 30, SIDE) * rng.uniform(-1, 1)
    ground = rng.uniform(90, 170) + slope[:, None] + rng.normal(0, 4, (SIDE, SIDE))
    mask = np.zeros((SIDE, SIDE), np.uint8)
    radius = rng.uniform(13, 19)
    x, y = SIDE / 2 + rng.uniform(-4, 4, 2)
    turn = rng.uniform(-0.25, 0.25)
    centre, size = (round(x), round(y)), round(radius)
    if shape in ("circle", "ring"):
        cv2.circle(mask, centre, size, 255, -1 if shape == "circle" else 3, cv2.LINE_AA)
    elif shape in LINES:
        for angle in LINES[shape]:
            step = radius * np.array([math.cos(angle + turn), math.sin(angle + turn)])
            ends = [tuple(np.round(np.array([x, y]) + sign * step).astype(int).tolist()) for sign in (1, -1)]
            cv2.line(mask, ends[0], ends[1], 255, 5, cv2.LINE_AA)
    else:
        lengths = np.full(3, radius) if shape == "triangle" else rng.uniform(0.4, 1, int(rng.integers(5, 10))) * radius
        cv2.fillPoly(mask, [_polygon(x, y, lengths, turn)], 255, cv2.LINE_AA)
    share = mask[..., None] / 255
    paint = _stripes(rng) if colour == STRIPED else np.array(COLOURS[colour]) + rng.normal(0, 8, 3)
    return np.clip(ground[..., None] * (1 - share) + paint * share, 0, 255).astype(np.uint8)


def _stripes(rng: np.random.Generator) -> NDArray[np.float64]:
    """Of any colours, (SIDE, SIDE, 3): shapes that are to be known whatever their colour."""
    bands = rng.uniform(0, 255, (SIDE, 3)).repeat(rng.integers(2, 8), axis=0)[:SIDE]
    across = np.broadcast_to(bands, (SIDE, SIDE, 3))
    return across if rng.integers(2) else across.transpose(1, 0, 2)


def _polygon(x: float, y: float, lengths: NDArray[np.float64], turn: float) -> NDArray[np.int32]:
    """Its corners, (n, 2), at these distances from the middle; the first is at the top."""
    angles = turn - math.pi / 2 + np.arange(len(lengths)) * 2 * math.pi / len(lengths)
    points = np.stack([x + lengths * np.cos(angles), y + lengths * np.sin(angles)], axis=-1)
    return np.round(points).astype(np.int32)


def caption(colour: str, shape: str, rng: np.random.Generator) -> str:
    """What somebody says of it: all of it, the colour or the shape alone, or next to nothing."""
    said = (f"a {colour} {shape}", f"a {shape} that is {colour}", f"a {colour} thing", f"a {shape}", "a thing")
    return f"a photo of {said[rng.choice(5, p=[0.2, 0.2, 0.29, 0.29, 0.02])]}."


def fits(text: str, colour: str, shape: str) -> bool:
    """Whether a caption says something that is true of a picture: it names its colour or its shape, and no other."""
    named = set(text.rstrip(".").split()) & {*COLOURS, STRIPED, *SHAPES, BLOB}
    return bool(named) and named <= {colour, shape}
