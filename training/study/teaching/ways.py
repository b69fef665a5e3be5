"""Ways to learn labels from a few photos: that of `vitcam teach`, and others on the same numbers."""

from __future__ import annotations

import time
import tracemalloc
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vitcam.model.bank import Bank
from vitcam.parts.teach.blas import one_thread
from vitcam.parts.teach.dataset import Photo
from vitcam.parts.teach.examples import Examples, others_of
from vitcam.parts.teach.folds import folds_of, groups_of
from vitcam.parts.teach.head import Head, head_alone
from vitcam.parts.teach.learn import Learned, Teacher
from vitcam_training.study.teaching.photos import Photos

Floats = NDArray[np.floating]
NEIGHBOURS = 5


@dataclass(frozen=True, eq=False)
class Base:
    """What is known of the model that is taught."""

    labels: tuple[str, ...]
    bank: Bank
    embedding: int


@dataclass(frozen=True, eq=False)
class Taught:
    """What came of one teaching."""

    examples: Examples
    learned: Learned
    head: Head

    def logits(self, read: NDArray[np.float32]) -> Floats:
        """(n, E + 2 D) -> (n, K + 1), the last for none of the labels."""
        rows = self.head.taught.rows
        return np.asarray(read.astype(float) @ rows.rows.T.astype(float) + rows.offsets)


def examples_of(
    photos: Photos, labels: tuple[str, ...], embedding: int, named: NDArray[np.str_] | None = None
) -> Examples:
    """As `vitcam teach` makes them; named: other labels than the folders', (n,)."""
    names = photos.names if named is None else named
    listed = [Photo(str(name), Path(str(path))) for name, path in zip(names, photos.paths, strict=True)]
    of = np.array([labels.index(str(name)) for name in names], np.intp)
    folds = folds_of(of, groups_of(listed, photos.read[:, :embedding])[0])
    best = np.log(np.maximum(photos.probabilities.max(1), 1e-30)).astype(float)
    return Examples(labels, tuple(map(str, photos.paths)), of, photos.read, photos.log_sums, best, folds)


def taught_alone(base: Base, photos: Photos, labels: tuple[str, ...], hidden: tuple[str, ...] = ()) -> Taught:
    """As `vitcam teach` does it.

    hidden  labels of the base whose photos are taken out of the bank, too, because they are asked about later
    """
    examples = examples_of(photos, labels, base.embedding)
    others = others_of(base.bank, base.labels, (*labels, *hidden), photos.read.shape[1])
    with one_thread():
        learned = Teacher(examples, others, base.embedding, alone=True).learn(lambda _done, _total: None)
    return Taught(examples, learned, head_alone(examples, learned))


def nearest_mean(x: Floats, of: NDArray[np.intp], asked: Floats) -> NDArray[np.intp]:
    """The label whose mean is nearest by angle: (n, E), (n,), (m, E) -> (m,)."""
    means = np.stack([_unit(x)[of == label].mean(0) for label in range(int(of.max()) + 1)])
    return np.asarray((_unit(asked) @ _unit(means).T).argmax(1))


def nearest_photos(x: Floats, of: NDArray[np.intp], asked: Floats) -> NDArray[np.intp]:
    """The label that weighs most among the five nearest photos: (n, E), (n,), (m, E) -> (m,)."""
    cosines = _unit(asked) @ _unit(x).T
    near = np.argsort(-cosines, axis=1)[:, :NEIGHBOURS]
    votes = np.zeros((len(asked), int(of.max()) + 1))
    for column in near.T:
        np.add.at(votes, (np.arange(len(asked)), of[column]), cosines[np.arange(len(asked)), column])
    return np.asarray(votes.argmax(1))


def by_scikit_learn(x: Floats, of: NDArray[np.intp], asked: Floats) -> NDArray[np.intp]:
    """LogisticRegressionCV as it is, on standardised numbers: (n, E), (n,), (m, E) -> (m,)."""
    from sklearn.linear_model import LogisticRegressionCV
    from sklearn.preprocessing import StandardScaler

    scaler = StandardScaler().fit(x)
    fewest = int(np.bincount(of).min())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = LogisticRegressionCV(cv=max(2, min(5, fewest)), max_iter=200).fit(scaler.transform(x), of)
    return np.asarray(fitted.predict(scaler.transform(asked)))


def timed(way: Callable[[], NDArray[np.intp]], traced: bool) -> tuple[NDArray[np.intp], float, float]:
    """What it answers, (n,), its processor time in seconds, and the most memory in MB; 0 where that is not traced."""
    if traced:
        tracemalloc.start()
    began = time.process_time()
    answers, seconds = way(), time.process_time() - began
    mb = tracemalloc.get_traced_memory()[1] / 2**20 if traced else 0.0
    tracemalloc.stop()
    return answers, seconds, mb


def _unit(x: Floats) -> Floats:
    return np.asarray(x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12))
