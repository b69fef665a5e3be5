"""What the added rows are fitted to: photos of a data set's parts, what is right for each, and how much each counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from vitcam_training.data.dataset import ABSENT, ALTERED, BASE, DEPICTED, SHOWN, Sample
from vitcam_training.recipes.recipe import RowsRecipe
from vitcam_training.rows.choose import Head
from vitcam_training.rows.features import Features
from vitcam_training.rows.logistic import Lesson

TRAIN = "train"
ONE = (SHOWN, ABSENT, DEPICTED, ALTERED)
"""The parts of a label that has more photos than the others."""


@dataclass(frozen=True, eq=False)
class Photos:
    """Photos and what the network makes of them."""

    samples: Sequence[Sample]
    features: Features

    @property
    def right(self) -> list[frozenset[int]]:
        """The labels that are right for each."""
        return [sample.right for sample in self.samples]

    def where(self, chosen: Sequence[bool]) -> Photos:
        """Those that are chosen: (n,)."""
        places = np.flatnonzero(np.array(chosen, bool))
        return Photos([self.samples[int(place)] for place in places], self.features.of(places))


def parts_of(settings: RowsRecipe) -> tuple[str, ...]:
    """The parts of a data set that a lesson is made of, in their order."""
    return (TRAIN, BASE, *(ONE if settings.one else ()))


def lesson_of(head: Head, photos: Mapping[str, Photos], settings: RowsRecipe) -> Lesson:
    """All photos of `parts_of`, in that order.

    A photo of an added label is one for its row alone, also where a label that stays would be right as well. Of a photo
    that only says what it does not show, every other answer is right.
    """
    parts = parts_of(settings)
    features = [photos[part].features for part in parts]
    right = [_right(head, photos, part) for part in parts]
    weights = [_weights(photos[part].samples, part, each, settings) for part, each in zip(parts, right, strict=True)]
    return Lesson(
        np.concatenate([each.embedding for each in features]),
        logsumexp(np.concatenate([each.logits for each in features]), axis=1),
        np.concatenate(right),
        np.concatenate(weights),
    )


def same_photo(photos: Mapping[str, Photos], settings: RowsRecipe) -> NDArray[np.intp]:
    """A number for each row of the lesson, the same for a photo and for its altered ones: (n,)."""
    names = [str(sample.path).split("#")[0] for part in parts_of(settings) for sample in photos[part].samples]
    return np.unique(names, return_inverse=True)[1].astype(np.intp)


def _right(head: Head, photos: Mapping[str, Photos], part: str) -> NDArray[np.bool_]:
    samples, column = photos[part].samples, {label: 1 + i for i, label in enumerate(head.added)}
    right = np.zeros((len(samples), 1 + len(column)), bool)
    if part in (ABSENT, DEPICTED, ALTERED):
        right[:] = True
        right[:, column[photos[SHOWN].samples[0].label]] = False
        return right
    for row, sample in zip(right, samples, strict=True):
        row[[column[label] for label in {sample.label, *sample.also} if label in column] or [0]] = True
    return right


def _weights(
    samples: Sequence[Sample], part: str, right: NDArray[np.bool_], settings: RowsRecipe
) -> NDArray[np.float64]:
    if settings.one and part in ONE:
        return np.full(len(samples), asdict(settings.one)[part] / len(samples))
    count = Counter(sample.label for sample in samples if part == TRAIN)
    share = [min(1.0, settings.per_label / count[sample.label]) if part == TRAIN else 1.0 for sample in samples]
    return np.asarray(np.where(right[:, 0], settings.base_weight, 1.0) * np.array(share), np.float64)
