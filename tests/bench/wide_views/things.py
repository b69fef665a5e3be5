"""Things that the model names when it sees them large: cut out of photos, or the middle squares of photos."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.bench.wide_views.scenes import scene_of
from vitcam.frames import Image
from vitcam.model.classifier import Classifier
from vitcam_training.data.dataset import data_root, missing_data
from vitcam_training.data.published.everyday_photos import SOURCES, label_of, listed_parts
from vitcam_training.data.published.things import read_things
from vitcam_training.evaluation.clips import RIGHT, Names

Shape = Literal["cut-out", "square"]
SHAPES: tuple[Shape, ...] = ("cut-out", "square")
"""A thing is cut out of its photo, or it is the middle square of one."""
PARTS = {"choose": ("choose", "calibration"), "final": ("heldout",)}
"""Set of clips -> the parts of the photos that its things are cut from."""
_SQUARES = 100  # photos of which squares are taken
_RIM_PX = 3
_PLAIN = 20.0  # levels of 255 from the middle colour of the rim
_BACKGROUND = 22.0
_MOST_ODD = 0.04  # share of the rim that may be of another colour
_LEAST_SHARE, _MOST_SHARE = 0.1, 0.8  # of the photo that the thing takes
_MOST_OF_ITS_BOX = 0.92  # what fills more is a photo within the photo
_GREEN = (105, 125, 85)


@dataclass(frozen=True, slots=True, eq=False)
class Thing:
    """Something cut out of a photo."""

    photo: str
    """Below the folder of data."""
    label: str
    picture: Image
    """(h, w, 3) uint8, RGB; its sides touch the thing."""
    opacity: NDArray[np.float32]
    """(h, w), 0 to 1."""


def things_of(kind: str, classifier: Classifier | None, shape: Shape = "cut-out") -> list[Thing]:
    """The things of a set, in an order of its own; None: all of them, whether a model names them or not.

    raises  UsageError if the photos are not there
    """
    root, labels = data_root(), read_things().labels
    if not (root / "caltech101").is_dir():
        raise missing_data(root / "caltech101", SOURCES)
    photos = sorted(path for part in PARTS[kind] for path in listed_parts()[part] if path.startswith("caltech101/"))
    backgrounds, names = [*_backgrounds(kind)], None if classifier is None else Names(classifier)

    def is_named(thing: Thing) -> bool:
        if classifier is None or names is None:
            return True
        looks = (classifier.classify_image(placed(thing, background)).shown for background in backgrounds)
        return all(names.judge(shown.label, [thing.label]) == RIGHT for shown in looks)

    made = _cut(root, photos, labels) if shape == "cut-out" else _squares(root, photos, labels)
    found = [thing for thing in made if is_named(thing)]
    order = np.random.default_rng(0).permutation(len(found))
    return [found[i] for i in order]


def _squares(root: Path, photos: list[str], labels: tuple[str, ...]) -> Iterator[Thing]:
    for path in np.random.default_rng(1).permutation(photos)[:_SQUARES]:
        photo = cv2.cvtColor(cv2.imread(str(root / path)), cv2.COLOR_BGR2RGB).astype(np.uint8)
        side = min(photo.shape[:2])
        top, left = (photo.shape[0] - side) // 2, (photo.shape[1] - side) // 2
        square = photo[top : top + side, left : left + side].copy()
        yield Thing(str(path), labels[label_of(path)], square, np.ones((side, side), np.float32))


def _cut(root: Path, photos: list[str], labels: tuple[str, ...]) -> Iterator[Thing]:
    for path in photos:
        photo = cv2.cvtColor(cv2.imread(str(root / path)), cv2.COLOR_BGR2RGB).astype(np.uint8)
        opacity = opacity_of(photo)
        if opacity is not None:
            ys, xs = np.nonzero(opacity > 0.5)
            part = np.s_[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1]
            yield Thing(path, labels[label_of(path)], photo[part].copy(), opacity[part].copy())


def opacity_of(photo: Image) -> NDArray[np.float32] | None:
    """Where the one thing before a plain background is.

    photo    (H, W, 3) uint8, RGB
    returns  (H, W), 0 to 1; None if the background is not plain, or there is not one thing before it
    """
    rim = np.concatenate([side.reshape(-1, 3) for side in _rim(photo)])
    colour = np.median(rim, axis=0)
    if np.mean(np.abs(rim - colour).max(axis=1) > _PLAIN) > _MOST_ODD:
        return None
    distance = np.linalg.norm(cv2.GaussianBlur(photo, (3, 3), 0).astype(np.float32) - colour, axis=2)
    _, parts = cv2.connectedComponents((distance < _BACKGROUND).astype(np.uint8), connectivity=4)
    outside = np.unique(np.concatenate([side.ravel() for side in _rim(parts)]))
    mask = (~np.isin(parts, outside[outside > 0])).astype(np.uint8)
    mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)).astype(np.uint8)
    count, parts, boxes, _ = cv2.connectedComponentsWithStats(mask)
    if count < 2:
        return None
    largest = 1 + int(np.argmax(boxes[1:, cv2.CC_STAT_AREA]))
    _, _, width, height, area = (int(each) for each in boxes[largest])
    if not _LEAST_SHARE < area / mask.size < _MOST_SHARE or area > _MOST_OF_ITS_BOX * width * height:
        return None
    inner = cv2.erode((parts == largest).astype(np.float32), np.ones((2, 2), np.uint8))  # without the light fringe
    return np.asarray(cv2.GaussianBlur(inner, (3, 3), 0), np.float32)


def _backgrounds(kind: str) -> Iterator[Image]:
    """Parts of the set's scenes, and plain green."""
    yield np.full((448, 448, 3), _GREEN, np.uint8)
    for number in range(2):
        scene = scene_of(kind, number, 720, 1280)
        top = min(round(scene.ground * 720) - 100, 720 - 448)
        yield scene.still[top : top + 448, 400:848]


def placed(thing: Thing, background: Image) -> Image:
    """A thing before a background, as large as a box around it would show it.

    background  (448, 448, 3) uint8, RGB
    returns     the same shape
    """
    height, width = thing.opacity.shape
    scale = 448 / (1.5 * max(height, width))
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    picture = cv2.resize(thing.picture.astype(np.float32), size, interpolation=cv2.INTER_LINEAR)
    opacity = cv2.resize(thing.opacity, size, interpolation=cv2.INTER_LINEAR)[..., None]
    found, top, left = background.copy(), (448 - size[1]) // 2, (448 - size[0]) // 2
    part = found[top : top + size[1], left : left + size[0]]
    part[:] = (part + opacity * (picture - part)).astype(np.uint8)
    return found


def _rim(picture: NDArray[np.generic]) -> tuple[NDArray[np.generic], ...]:
    n = _RIM_PX
    return picture[:n], picture[-n:], picture[:, :n], picture[:, -n:]
