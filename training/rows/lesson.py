"""What the added rows are fitted to: photos of a data set's parts, what is right for each, and how much each counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from vitcam_training.data.dataset import ABSENT, ALTERED, BASE, DARK, DEPICTED, SHOWN, Sample
from vitcam_training.recipes.recipe import RowsRecipe
from vitcam_training.rows.choose import Head
from vitcam_training.rows.features import Features
from vitcam_training.rows.logistic import Lesson, Rows

TRAIN = "train"
ONE = (SHOWN, DARK, ABSENT, DEPICTED, ALTERED)
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
    """The parts of a data set that rows are fitted to, in their order."""
    return (TRAIN, BASE, *(ONE if settings.one else ()))


def lesson_of(head: Head, photos: Mapping[str, Photos], settings: RowsRecipe) -> Lesson:
    """The photos of `train` and `base`, in that order.

    A photo of an added label is one for its row alone, also where a label that stays would be right as well.
    """
    column = {label: 1 + i for i, label in enumerate(head.added)}
    right = []
    for part in (TRAIN, BASE):
        shown = np.zeros((len(photos[part].samples), 1 + len(column)), bool)
        for row, sample in zip(shown, photos[part].samples, strict=True):
            row[[column[label] for label in {sample.label, *sample.also} if label in column] or [0]] = True
        right.append(shown)
    features = [photos[part].features for part in (TRAIN, BASE)]
    weights = [_weights(photos[part].samples, part, head, settings) for part in (TRAIN, BASE)]
    return Lesson(
        np.concatenate([each.embedding for each in features]),
        logsumexp(np.concatenate([each.logits for each in features]), axis=1),
        np.concatenate(right),
        np.concatenate(weights),
    )


def lesson_of_one(head: Head, label: int, photos: Mapping[str, Photos], rows: Rows, settings: RowsRecipe) -> Lesson:
    """Of one added label against all others, whose rows stay as they are: the photos of `parts_of`, in that order.

    The label gets two further rows, one after the other: for photos by day, and for those in the dark that this one
    misses. What the label is by day does not depend on the second. Where the label is absent, nothing is said of what
    else is there. So these photos change no other row.

    rows  of all added labels
    """
    parts = parts_of(settings)
    embedding = np.concatenate([photos[part].features.embedding for part in parts])
    others = np.delete(rows.logits(embedding), head.added.index(label), axis=1)
    logits = np.concatenate([photos[part].features.logits for part in parts])
    shown = [label in {sample.label, *sample.also} for part in parts for sample in photos[part].samples]
    dark = [part == DARK for part in parts for _ in photos[part].samples]
    return Lesson(
        embedding,
        logsumexp(np.concatenate([logits, others], axis=1), axis=1),
        np.stack([~np.array(shown), np.array(shown) & ~np.array(dark), np.array(dark)], axis=1),
        np.concatenate([_weights(photos[part].samples, part, head, settings) for part in parts]),
        in_turn=True,
    )


def same_photo(photos: Mapping[str, Photos], settings: RowsRecipe) -> NDArray[np.intp]:
    """A number for each photo of `parts_of`, the same for a photo and for its altered ones: (n,)."""
    names = [str(sample.path).split("#")[0] for part in parts_of(settings) for sample in photos[part].samples]
    return np.unique(names, return_inverse=True)[1].astype(np.intp)


def _weights(samples: Sequence[Sample], part: str, head: Head, settings: RowsRecipe) -> NDArray[np.float64]:
    if settings.one and part in ONE:
        return np.full(len(samples), asdict(settings.one)[part] / len(samples))
    added = frozenset(head.added)
    stays = np.array([added.isdisjoint({sample.label, *sample.also}) for sample in samples])
    count = Counter(sample.label for sample in samples if part == TRAIN)
    share = [min(1.0, settings.per_label / count[sample.label]) if part == TRAIN else 1.0 for sample in samples]
    return np.asarray(np.where(stays, settings.base_weight, 1.0) * np.array(share), np.float64)
