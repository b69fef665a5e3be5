"""Which photos are held out together: those of one recording, and those that look almost the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vitcam.parts.teach.dataset import Photo

FOLDS = 5
ALIKE = 0.97
"""From this cosine of their embeddings on two photos of one label are as good as one."""


def groups_of(photos: Sequence[Photo], embeddings: NDArray[np.float32]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """A number for each photo, the same for those that must stay together: (n,), and whether they could: (n,).

    A label whose photos would all stay together is cut into parts that follow one another, since without any of them
    nothing could be said of it.

    embeddings  (n, E)
    """
    groups, together = np.zeros(len(photos), np.intp), np.ones(len(photos), bool)
    places: dict[str, list[int]] = {}
    for place, photo in enumerate(photos):
        places.setdefault(photo.label, []).append(place)
    first = 0
    for of_label in places.values():
        found = _groups([photos[place].recording for place in of_label], embeddings[of_label])
        if found.max() == 0:
            found = np.arange(len(of_label)) * FOLDS // len(of_label)
            together[of_label] = False
        groups[of_label] = first + found
        first += int(found.max()) + 1
    return groups, together


def one_recording(photos: Sequence[Photo]) -> tuple[str, ...]:
    """The labels whose photos are all of one recording."""
    recordings: dict[str, set[str]] = {}
    for photo in photos:
        recordings.setdefault(photo.label, set()).add(photo.recording or str(photo.path))
    return tuple(label for label, found in recordings.items() if len(found) == 1)


def folds_of(labels: NDArray[np.intp], groups: NDArray[np.intp]) -> NDArray[np.intp]:
    """In which of the folds each photo is held out: (n,). The same photos give the same folds.

    labels  (n,)
    groups  (n,) as `groups_of` gives them
    """
    folds = np.zeros(len(labels), np.intp)
    rng = np.random.default_rng(0)
    total = np.zeros(FOLDS)
    for label in range(int(labels.max()) + 1):
        own, load = np.flatnonzero(labels == label), np.zeros(FOLDS)
        numbers, sizes = np.unique(groups[own], return_counts=True)
        order = np.lexsort((rng.permutation(len(numbers)), -sizes))
        for number, size in zip(numbers[order], sizes[order], strict=True):
            fold = int(np.lexsort((total, load))[0])
            folds[own[groups[own] == number]] = fold
            load[fold] += size
            total[fold] += size
    return folds


def _groups(recordings: Sequence[str], embeddings: NDArray[np.float32]) -> NDArray[np.intp]:
    """Of the photos of one label: (m,), from 0."""
    unit = embeddings / np.maximum(np.linalg.norm(embeddings, axis=1, keepdims=True), 1e-12)
    group = np.arange(len(recordings))
    by_recording: dict[str, int] = {}
    for place, recording in enumerate(recordings):
        with_this = {int(each) for each in group[:place][unit[:place] @ unit[place] >= ALIKE]}
        if recording:
            with_this.add(int(group[by_recording.setdefault(recording, place)]))
        joined = min({*with_this, place})
        group[np.isin(group, [*with_this, place])] = joined
    return np.unique(group, return_inverse=True)[1]
