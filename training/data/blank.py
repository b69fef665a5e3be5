"""The data set `blank`: drawn frames in which there is nothing to see. A model should call none of them known.

A scene, such as the dark, a wall, the sky or a hand over the lens, is a function of a generator and a size. It returns
(h, w, 3) floats, RGB, about 0 to 255, before any noise. A frame is a picture taken of a scene; it depends on its seed
only. The seeds of the three parts lie far apart, so no frame is in two of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Image
from vitcam.pictures.decode import decode_image
from vitcam.pictures.encode import encode_jpeg
from vitcam_training.data.dataset import UNLABELLED, Dataset, Sample

SEEDS = {
    "train": range(1_000_000, 1_000_400),
    "choose": range(2_000_000, 2_000_200),
    "heldout": range(3_000_000, 3_000_200),
}
"""Training may draw more: up to the seeds of `choose`."""
SIZES = ((240, 320), (360, 480), (480, 640))  # height and width of cameras' previews
JPEGS = 0.6  # share of the frames that come as JPEG, as from most cameras

Scene = NDArray[np.floating[Any]]
Plane = NDArray[np.floating[Any]]  # (h, w)
Random = np.random.Generator


def lens_cap(rng: Random, h: int, w: int) -> Scene:
    """Black, as under a lens cap or at night."""
    return _plain(rng.uniform(0, 5, 3), h, w)


def dark_room(rng: Random, h: int, w: int) -> Scene:
    """A few faint lights in the dark."""
    return blobs(rng, h, w) * np.float32(rng.uniform(0.015, 0.08)) + np.float32(rng.uniform(0, 4))


def overexposed(rng: Random, h: int, w: int) -> Scene:
    """White nearly everywhere."""
    faint = 1 + rng.uniform(0.02, 0.1) * waves(rng, h, w, rng.uniform(1, 3))
    return _plain(rng.uniform(248, 300, 3), h, w) * faint[..., None]


def wall(rng: Random, h: int, w: int) -> Scene:
    """A plain colour under light from a side."""
    return _colour(rng, h, w) * light(rng, h, w)[..., None]


def room(rng: Random, h: int, w: int) -> Scene:
    """An empty corner: two walls and a floor or a ceiling, each of one colour, with straight edges between."""
    scene, other, floor = wall(rng, h, w), wall(rng, h, w), wall(rng, h, w)
    if rng.random() < 0.7:  # the same paint under other light
        other = scene * rng.uniform(0.7, 1.2)
    y, x = np.mgrid[0:h, 0:w] / w - 0.5
    upright = x > rng.uniform(-0.3, 0.3) + rng.normal(0, 0.05) * y
    level = (y - rng.uniform(-0.3, 0.1) - rng.normal(0, 0.2) * np.abs(x - rng.uniform(-0.3, 0.3))) * rng.choice([-1, 1])
    shown = np.where(upright[..., None], other, scene) if rng.random() < 0.6 else scene
    return np.asarray(np.where(level[..., None] > rng.uniform(0.05, 0.3), floor, shown))


def plaster(rng: Random, h: int, w: int) -> Scene:
    """A wall of small bumps, lit from a side."""
    bumps = waves(rng, h, w, w / rng.uniform(3, 12))
    relief = bumps - np.roll(bumps, (1, 1), (0, 1))
    return wall(rng, h, w) * (1 + rng.uniform(0.03, 0.12) * relief / max(float(np.abs(relief).max()), 1e-6))[..., None]


def wallpaper(rng: Random, h: int, w: int) -> Scene:
    """A pattern of low contrast that repeats: stripes, or a small figure mirrored both ways."""
    side = int(rng.integers(16, max(17, w // 5)))
    small = waves(rng, side, side, rng.uniform(2, 5))
    if rng.random() < 0.4:
        small = np.broadcast_to(small[:1], small.shape)
    mirrored = np.block([[small, small[:, ::-1]], [small[::-1], small[::-1, ::-1]]])
    pattern = np.tile(mirrored, (h // len(mirrored) + 1, w // len(mirrored) + 1))[:h, :w]
    return wall(rng, h, w) * (1 + rng.uniform(0.02, 0.1) * pattern)[..., None]


def curtain(rng: Random, h: int, w: int) -> Scene:
    """Soft upright folds."""
    across = np.linspace(0, rng.uniform(3, 14) * 2 * np.pi, w, dtype=np.float32)
    folds = np.sin(across + 1.5 * waves(rng, h, w, 2) + rng.uniform(0, 7))
    return wall(rng, h, w) * (1 + rng.uniform(0.03, 0.15) * folds)[..., None]


def wood(rng: Random, h: int, w: int) -> Scene:
    """Boards with grain and narrow gaps."""
    grain = _stretched(rng, h, w, rng.uniform(30, 120), rng.uniform(2, 6))
    board = h / rng.uniform(1.2, 9)
    place = np.arange(h, dtype=np.float32) + np.float32(rng.uniform(0, board))
    tone = rng.normal(0, 0.06, h).astype(np.float32)[(place // board).astype(int) % h]
    gap = np.float32(rng.uniform(0, 0.4)) * (place % board < max(1.0, h / 200))
    shade = 1 + rng.uniform(0.03, 0.15) * grain + (tone - gap)[:, None]
    colour = np.array([1, rng.uniform(0.65, 0.85), rng.uniform(0.35, 0.65)]) * rng.uniform(90, 230)
    return seen_at_a_slant(rng, _plain(colour, h, w) * shade[..., None])


def tiles(rng: Random, h: int, w: int) -> Scene:
    """Square tiles with joints between."""
    side, joint = w / rng.uniform(2, 12), max(1.0, w / rng.uniform(80, 250))
    y, x = (np.arange(n, dtype=np.float32) + np.float32(rng.uniform(0, side)) for n in (h, w))
    lines = ((y % side < joint)[:, None] | (x % side < joint)[None]).astype(np.float32)
    tone = rng.normal(0, rng.uniform(0, 0.05), (32, 32)).astype(np.float32)
    shade = tone[(y // side).astype(int)[:, None] % 32, (x // side).astype(int)[None] % 32]
    shade = shade + rng.uniform(-0.3, 0.15) * lines + rng.uniform(0, 0.06) * waves(rng, h, w, 12)
    return seen_at_a_slant(rng, wall(rng, h, w) * (1 + shade)[..., None])


def carpet(rng: Random, h: int, w: int) -> Scene:
    """Tufts: a rough surface without any shape."""
    rough = waves(rng, h, w, w / rng.uniform(2, 6)) + 0.5 * waves(rng, h, w, rng.uniform(3, 10))
    return seen_at_a_slant(rng, _colour(rng, h, w) * (1 + rng.uniform(0.05, 0.2) * rough)[..., None])


def sky(rng: Random, h: int, w: int) -> Scene:
    """Blue, paler towards the bottom, with or without soft clouds."""
    down = np.linspace(0, 1, h, dtype=np.float32)[:, None, None]
    blue = np.array([rng.uniform(40, 130), rng.uniform(110, 180), rng.uniform(190, 250)], np.float32)
    air = blue + down * (np.float32(225) - blue) * np.float32(rng.uniform(0.1, 0.9))
    veil = sum((waves(rng, h, w, 2.0**n) * 0.6**n for n in range(1, 6)), np.zeros((h, w), np.float32))
    cover = np.clip(rng.uniform(-1.5, 1.5) + veil * rng.uniform(0.5, 1.5), 0, 1)[..., None]
    return np.asarray(np.broadcast_to(air, (h, w, 3)) * (1 - cover) + cover * np.float32(rng.uniform(190, 245)))


def out_of_focus(rng: Random, h: int, w: int) -> Scene:
    """Coloured shapes, blurred until none can be told."""
    blurred = cv2.GaussianBlur(shapes(rng, h, w), (0, 0), w * rng.uniform(0.06, 0.14))
    return np.asarray(blurred)


def covered(rng: Random, h: int, w: int) -> Scene:
    """A hand over the lens: reddish and dark; at one side up to a seventh of the scene behind it may be seen."""
    skin = np.array([rng.uniform(8, 150), rng.uniform(2, 45), rng.uniform(0, 40)], np.float32)
    hand = skin * (1 + 0.5 * waves(rng, h, w, rng.uniform(1, 2.5)))[..., None]
    if rng.random() < 0.4:
        return np.asarray(hand)
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    angle = rng.uniform(0, 2 * np.pi)
    along = np.float32(np.cos(angle)) * x + np.float32(np.sin(angle)) * y + np.float32(0.03 * w) * waves(rng, h, w, 3)
    edge = np.float32(np.quantile(along, 1 - rng.uniform(0.01, 0.14)))
    behind = 1 / (1 + np.exp(-np.clip((along - edge) / np.float32(w * rng.uniform(0.005, 0.03)), -30, 30)))
    return np.asarray(hand * (1 - behind[..., None]) + shapes(rng, h, w) * behind[..., None])


def grey(rng: Random, h: int, w: int) -> Scene:
    """One tone: what remains is the sensor's noise."""
    return _plain(np.full(3, rng.uniform(10, 200)) + rng.normal(0, 6, 3), h, w)


SCENES: tuple[Callable[[Random, int, int], Scene], ...] = (
    lens_cap, dark_room, overexposed, wall, plaster, wallpaper, curtain, wood, tiles, carpet, sky, out_of_focus,
    covered, grey, room,
)  # fmt: skip


def blobs(rng: Random, h: int, w: int) -> Scene:
    """Soft patches of colour."""
    return np.stack([127.5 * (1 + waves(rng, h, w, rng.uniform(1.5, 5))) for _ in range(3)], -1)


def shapes(rng: Random, h: int, w: int) -> Scene:
    """Circles and boxes of many colours, one over the other."""
    canvas = np.ascontiguousarray(_colour(rng, h, w))
    for _ in range(int(rng.integers(4, 25))):
        x, y, size = (int(rng.integers(0, n)) for n in (w, h, max(2, w // 4)))
        colour = tuple(float(each) for each in rng.uniform(0, 255, 3))
        if rng.random() < 0.5:
            cv2.circle(canvas, (x, y), size, colour, -1)
        else:
            cv2.rectangle(canvas, (x, y), (x + size, y + int(rng.integers(1, max(2, h // 3)))), colour, -1)
    return canvas


def _plain(colour: NDArray[np.floating[Any]], h: int, w: int) -> Scene:
    return np.broadcast_to(colour.astype(np.float32), (h, w, 3)).copy()


def _colour(rng: Random, h: int, w: int) -> Scene:
    """Mostly pale, as walls are; some of any colour."""
    grey_level, tint = rng.uniform(60, 235), rng.uniform(0, 1)
    return _plain(grey_level * (1 + (0.6 if tint > 0.7 else 0.12) * rng.uniform(-1, 0.3, 3)), h, w)


def light(rng: Random, h: int, w: int) -> Plane:
    """From bright to darker across the picture, and a soft spot."""
    y, x = np.mgrid[0:h, 0:w].astype(np.float32) / np.float32(w) - np.float32(0.5)
    slope, spot = rng.normal(0, 0.2, 2), rng.uniform(-0.7, 0.7, 2)
    bright = np.exp(-((y - spot[0]) ** 2 + (x - spot[1]) ** 2) / rng.uniform(0.1, 1.0))
    return np.asarray(np.clip(1 + slope[0] * y + slope[1] * x, 0.3, None) * (0.85 + rng.uniform(0, 0.35) * bright))


def waves(rng: Random, h: int, w: int, across: float) -> Plane:
    """Smooth random waves between about -1 and 1, so many across the picture."""
    return _stretched(rng, h, w, w / across, w / across)


def _stretched(rng: Random, h: int, w: int, width_px: float, height_px: float) -> Plane:
    """Random waves of this width and height."""
    grid = rng.uniform(-1, 1, (max(2, round(h / height_px)) + 2, max(2, round(w / width_px)) + 2)).astype(np.float32)
    return np.asarray(cv2.resize(grid, (w, h), interpolation=cv2.INTER_CUBIC))


def seen_at_a_slant(rng: Random, scene: Scene) -> Scene:
    """The same turned and seen at a slant."""
    h, w = scene.shape[:2]
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
    seen = corners + rng.uniform(-0.25, 0.25, (4, 2)).astype(np.float32) * np.float32(w)
    seen = np.roll(seen, int(rng.integers(0, 4)), 0)
    matrix = cv2.getPerspectiveTransform(seen, corners)
    warped = cv2.warpPerspective(scene, matrix, (w, h), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    return np.asarray(warped, dtype=np.float32)


def blank() -> Dataset:
    """Frames of no label in the parts `train`, `choose` and `heldout`. They are drawn when they are read."""
    parts = {part: tuple(Sample(_name(seed), UNLABELLED, render=partial(blank_frame, seed)) for seed in seeds)
             for part, seeds in SEEDS.items()}  # fmt: skip
    return Dataset("blank", (), parts)


def scene_of(seed: int) -> str:
    """Which scene the frame of a seed shows: the name of its function."""
    return SCENES[seed % len(SCENES)].__name__


def blank_frame(seed: int) -> Image:
    """A frame in which there is nothing to see.

    seed     the same gives the same frame; fifteen seeds in a row give one of each scene
    returns  (H, W, 3) uint8, RGB, of a size in `SIZES`
    """
    rng = np.random.default_rng(seed)
    h, w = SIZES[rng.integers(len(SIZES))]
    return taken(rng, SCENES[seed % len(SCENES)](rng, h, w))


def taken(rng: Random, scene: Scene) -> Image:
    """The scene as a camera delivers it: with vignetting, noise and often the artefacts of JPEG.

    scene    (H, W, 3) float32, RGB, levels of 255
    returns  (H, W, 3) uint8, RGB
    """
    noisy = _vignetted(rng, scene)
    noisy = noisy + _noise(rng, noisy)
    image = np.clip(np.round(noisy), 0, 255).astype(np.uint8)
    if rng.random() >= JPEGS:
        return image
    return decode_image(encode_jpeg(image, int(rng.integers(30, 96))))


def _vignetted(rng: Random, scene: Scene) -> Scene:
    h, w = scene.shape[:2]
    y, x = (np.linspace(-1, 1, n, dtype=np.float32) for n in (h, w))
    return np.asarray(scene * (1 - np.float32(rng.uniform(0, 0.2)) * (y[:, None] ** 2 + x**2))[..., None])


def _noise(rng: Random, scene: Scene) -> Scene:
    """Shot and read noise of ISO 100 to about 12,800; demosaicing has made neighbours alike in some."""
    gain = 2.0 ** rng.uniform(-5, 2)
    spread = np.sqrt(gain * np.clip(scene, 0, 255) + gain * rng.uniform(1, 20))
    grain = rng.standard_normal(scene.shape, np.float32)
    if rng.random() < 0.5:
        sigma = rng.uniform(0.4, 0.8)
        grain = cv2.GaussianBlur(grain, (0, 0), sigma) * np.float32(1 + sigma)
    return np.asarray(spread * grain, dtype=np.float32)


def _name(seed: int) -> Path:
    return Path(f"{scene_of(seed)}-{seed}.png")
