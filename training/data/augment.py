"""Changes that leave a photo's label true: crops, turns, mirror images, colour, holes; and blends with both labels.

All draw from the generator that they are given, so a seed fixes every picture of a run.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.pictures.resize import InputSpec, to_model_size
from vitcam_training.config import check_ranges
from vitcam_training.data.randaugment import MAGNITUDES, rand_augment

RANGES = {
    "crop_scale": (0.01, 1), "pad": (0, 512), "turn": (0, 180), "shift": (0, 1), "zoom": (0, 0.9), "coarse": (0, 1),
    "flip": (0, 1), "colour": (0, 1), "randaugment": (0, 14), "magnitude": (0, MAGNITUDES), "erase": (0, 1),
    "mix": (0, 1),
}  # fmt: skip

Images = NDArray[np.uint8]


@dataclass(frozen=True)
class Augment:
    """How strongly training changes its photos."""

    crop_scale: float = 0.35
    """Smallest share of the photo's area that a random crop keeps; the largest is 1. 1: no crop of its own."""
    pad: int = 0
    """Pixels of black around the picture, out of which a random place of the old size is cut."""
    turn: float = 0.0
    """The picture is turned by up to this many degrees, either way."""
    shift: float = 0.0
    """It moves by up to this share of its sides, in both directions."""
    zoom: float = 0.0
    """It grows or shrinks by up to this fraction, in each direction by itself."""
    coarse: float = 0.0
    """Chance that the photo is first made smaller, down to half its sides: what a far or blurred thing looks like."""
    flip: float = 0.5
    """Chance of a mirror image."""
    colour: float = 0.3
    """Brightness, contrast and saturation change by up to this fraction."""
    randaugment: int = 0
    """Operations of RandAugment that each picture goes through; the paper has 2 in most of its runs."""
    magnitude: float = 9.0
    """Their strength, 0 to 10."""
    erase: float = 0.0
    """Chance that a random rectangle is covered with noise."""
    mix: float = 0.0
    """Chance that a batch is blended with itself in another order: half of the times by mixup, half by CutMix."""

    def __post_init__(self) -> None:
        """Raises ValueError for an invalid number."""
        check_ranges(self, RANGES)


def change(photo: Images, spec: InputSpec, augment: Augment, rng: np.random.Generator) -> Images:
    """One random training picture of a photo.

    photo    (H, W, 3) uint8, RGB
    returns  (spec.height, spec.width, 3) uint8, RGB
    """
    if augment.coarse and rng.random() < augment.coarse:
        photo = coarsen(photo, rng)
    crops = augment.crop_scale < 1
    image = random_crop(photo, spec, augment.crop_scale, rng) if crops else to_model_size(photo, spec)
    if augment.pad:
        image = cut_from_padded(image, augment.pad, rng)
    if augment.turn or augment.shift or augment.zoom:
        image = move(image, augment, rng)
    if rng.random() < augment.flip:
        image = image[:, ::-1]
    if augment.colour:
        image = jitter(image, augment.colour, rng)
    if augment.randaugment:
        image = rand_augment(image, augment.randaugment, augment.magnitude, rng)
    return erase(image, rng) if augment.erase and rng.random() < augment.erase else image


def cut_from_padded(image: Images, pad: int, rng: np.random.Generator) -> Images:
    """A place of the old size, (H, W, 3), out of the picture with `pad` black pixels around it.

    source  He et al. 2016 (arXiv 1512.03385), section 4.2: padded by 4 for CIFAR-10
    """
    height, width = image.shape[:2]
    padded = cv2.copyMakeBorder(image, pad, pad, pad, pad, cv2.BORDER_CONSTANT, value=(0, 0, 0))
    top, left = rng.integers(0, 2 * pad + 1, size=2)
    return np.asarray(padded[top : top + height, left : left + width], np.uint8)


def random_crop(photo: Images, spec: InputSpec, smallest: float, rng: np.random.Generator) -> Images:
    """A random rectangle of the photo, 3:4 to 4:3 as in Szegedy et al. 2015 (arXiv 1409.4842).

    photo    (H, W, 3) uint8, RGB
    returns  (h, w, 3) uint8, at the size of the model
    """
    height, width = photo.shape[:2]
    for _ in range(10):
        area = rng.uniform(smallest, 1.0) * height * width
        ratio = math.exp(rng.uniform(math.log(3 / 4), math.log(4 / 3)))
        w, h = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
        if w <= width and h <= height:
            y, x = rng.integers(0, height - h + 1), rng.integers(0, width - w + 1)
            shrinks = h >= spec.height and w >= spec.width
            flag = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
            crop = cv2.resize(photo[y : y + h, x : x + w], (spec.width, spec.height), interpolation=flag)
            return np.asarray(crop, np.uint8)
    return to_model_size(photo, spec)  # a strip too long for any such rectangle


def coarsen(photo: Images, rng: np.random.Generator) -> Images:
    """The photo, (H, W, 3) uint8, at a random size between half and all of its own. Detail is averaged away."""
    factor = rng.uniform(0.5, 1.0)
    height, width = (max(1, round(side * factor)) for side in photo.shape[:2])
    return np.asarray(cv2.resize(photo, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def move(image: Images, augment: Augment, rng: np.random.Generator) -> Images:
    """Turn, stretch and shift a picture, (H, W, 3) uint8, by one random affine map. The border is repeated."""
    height, width = image.shape[:2]
    angle = math.radians(rng.uniform(-augment.turn, augment.turn))
    scale = np.diag(rng.uniform(1 - augment.zoom, 1 + augment.zoom, 2))
    turned = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]) @ scale  # (2, 2)
    middle = np.array([(width - 1) / 2, (height - 1) / 2])
    offset = middle - turned @ middle + rng.uniform(-augment.shift, augment.shift, 2) * (width, height)
    matrix = np.column_stack([turned, offset])  # (2, 3)
    moved = cv2.warpAffine(image, matrix, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.uint8)


def jitter(image: Images, strength: float, rng: np.random.Generator) -> Images:
    """Change saturation, contrast and brightness of a picture, (H, W, 3) uint8, by one random 3 x 4 matrix."""
    saturation, contrast, brightness = rng.uniform(1 - strength, 1 + strength, 3)
    grey = np.tile(np.array([0.299, 0.587, 0.114]), (3, 1))
    colours = contrast * brightness * (saturation * np.eye(3) + (1 - saturation) * grey)  # (3, 3)
    offset = np.full((3, 1), (1 - contrast) * brightness * float(image.mean()))
    changed = cv2.transform(np.ascontiguousarray(image), np.hstack([colours, offset]))  # saturates at 0 and 255
    return np.asarray(changed, np.uint8)


def erase(image: Images, rng: np.random.Generator) -> Images:
    """Cover a random rectangle of a picture, (H, W, 3) uint8, with noise: 2 to 33 % of it, 1:3.3 to 3.3:1.

    source  Zhong et al. 2017 (arXiv 1708.04896), its RE-R
    """
    height, width = image.shape[:2]
    for _ in range(100):
        area = rng.uniform(0.02, 1 / 3) * height * width
        ratio = math.exp(rng.uniform(math.log(0.3), math.log(1 / 0.3)))
        h, w = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
        if 0 < h < height and 0 < w < width:
            y, x = rng.integers(0, height - h + 1), rng.integers(0, width - w + 1)
            covered = image.copy()
            covered[y : y + h, x : x + w] = rng.integers(0, 256, (h, w, 3), np.uint8)
            return covered
    return image  # a strip too thin for any such rectangle


def mix(images: Images, targets: NDArray[np.float32], rng: np.random.Generator) -> tuple[Images, NDArray[np.float32]]:
    """Blend a batch with itself in another order, by mixup (arXiv 1710.09412) or CutMix (arXiv 1905.04899).

    images   (B, H, W, 3) uint8; targets (B, C) float32, rows sum to 1
    returns  the same shapes
    """
    order = rng.permutation(len(images))
    if rng.random() < 0.5:
        share = rng.beta(0.4, 0.4)  # mostly near 0 or 1: most pictures stay recognisable
        mixed = cv2.addWeighted(images, share, images[order], 1 - share, 0.0)
    else:
        height, width = images.shape[1:3]
        side = math.sqrt(1 - rng.beta(1.0, 1.0))
        h, w = round(height * side), round(width * side)
        y, x = rng.integers(0, height - h + 1), rng.integers(0, width - w + 1)
        mixed = images.copy()
        mixed[:, y : y + h, x : x + w] = images[order, y : y + h, x : x + w]
        share = 1 - h * w / (height * width)
    return np.asarray(mixed, np.uint8), (share * targets + (1 - share) * targets[order]).astype(np.float32)
