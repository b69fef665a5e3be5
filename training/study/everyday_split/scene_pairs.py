"""Pairs of photos of one scene within collections of thousands: near by a model's embedding, and confirmed by local
features and a similarity between the pictures.

Thumbnails (stratified_split.py) find copies; this also finds crops, frames of a video, bursts and mirror images. The
keypoints of one photo are matched with those of the other (SIFT, Lowe 2004), and RANSAC looks for a scale, a turn and a
shift that many of the matches agree on. Descriptors are compared as RootSIFT (Arandjelović & Zisserman 2012).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Image
from vitcam.model.classifier import Classifier
from vitcam_training.data.dataset import read_photo
from vitcam_training.progress import with_progress

SIDE_PX = 160  # shorter side at which keypoints are looked for: photos of all data sets have as much
KEYPOINTS = 300
RATIO = 0.8  # Lowe's: the best match must be this much nearer than the second
REPROJECTION_PX = 3.0
SCALES = (0.3, 3.3)
ENOUGH, WIDE = 12, 0.1  # inliers, and the share of the picture that they surround
FEWEST = 8  # matches below which no similarity is looked for: four points fix it


@dataclass(frozen=True, eq=False)
class LocalFeatures:
    """The keypoints of one photo."""

    points: NDArray[np.float32]
    """(k, 2): x, y in px."""
    descriptors: NDArray[np.float32]
    """(k, 128), rows of length 1."""
    area: float
    """px² of the picture that they were found in."""


@dataclass(frozen=True)
class SceneMatch:
    """What two photos have in common."""

    inliers: int = 0
    """Matches that agree on one similarity."""
    coverage: float = 0.0
    """Share of the picture that these matches surround, in the photo where it is larger."""

    @property
    def same(self) -> bool:
        """Whether they show the same scene: pairs around these limits were looked at."""
        return self.inliers >= ENOUGH and self.coverage >= WIDE


def local_features(photo: Image) -> LocalFeatures:
    """Find the keypoints of a photo, (H, W, 3) uint8 RGB."""
    grey = cv2.cvtColor(photo, cv2.COLOR_RGB2GRAY)
    scale = SIDE_PX / min(grey.shape)
    if scale < 1:
        grey = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    found, descriptors = cv2.SIFT.create(nfeatures=KEYPOINTS, contrastThreshold=0.03).detectAndCompute(grey, None)
    if descriptors is None:
        return LocalFeatures(np.zeros((0, 2), np.float32), np.zeros((0, 128), np.float32), float(grey.size))
    roots = np.sqrt(descriptors / np.maximum(descriptors.sum(1, keepdims=True), 1e-6))
    return LocalFeatures(
        np.array([point.pt for point in found], np.float32), roots.astype(np.float32), float(grey.size)
    )


def match_scenes(one: LocalFeatures, other: LocalFeatures) -> SceneMatch:
    """Compare two photos. Mirror one of them before its features are found, to find mirror images."""
    pairs = _matches(one.descriptors, other.descriptors)  # (m, 2)
    if len(pairs) < FEWEST:
        return SceneMatch()
    here, there = one.points[pairs[:, 0]], other.points[pairs[:, 1]]
    similarity, inlier = cv2.estimateAffinePartial2D(there, here, ransacReprojThreshold=REPROJECTION_PX)
    if similarity is None or not SCALES[0] < np.hypot(similarity[0, 0], similarity[1, 0]) < SCALES[1]:
        return SceneMatch()
    agreed = inlier[:, 0] > 0
    if agreed.sum() < FEWEST:
        return SceneMatch(int(agreed.sum()))
    shares = (
        cv2.contourArea(cv2.convexHull(points[agreed])) / features.area
        for points, features in ((here, one), (there, other))
    )
    return SceneMatch(int(agreed.sum()), max(shares))


def _matches(one: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.intp]:
    """(k, 128) and (l, 128) -> (m, 2): rows that are each other's nearest, and much nearer than the second."""
    if min(len(one), len(other)) < FEWEST:
        return np.zeros((0, 2), np.intp)
    products = one @ other.T  # of unit rows: |a - b|² = 2 - 2 a·b
    rows = np.arange(len(one))
    order = np.argpartition(-products, 1, axis=1)[:, :2]
    first, second = (np.sqrt(np.maximum(0, 2 - 2 * products[rows, order[:, i]])) for i in (0, 1))
    nearer = np.where(first <= second, order[:, 0], order[:, 1])
    clear = np.minimum(first, second) < RATIO * np.maximum(first, second)
    mutual = products.argmax(axis=0)[nearer] == rows
    return np.asarray(np.stack([rows, nearer], axis=1)[clear & mutual])


NEIGHBOURS = 13
LEAST_COSINE = 0.6  # of two embeddings less their mean: below it no pair of one scene was found


def find_pairs(
    root: Path, paths: Sequence[str], others: Sequence[str], model: str = "everyday"
) -> list[tuple[str, str]]:
    """Pairs of one scene: of two of `paths`, or of one of these and one of `others`.

    paths, others  of photos, relative to `root`
    model          whose embeddings tell which photos are compared
    """
    every = [*paths, *others]
    classifier = Classifier(model)
    answers = (classifier.classify_image(read_photo(root / path)) for path in with_progress(every, "asking the model"))
    rows = np.array([answer.embedding for answer in answers], np.float32)
    candidates = neighbours(rows, len(paths))

    @cache
    def features(path: str, mirror: bool) -> LocalFeatures:
        photo = read_photo(root / path)
        return local_features(np.ascontiguousarray(photo[:, ::-1]) if mirror else photo)

    def same(one: str, other: str) -> bool:
        return any(match_scenes(features(one, False), features(other, mirror)).same for mirror in (False, True))

    pairs = ((every[i], every[j]) for i, j in with_progress(candidates, "comparing photos"))
    return [pair for pair in pairs if same(*pair)]


def neighbours(rows: NDArray[np.float32], count: int) -> list[tuple[int, int]]:
    """Pairs (i, j), i < j, of which one is among the nearest neighbours of the other, and one is below `count`.

    rows  (n, D) embeddings
    """
    centred = rows - rows.mean(axis=0)
    centred /= np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-6)
    cosine = centred[:count] @ centred.T  # (count, n)
    cosine[np.arange(count), np.arange(count)] = -1
    nearest = np.argpartition(-cosine, min(NEIGHBOURS, len(rows) - 1) - 1, axis=1)[:, :NEIGHBOURS]
    found = {(min(i, int(j)), max(i, int(j))) for i in range(count) for j in nearest[i] if cosine[i, j] > LEAST_COSINE}
    return sorted(found)
