"""How likely added labels are before a picture is seen: one offset for their rows, chosen on photos.

Photos in a collection show an added label far more often than a camera does. So the fitted biases are too high, and
what the network knew would be taken for something added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam_training.rows.logistic import Floats, Lesson, Rows, fit_rows

OFFSETS = (0.0, -0.5, -1.0, -1.5, -2.0, -2.5, -3.0)
FIRST = -2.0
"""Offset of the first row of a label with further ones. Of the photos of `base` 82.6 % are right with -0.5, 83.0 % with
-2 and with -3."""
FOLDS = 5


@dataclass(frozen=True, eq=False)
class Head:
    """The label of each row: of those that stay, and of those that are added."""

    stays: tuple[int, ...]
    added: tuple[int, ...]
    further: tuple[int, ...] = ()
    """Of further rows of added labels, behind all others. No offset makes them less likely: how much photos with and
    without the label count says how likely it is."""

    @property
    def rows(self) -> tuple[int, ...]:
        """All, in the order of the rows."""
        return (*self.stays, *self.added, *self.further)

    def with_further(self, label: int, count: int) -> Head:
        """The head with so many further rows of an added label."""
        return replace(self, further=(*self.further, *[label] * count))

    def offsets(self, offset: float) -> NDArray[np.float32]:
        """What is added to the bias of each row that does not stay, (K,).

        A label with further rows has them for what is usual. Its first row, which fewer photos taught, adds only what
        it is very sure of.
        """
        first = [FIRST if label in self.further else offset for label in self.added]
        return np.array([*first, *[0.0] * len(self.further)], np.float32)

    def probabilities(self, logits: Floats, added: Floats, offset: float = 0.0) -> NDArray[np.float32]:
        """Of each label: (n, R) and (n, K) -> (n, C). Rows of one label add up."""
        every = np.concatenate([logits, added + self.offsets(offset)], axis=1)
        raised = np.exp(every - every.max(1, keepdims=True))
        sums = raised @ np.eye(max(self.rows) + 1, dtype=np.float32)[np.array(self.rows)]
        return np.asarray(sums / sums.sum(1, keepdims=True), np.float32)

    def answers(self, logits: Floats, added: Floats, offset: float = 0.0) -> NDArray[np.intp]:
        """The most probable label of each photo: (n, R) and (n, K) -> (n,)."""
        return np.asarray(self.probabilities(logits, added, offset).argmax(1))

    def before(self, logits: Floats) -> NDArray[np.intp]:
        """The same without the added rows: (n, R) -> (n,)."""
        return self.answers(logits, np.full((len(logits), len(self.added) + len(self.further)), -np.inf, np.float32))


@dataclass(frozen=True, eq=False)
class Tried:
    """Photos that say which offset is good."""

    logits: Floats
    """(n, R) of the rows that stay."""
    added: Floats
    """(n, K) of the added rows, none of which was fitted to that photo."""
    right: Sequence[frozenset[int]]
    """n sets of labels."""


@dataclass(frozen=True)
class Trial:
    """What an offset does."""

    offset: float
    before: float
    """Share of the photos of labels that stay that are right without the added rows."""
    stays: float
    """The same with them."""
    added: float
    """Share of the photos of added labels that are right."""
    wrong: float
    """Share of the wrong ones among the answers that are an added label, on photos of labels that stay."""

    @property
    def score(self) -> float:
        """Both kinds of photos count the same, however many there are."""
        return (self.stays + self.added) / 2


def out_of_fold(
    lesson: Lesson, places: NDArray[np.intp], l2: float, begin: Rows, seed: int, same: NDArray[np.intp] | None = None
) -> Floats:
    """The logits of some photos of a lesson by rows that were fitted without them: (m, K), in the order of `places`.

    same  (n,) equal for those that show the same: they are left out together; None: each is a photo of its own
    """
    same = np.arange(len(lesson.base)) if same is None else same
    fold = np.random.default_rng(seed).permutation(len(places)) % FOLDS
    found = np.zeros((len(places), len(begin.bias)), np.float32)
    for part in range(FOLDS):
        held = places[fold == part]
        rows = fit_rows(lesson.of(~np.isin(same, same[held])), l2, begin)
        found[fold == part] = rows.logits(lesson.features[held])
    return found


def try_offsets(head: Head, stays: Tried, added: Tried) -> list[Trial]:
    """Each of `OFFSETS`, tried on photos of labels that stay and on photos of added ones."""
    before = _right(head.before(stays.logits), stays.right).mean()
    return [_trial(head, stays, added, offset, float(before)) for offset in OFFSETS]


def best(trials: Sequence[Trial]) -> Trial:
    """The highest score among those that lose nothing of what the network knew; else the one that loses least."""
    allowed = [trial for trial in trials if trial.stays >= trial.before]
    return max(allowed, key=lambda trial: trial.score) if allowed else max(trials, key=lambda trial: trial.stays)


def _trial(head: Head, stays: Tried, added: Tried, offset: float, before: float) -> Trial:
    answers = head.answers(stays.logits, stays.added, offset)
    right = _right(answers, stays.right)
    named = np.isin(answers, head.added)
    return Trial(
        offset=offset,
        before=before,
        stays=float(right.mean()),
        added=float(_right(head.answers(added.logits, added.added, offset), added.right).mean()),
        wrong=float((named & ~right).sum() / max(1, named.sum())),
    )


def _right(answers: NDArray[Any], right: Sequence[frozenset[int]]) -> NDArray[np.bool_]:
    return np.array([answer in labels for answer, labels in zip(answers.tolist(), right, strict=True)], bool)
