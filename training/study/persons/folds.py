"""Rows that are fitted again without some photos of `persons`, and what they make of those."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from vitcam_training.data.dataset import ABSENT, DEPICTED, SHOWN
from vitcam_training.rows.choose import Head
from vitcam_training.rows.lesson import Photos
from vitcam_training.rows.logistic import Floats, Lesson, Rows, fit_rows

FOLDS = 5
ALIKE = 0.7
"""Cosine of two photos' embeddings, their mean taken away, from which on they count as one scene."""
TAUGHT = (SHOWN, ABSENT, DEPICTED)


def scenes_of(embedding: Floats) -> NDArray[np.intp]:
    """(n, E) -> (n,) a number for each scene."""
    apart = embedding - embedding.mean(0)
    apart = apart / np.linalg.norm(apart, axis=1, keepdims=True)
    return np.asarray(connected_components(apart @ apart.T > ALIKE, directed=False)[1])


def folds_of(scenes: NDArray[np.intp]) -> NDArray[np.intp]:
    """A fold for each photo, scenes whole, the largest ones first: (n,) -> (n,)."""
    sizes = np.bincount(scenes)
    fold, load = np.zeros(len(sizes), np.intp), np.zeros(FOLDS)
    for scene in np.argsort(-sizes, kind="stable"):
        fold[scene] = load.argmin()
        load[fold[scene]] += sizes[scene]
    return fold[scenes]


@dataclass(frozen=True, eq=False)
class Refits:
    """A lesson, of which some photos of `persons` can be left out."""

    head: Head
    person: int
    """The label."""
    lesson: Lesson
    """Of that label against all others."""
    names: NDArray[np.str_]
    """Of the photo of each row of the lesson, without how it was altered."""
    rows: Rows
    """Of all added labels, fitted to none of these photos."""
    l2: float

    def without(self, files: NDArray[np.str_]) -> Rows:
        """Rows of which the further ones of the label saw none of these photos, altered or not.

        files  (k,) their names
        """
        fitted = fit_rows(self.lesson.of(~np.isin(self.names, files)), self.l2)
        return self.rows.and_then(fitted)

    def lead(self, rows: Rows, photos: Photos) -> Floats:
        """By how many nats `person` leads, (n,)."""
        probabilities = self.head.probabilities(photos.features.logits, rows.logits(photos.features.embedding))
        logarithms = np.log(np.maximum(probabilities, 1e-30))
        mine = logarithms[:, self.person].copy()
        logarithms[:, self.person] = -np.inf
        return np.asarray(mine - logarithms.max(1))


def unaltered(photos: Mapping[str, Photos]) -> Photos:
    """Of the parts that teach `person`, the photos as they are."""
    each = [photos[part].where(["#" not in sample.path.name for sample in photos[part].samples]) for part in TAUGHT]
    return Photos(
        [sample for part in each for sample in part.samples],
        replace(
            each[0].features,
            embedding=np.concatenate([part.features.embedding for part in each]),
            entering=np.concatenate([part.features.entering for part in each]),
            logits=np.concatenate([part.features.logits for part in each]),
        ),
    )
