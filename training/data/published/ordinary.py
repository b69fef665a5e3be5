"""Ordinary photos of 200 everyday words, two of each: only to choose and to measure, never to train on.

The words are above or among the labels of `things.csv`: for a photo of a dog, any breed is right. Where the photo shows
a person as much (looked_at.py), `person` is right, too. The first photo of
each word by its file name chooses, the second measures. `everyday` has photos of some words to train on; what measures
of those is in a part of its own, too.

The same photos are also made as they would look at night, by day's last light or by a camera's own infrared lamp, and
as pencil drawings, so that the difference is that of the light, or of the drawing, alone. Real night and real drawings
are harder.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from zlib import crc32

import cv2
import numpy as np

from vitcam.frames import Image
from vitcam_training.data.dataset import Dataset, Sample, data_root, missing_data, photo_of
from vitcam_training.data.published.everyday_photos import label_of, listed_parts
from vitcam_training.data.published.imagenet import imagenet_things
from vitcam_training.data.published.looked_at import person_in
from vitcam_training.data.published.things import Things, read_things

SOURCE = "github.com/ajschumacher/imagen"

LIGHT = 0.03  # share of the daylight's that reaches the sensor
GAIN = 12.0  # by which the camera brightens
FULL_WELL, READ_NOISE = 4000.0, 4.0  # electrons, of a small sensor
COLOUR = 0.5  # share of the saturation that is left
INFRARED = (0.55, 0.3, 0.15)  # what a sensor without a filter sees by infrared light is nearest to its red
BEAM, REST = 0.45, 0.06  # width of the lamp's beam in half diagonals, and the light beside it, of that in the middle
LAMP = 1.3  # exposure in the middle: what is white there is overexposed
INFRARED_GAIN = 12.0
STROKE_PX = 6.0  # the standard deviation of the blur that a pencil's strokes stand out from


def ordinary() -> Dataset:
    """The parts `choose`, `heldout` and `heldout-trained`. Raises UsageError if the photos are not there."""
    folder, things = data_root() / "ordinary", read_things()
    if not folder.is_dir():
        raise missing_data(folder, SOURCE)
    words = [sorted(word.glob("n*.jpg")) for word in sorted(folder.iterdir())]
    parts = {
        part: tuple(_sample(photos[place], things) for photos in words if len(photos) > place)
        for place, part in enumerate(("choose", "heldout"))
    }
    trained = {label_of(path) for path in listed_parts()["heldout"]}
    parts["heldout-trained"] = tuple(each for each in parts["heldout"] if trained & {each.label, *each.accepted})
    return Dataset("ordinary", things.labels, {"train": (), **parts}, things.synsets, things.groups)


def _sample(path: Path, things: Things) -> Sample:
    """A photo whose name begins with the WordNet id of its word."""
    synset = path.name.split("_")[0]
    right = things.right_for_synset(synset)
    own = things.synsets.get(synset)
    label = own if own is not None else min(right)
    return Sample(path, label, accepted=right - {label}, also=person_in(path, things) - right)


def ordinary_both() -> Dataset:
    """The ordinary photos of two sources in one part `heldout`: these, and those of `imagenet-things`.

    Raises UsageError if the photos of one are not there.
    """
    here, there = ordinary(), imagenet_things()
    photos = here.parts["heldout"] + there.parts["heldout"]
    return replace(here, name="ordinary-both", parts={"train": (), "heldout": photos})


def ordinary_night() -> Dataset:
    """The ordinary photos in little light, in the same parts. Raises UsageError if they are not there."""
    return _altered("ordinary-night", at_night)


def ordinary_infrared() -> Dataset:
    """The ordinary photos by the light of an infrared lamp, in the same parts. Raises UsageError as `ordinary` does."""
    return _altered("ordinary-infrared", by_infrared)


def ordinary_drawn() -> Dataset:
    """The ordinary photos as pencil drawings, in the same parts. Raises UsageError if they are not there."""
    return _altered("ordinary-drawn", drawn)


def at_night(photo: Image, seed: int) -> Image:
    """A photo with little light: darker, greyer, and with the noise of a camera that brightens what it gets.

    photo    (H, W, 3) uint8, RGB
    seed     of the noise
    returns  the same shape
    source   shot and read noise as Foi et al. 2008, "Practical Poissonian-Gaussian noise modeling"
    """
    rng = np.random.default_rng(seed)
    light = (photo.astype(np.float32) / 255) ** 2.2
    grey = light.mean(axis=2, keepdims=True)
    electrons = FULL_WELL * LIGHT * (COLOUR * light + (1 - COLOUR) * grey)
    counted = rng.poisson(electrons) + rng.normal(0, READ_NOISE, electrons.shape)
    seen = np.clip(GAIN * counted / FULL_WELL, 0, 1) ** (1 / 2.2)
    return np.asarray(np.round(255 * seen), np.uint8)


def by_infrared(photo: Image, seed: int) -> Image:
    """A photo as a camera sees it at night by its own infrared lamp: grey, bright in the middle, dark and noisy beside.

    photo    (H, W, 3) uint8, RGB
    seed     of the noise
    returns  the same shape; the three channels are the same
    source   noise as `at_night`
    """
    rng = np.random.default_rng(seed)
    light = ((photo.astype(np.float32) / 255) ** 2.2) @ np.asarray(INFRARED, np.float32)
    y, x = (np.linspace(-1, 1, n, dtype=np.float32) * n / np.hypot(*light.shape) for n in light.shape)
    beam = REST + (1 - REST) * np.exp(-(y[:, None] ** 2 + x**2) / (2 * BEAM**2))
    electrons = FULL_WELL / INFRARED_GAIN * LAMP * light * beam
    counted = rng.poisson(electrons) + rng.normal(0, READ_NOISE, electrons.shape)
    seen = np.clip(counted * INFRARED_GAIN / FULL_WELL, 0, 1) ** (1 / 2.2)
    return np.asarray(np.repeat(np.round(255 * seen)[..., None], 3, axis=2), np.uint8)


def drawn(photo: Image, seed: int = 0) -> Image:
    """A photo as a pencil drawing: dark lines where the brightness changes, on white paper.

    photo    (H, W, 3) uint8, RGB
    seed     not used: a drawing has no noise
    returns  the same shape
    """
    grey = cv2.cvtColor(photo, cv2.COLOR_RGB2GRAY)
    blurred = cv2.GaussianBlur(grey, (0, 0), STROKE_PX)
    lines = np.clip(255.0 * grey / np.maximum(blurred, 1), 0, 255).astype(np.uint8)
    return np.asarray(np.repeat(lines[..., None], 3, axis=2))


def _altered(name: str, alter: Callable[[Image, int], Image]) -> Dataset:
    whole = ordinary()
    parts = {part: tuple(_rendered(sample, alter) for sample in samples) for part, samples in whole.parts.items()}
    return replace(whole, name=name, parts=parts)


def _rendered(sample: Sample, alter: Callable[[Image, int], Image]) -> Sample:
    return replace(sample, render=partial(_render, sample, alter))


def _render(sample: Sample, alter: Callable[[Image, int], Image]) -> Image:
    return alter(photo_of(sample), crc32(sample.path.name.encode()))
