"""A photo as a camera would have it in the dark: with little light, or by the lamp of a camera that sees infrared.

What is changed follows the parts of a camera, drawn anew for each photo: little light of a warm lamp, motion while the
exposure lasts, Poisson noise of the electrons and noise of reading them, the falloff of a lamp beside the lens, JPEG.
The photos that measure are made dark by other code (published/ordinary.py), always with the same light, with no motion
and no JPEG; so a figure there is none on pictures of the kind that was trained on.

source  shot and read noise as Foi et al. 2008, "Practical Poissonian-Gaussian noise modeling"
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Image
from vitcam.pictures.decode import decode_image
from vitcam.pictures.encode import encode_jpeg

Random = np.random.Generator
Light = NDArray[np.float32]
GAMMA = 2.2


def with_little_light(photo: Image, seed: int) -> Image:
    """A photo by a lamp or a street's light: darker, greyer, warmer, blurred by motion, noisy.

    photo    (H, W, 3) uint8, RGB
    returns  the same shape
    """
    rng = np.random.default_rng(seed)
    light = _moved(np.asarray((photo.astype(np.float32) / 255) ** GAMMA, np.float32), rng)
    saturation = rng.uniform(0.2, 0.8)
    light = saturation * light + (1 - saturation) * light.mean(2, keepdims=True)
    light = light * np.array([rng.uniform(0.9, 1.3), 1, rng.uniform(0.6, 1.1)], np.float32)
    share = np.exp(rng.uniform(np.log(0.015), np.log(0.15)))  # of a day's light
    well = np.exp(rng.uniform(np.log(2000), np.log(8000)))  # electrons
    exposure = rng.uniform(0.15, 0.6)  # of a day's, after the gain
    seen = _seen(light * share * well, exposure / share, well, rng.uniform(2, 7), rng)
    return _compressed(np.round(255 * seen).astype(np.uint8), rng)


def by_a_lamp(photo: Image, seed: int) -> Image:
    """A photo by an infrared lamp beside the lens: grey, bright where the lamp points, dark and noisy beside.

    photo    (H, W, 3) uint8, RGB
    returns  the same shape; the three channels are nearly the same
    """
    rng = np.random.default_rng(seed)
    mixture = rng.dirichlet([4, 2, 1.5]).astype(np.float32)  # infrared light is nearest to red
    light = _moved(np.asarray(((photo.astype(np.float32) / 255) ** GAMMA) @ mixture, np.float32), rng)
    height, width = light.shape
    y, x = rng.uniform(0.35, 0.65), rng.uniform(0.35, 0.65)
    rows, columns = np.mgrid[:height, :width].astype(np.float32)
    distance = ((rows - y * height) ** 2 + (columns - x * width) ** 2) / (np.hypot(height, width) / 2) ** 2
    beam, rest = rng.uniform(0.3, 0.9), rng.uniform(0.03, 0.3)
    lamp = rest + (1 - rest) / (1 + distance / beam**2) ** 2
    well = np.exp(rng.uniform(np.log(200), np.log(1500)))
    seen = _seen(light * lamp * rng.uniform(0.6, 1.6) * well, 1, well, rng.uniform(0.5, 4), rng)
    return _compressed(np.repeat(np.round(255 * seen)[..., None], 3, 2).astype(np.uint8), rng)


def _moved(light: Light, rng: Random) -> Light:
    """Blurred along a line of up to 7 px."""
    length = int(rng.integers(1, 8))
    if length < 2:
        return light
    line = np.zeros((length, length), np.float32)
    angle, middle = rng.uniform(0, np.pi), (length - 1) / 2
    for t in np.linspace(-middle, middle, 4 * length):
        line[round(middle + t * np.sin(angle)), round(middle + t * np.cos(angle))] = 1
    return np.asarray(cv2.filter2D(light, -1, line / line.sum()), np.float32)


def _seen(electrons: Light, gain: float, well: float, noise: float, rng: Random) -> NDArray[np.float64]:
    """0 to 1, with gamma: what a sensor counts, and what reading it adds."""
    counted = rng.poisson(np.maximum(electrons, 0)) + rng.normal(0, noise, electrons.shape)
    return np.asarray(np.clip(counted * gain / well, 0, 1) ** (1 / GAMMA))


def _compressed(photo: Image, rng: Random) -> Image:
    return decode_image(encode_jpeg(photo, int(rng.integers(40, 81))))
