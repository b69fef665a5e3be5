"""The data set `blank`: drawn frames in which there is nothing to see. A model should call none of them known.

Each frame depends on its seed only. The seeds of the three parts lie far apart, so no frame is in two of them.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import cv2
import numpy as np

from vitcam.frames import Image
from vitcam.pictures.decode import decode_image
from vitcam.pictures.encode import encode_jpeg
from vitcam_training.data.blank.scenes import SCENES, Random, Scene
from vitcam_training.data.dataset import UNLABELLED, Dataset, Sample

SEEDS = {
    "train": range(1_000_000, 1_000_400),
    "choose": range(2_000_000, 2_000_200),
    "heldout": range(3_000_000, 3_000_200),
}
"""Training may draw more: up to the seeds of `choose`."""
SIZES = ((240, 320), (360, 480), (480, 640))  # height and width of cameras' previews
JPEGS = 0.6  # share of the frames that come as JPEG, as from most cameras


def blank() -> Dataset:
    """Frames of no label in the parts `train`, `choose` and `heldout`. They are drawn when they are read."""
    parts = {part: tuple(Sample(_name(seed), UNLABELLED, render=partial(blank_frame, seed)) for seed in seeds)
             for part, seeds in SEEDS.items()}  # fmt: skip
    return Dataset("blank", (), parts)


def scene_of(seed: int) -> str:
    """Which scene the frame of a seed shows: the name of a function in `blank_scenes.py`."""
    return SCENES[seed % len(SCENES)].__name__


def blank_frame(seed: int) -> Image:
    """A frame in which there is nothing to see.

    seed     the same gives the same frame; fifteen seeds in a row give one of each scene
    returns  (H, W, 3) uint8, RGB, of a size in `SIZES`
    """
    rng = np.random.default_rng(seed)
    h, w = SIZES[rng.integers(len(SIZES))]
    return _taken(rng, SCENES[seed % len(SCENES)](rng, h, w))


def _taken(rng: Random, scene: Scene) -> Image:
    """The scene as a camera delivers it: with vignetting, noise and often the artefacts of JPEG."""
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
