"""What is learned from: features of photos with the labels that their owner gave them, and what must not be taken for
any of these."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vitcam.model.bank import Bank
from vitcam.parts.teach.folds import FOLDS
from vitcam.parts.teach.logistic import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """n photos of K labels."""

    labels: tuple[str, ...]
    names: tuple[str, ...]
    """n names of files, for people."""
    of: NDArray[np.intp]
    """(n,) which label."""
    read: NDArray[np.float32]
    """(n, E + 2 D) what rows read."""
    log_sums: Floats
    """(n,) of the base."""
    best: Floats
    """(n,) log of the probability of the base's most probable label."""
    folds: NDArray[np.intp]
    """(n,) in which fold a photo is held out."""
    joined: tuple[int, ...] = ()
    """Of the last labels: which label of the base each is, beside which its row stands."""
    base_says: NDArray[np.intp] | None = None
    """(n,) which of the base's labels is its most probable one; None: that does not matter, it knows none of these."""

    @property
    def same(self) -> NDArray[np.intp]:
        """(n,) which of the labels the base's most probable one is; -1: none of them."""
        found = np.full(len(self), -1)
        if self.base_says is not None:
            for place, label in enumerate(self.joined, len(self.labels) - len(self.joined)):
                found[self.base_says == label] = place
        return found

    def __len__(self) -> int:
        return len(self.of)

    @property
    def measured(self) -> NDArray[np.bool_]:
        """Whether a photo says something when it is held out: another fold has photos of its label. (n,)."""
        most = np.array([len(np.unique(self.folds[self.of == label])) for label in range(len(self.labels))])
        return np.asarray(most[self.of] > 1)


@dataclass(frozen=True, slots=True, eq=False)
class Others:
    """m photos of other things, of the base's bank."""

    read: NDArray[np.float32]
    """(m, E + 2 D)."""
    log_sums: Floats
    """(m,)."""
    right: Floats
    """(m,) the probability of the base's most probable label where that is right, else 0."""

    def __len__(self) -> int:
        return len(self.read)

    @property
    def folds(self) -> NDArray[np.intp]:
        """(m,) in which fold each is held out."""
        return np.random.default_rng(0).permutation(len(self)) % FOLDS


def others_of(bank: Bank | None, known: tuple[str, ...], taught: tuple[str, ...], width: int) -> Others:
    """The photos of a bank, without those of labels that are being taught.

    known   the labels of the base
    taught  those that are taught
    width   how many numbers a row reads
    """
    if bank is None:
        return Others(np.zeros((0, width), np.float32), np.zeros(0), np.zeros(0))
    names = {label.casefold() for label in taught}
    kept = ~np.isin(bank.labels, [i for i, label in enumerate(known) if label.casefold() in names])
    return Others(
        bank.features[kept].astype(np.float32), bank.log_sums[kept].astype(float), bank.right[kept].astype(float)
    )
