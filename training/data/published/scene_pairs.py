"""Pairs of photos of one scene within collections of thousands: near by a model's embedding, and confirmed by local
features."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vitcam.model.classifier import Classifier
from vitcam_training.data.local_features import LocalFeatures, local_features, match_scenes
from vitcam_training.data.photos import read_photo
from vitcam_training.data.published.scene_split import Pair
from vitcam_training.progress import shown

NEIGHBOURS = 13
LEAST_COSINE = 0.6  # of two embeddings less their mean: below it no pair of one scene was found


def find_pairs(root: Path, paths: Sequence[str], others: Sequence[str], model: str = "everyday") -> list[Pair]:
    """Pairs of one scene: of two of `paths`, or of one of these and one of `others`.

    paths, others  of photos, relative to `root`
    model          whose embeddings tell which photos are compared
    """
    every = [*paths, *others]
    classifier = Classifier(model)
    answers = (classifier.classify_image(read_photo(root / path)) for path in shown(every, "asking the model"))
    rows = np.array([answer.embedding for answer in answers], np.float32)
    candidates = neighbours(rows, len(paths))

    @cache
    def features(path: str, mirror: bool) -> LocalFeatures:
        photo = read_photo(root / path)
        return local_features(np.ascontiguousarray(photo[:, ::-1]) if mirror else photo)

    def same(one: str, other: str) -> bool:
        return any(match_scenes(features(one, False), features(other, mirror)).same for mirror in (False, True))

    pairs = ((every[i], every[j]) for i, j in shown(candidates, "comparing photos"))
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
