"""Rows for examples: strength and reading by cross-validation, then rows that all of the photos teach."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vitcam.parts.teach.examples import Examples, Others
from vitcam.parts.teach.folds import FOLDS
from vitcam.parts.teach.logistic import Floats, Lesson, Rows, fit_rows

STRENGTHS = (30.0, 10.0, 3.0)
"""From strong to weak: each search begins where the one before ended."""
_STRONG = 100.0
"""Where there is one photo of each label, and none can be held out."""
SHARE_OF_OTHERS = 0.3
"""Photos of other things count together as much as this share of the photos that are taught."""
TEMPERATURES = tuple(np.geomspace(0.2, 4.0, 61).tolist())
GAIN = 0.01
"""The mean of the patches is read only if cross-validation is right on so many more of the photos."""
SURE = 2.0
"""Standard deviations of what chance would gain."""
_MOST = 2000
"""Photos by which the strength is chosen; more would not choose another one."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Which numbers a row reads."""

    patches: bool = False
    """Beside the embedding the mean of the patches as they enter the last block."""

    def places(self, width: int, embedding: int) -> NDArray[np.intp]:
        """Indices among the numbers that a row can read: (e,).

        width      E + 2 D
        embedding  E
        """
        patches = range(embedding + (width - embedding) // 2, width) if self.patches else ()
        return np.array([*range(embedding), *patches], np.intp)


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """Rows, and what rows that were learned without a photo say of it."""

    rows: Rows
    """Over E + 2 D numbers: K rows, and behind them, where labels stand alone and there are others, one for none of
    them."""
    held: Floats
    """(n, K) or (n, K + 1) logits of the photos that are taught."""
    held_others: Floats
    """(m, K) or (m, K + 1) of the others."""
    strength: float
    reading: Reading


class Teacher:
    """Learns rows for some examples.

    alone      whether the labels stand alone, with a row for none of them, or beside those of the base
    embedding  E
    """

    def __init__(self, examples: Examples, others: Others, embedding: int, alone: bool) -> None:
        self._examples, self._others, self._embedding, self._alone = examples, others, embedding, alone
        self._count = len(examples.labels) + (alone and bool((others.source < 0).any()))
        self._held = np.concatenate([examples.folds, others.folds(examples.folds)])

    def learn(self, on_part: Callable[[int, int], None]) -> Learned:
        """Choose strength and reading, and learn the rows. on_part is called with what is done, and of how much."""
        strength, right = self._choose(Reading())
        on_part(1, 4)
        strength, reading = self._with_patches(strength, right)
        on_part(2, 4)
        lesson = self._lesson(reading)
        held = self._held_out(lesson, self._held, (strength,))[0]
        on_part(3, 4)
        rows = self._wide(fit_rows(lesson, self._count, (strength,))[0], reading)
        on_part(4, 4)
        count = len(self._examples)
        return Learned(rows, held[:count], held[count:], strength, reading)

    def held_with(self, share: float, learned: Learned) -> Floats:
        """As `Learned.held`, (n, K) or (n, K + 1), but learned from only so large a share of the photos.

        share  of the photos of each label in each fold, rounded up
        """
        lesson, count = self._lesson(learned.reading), len(self._examples)
        kept = np.concatenate([_thinned(self._examples, share), np.ones(len(self._others), bool)])
        return np.asarray(self._held_out(lesson, self._held, (learned.strength,), kept)[0, :count])

    def _with_patches(self, strength: float, right: NDArray[np.bool_]) -> tuple[float, Reading]:
        """Whether the mean of the patches gains enough, and more than chance does."""
        if (~right).mean() <= GAIN:
            return strength, Reading()
        other, with_them = self._choose(Reading(patches=True))
        won, lost = int((with_them & ~right).sum()), int((right & ~with_them).sum())
        enough = won - lost > max(GAIN * len(right), SURE * np.sqrt(won + lost))
        return (other, Reading(patches=True)) if enough else (strength, Reading())

    def _choose(self, reading: Reading) -> tuple[float, NDArray[np.bool_]]:
        """The strength at which held-out photos surprise least, and which of them are right then: (m,)."""
        examples = self._examples
        measured = np.flatnonzero(examples.measured)
        if not len(measured):  # one photo of each label: nothing can be held out
            return _STRONG, np.ones(1, bool)
        some = _some(examples, len(self._others))
        lesson = self._lesson(reading).of(some)
        held = self._held_out(lesson, self._held[some], STRENGTHS)
        which = np.isin(some, measured)
        of = lesson.right[which]
        base = None if self._alone else lesson.base
        surprise = [least_surprise(logits[which], of, None if base is None else base[which]) for logits in held]
        best = int(np.argmin(surprise))
        return STRENGTHS[best], held[best][which][:, : len(examples.labels)].argmax(1) == of

    def _lesson(self, reading: Reading) -> Lesson:
        examples, others = self._examples, self._others
        places = reading.places(examples.read.shape[1], self._embedding)
        x = np.concatenate([examples.read[:, places], others.read[:, places]]).astype(float)
        none = self._count - 1 if self._count > len(examples.labels) else -1
        right = np.concatenate([examples.of, np.full(len(others), none, np.intp)])
        of_others = np.ones(len(others))
        if self._alone:  # a scene without the thing may be another label, so copies are asked about and not learned
            of_others[others.copies] = 0.0
            of_others *= SHARE_OF_OTHERS * len(examples) / max(1.0, of_others.sum())
        weights = np.concatenate([np.ones(len(examples)), of_others])
        return Lesson(x, right, weights, None if self._alone else np.concatenate([_rivals(examples), others.log_sums]))

    def _held_out(
        self, lesson: Lesson, folds: NDArray[np.intp], strengths: tuple[float, ...],
        kept: NDArray[np.bool_] | None = None,
    ) -> Floats:  # fmt: skip
        """The logits of each photo by rows that were learned without its fold: (strengths, n, rows)."""
        found = np.zeros((len(strengths), len(folds), self._count))

        def one(fold: int) -> None:
            out = folds == fold
            rest = np.flatnonzero(~out if kept is None else ~out & kept)
            for place, rows in enumerate(fit_rows(lesson.of(rest), self._count, strengths)):
                found[place, out] = rows.logits(lesson.x[out])

        with ThreadPoolExecutor(len(os.sched_getaffinity(0)), "learn") as pool:
            list(pool.map(one, (fold for fold in range(FOLDS) if (folds == fold).any())))
        return found

    def _wide(self, rows: Rows, reading: Reading) -> Rows:
        width = self._examples.read.shape[1]
        weight = np.zeros((self._count, width))
        weight[:, reading.places(width, self._embedding)] = rows.weight
        return Rows(weight, rows.bias)


def _rivals(examples: Examples) -> Floats:
    """(n,) log of what the rows of a photo compete with: the base, without what it says of the photo's own label."""
    agrees = examples.same == examples.of
    rest = np.log(np.maximum(-np.expm1(np.minimum(examples.best, 0.0)), 1e-6))
    return np.asarray(examples.log_sums + np.where(agrees, rest, 0.0))


def _some(examples: Examples, others: int) -> NDArray[np.intp]:
    """Places of at most this many photos, of every label as many as its share, and of all others."""
    count = len(examples)
    if count <= _MOST:
        return np.arange(count + others)
    order = np.random.default_rng(0).permutation(count)
    share = _MOST / count
    chosen = [own[: max(2, round(share * len(own)))] for own in _of_each(examples, order)]
    return np.concatenate([np.sort(np.concatenate(chosen)), np.arange(count, count + others)])


def _thinned(examples: Examples, share: float) -> NDArray[np.bool_]:
    """Some photos of each label in each fold: (n,)."""
    kept = np.zeros(len(examples), bool)
    for own in _of_each(examples, np.random.default_rng(1).permutation(len(examples))):
        for fold in range(FOLDS):
            there = own[examples.folds[own] == fold]
            kept[there[: int(np.ceil(share * len(there)))]] = True
    return kept


def _of_each(examples: Examples, order: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
    for label in range(len(examples.labels)):
        yield order[examples.of[order] == label]


def least_surprise(logits: Floats, of: NDArray[np.intp], base: Floats | None = None) -> float:
    """The mean of -log p of what is right, at the temperature at which it is least.

    logits  (n, K); of (n,) which is right; base (n,) a further logit, where labels stand beside others: then the
            temperature is 1
    """
    if base is not None:
        return surprise(np.concatenate([logits, base[:, None]], axis=1), of)
    return min(surprise(logits / each, of) for each in TEMPERATURES)


def surprise(logits: Floats, of: NDArray[np.intp]) -> float:
    """The mean of -log p of what is right: logits (n, K), of (n,)."""
    top = logits.max(1)
    log_sum = np.log(np.exp(logits - top[:, None]).sum(1)) + top
    return float((log_sum - logits[np.arange(len(of)), of]).mean())
