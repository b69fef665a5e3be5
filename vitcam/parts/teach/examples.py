"""What is learned from: features of photos with the labels that their owner gave them, and what must not be taken for
any of these."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vitcam.model.bank import Bank
from vitcam.parts.teach.cache import Seen
from vitcam.parts.teach.dataset import Photo
from vitcam.parts.teach.folds import FOLDS, folds_of, groups_of
from vitcam.parts.teach.logistic import Floats
from vitcam.text import readable

RIGHT, WRONG, HISTORY = -1, -2, -3
"""Pictures of something else: of the base's bank, about which it is right or wrong, and of the camera's history."""


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


def labels_of(found: Collection[str], known: Sequence[str]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The labels in order, last those that the base knows, and which of its labels these are.

    known  the labels of the base; empty where those that are taught stand alone
    """
    own = {label.casefold(): place for place, label in enumerate(known)}
    labels = sorted(found, key=lambda label: (label.casefold() in own, label))
    return tuple(labels), tuple(own[label.casefold()] for label in labels if label.casefold() in own)


def examples_of(
    root: Path, photos: Sequence[Photo], seen: Sequence[Seen], labels: tuple[str, ...], joined: tuple[int, ...],
    embedding: int,
) -> tuple[Examples, NDArray[np.bool_]]:  # fmt: skip
    """And for each photo whether it is held out with all of its recording: (n,).

    root       the folder that the photos lie in
    embedding  E
    """
    place = {label: i for i, label in enumerate(labels)}
    of = np.array([place[photo.label] for photo in photos], np.intp)
    read = np.stack([each.read for each in seen])
    groups, together = groups_of(photos, read[:, :embedding])
    examples = Examples(
        labels=labels,
        names=tuple(readable(str(photo.path.relative_to(root))) for photo in photos),
        of=of,
        read=read,
        log_sums=np.array([each.log_sum for each in seen]),
        best=np.array([each.best for each in seen]),
        folds=folds_of(of, groups),
        joined=joined,
        base_says=np.array([each.best_label for each in seen]),
    )
    return examples, together


@dataclass(frozen=True, slots=True, eq=False)
class Others:
    """m pictures of something else."""

    read: NDArray[np.float32]
    """(m, E + 2 D)."""
    log_sums: Floats
    """(m,)."""
    best: Floats
    """(m,) log of the probability of the base's most probable label; 0 where that is `WRONG`."""
    source: NDArray[np.intp]
    """(m,) `RIGHT`, `WRONG` or `HISTORY`; else it is a taught photo with its thing painted out, and this is which."""

    def __len__(self) -> int:
        return len(self.read)

    @property
    def copies(self) -> NDArray[np.intp]:
        """Places of the copies of taught photos: (c,)."""
        return np.flatnonzero(self.source >= 0)

    def folds(self, of_photos: NDArray[np.intp]) -> NDArray[np.intp]:
        """In which fold each is held out: (m,). A copy is held out with its photo, and history in stretches of time.

        of_photos  (n,) in which fold each taught photo is held out
        """
        found = np.zeros(len(self), np.intp)
        bank, history = (np.flatnonzero(np.isin(self.source, kinds)) for kinds in ((RIGHT, WRONG), (HISTORY,)))
        found[bank] = np.random.default_rng(0).permutation(len(bank)) % FOLDS
        found[history] = np.arange(len(history)) * FOLDS // max(1, len(history))
        found[self.copies] = of_photos[self.source[self.copies]]
        return found


def others_of(
    bank: Bank | None, known: tuple[str, ...], taught: tuple[str, ...], width: int, history: Sequence[Seen] = (),
    photos: Sequence[Seen] = (),
) -> Others:  # fmt: skip
    """The photos of a bank, without those of labels that are being taught, then history, then copies of the photos.

    known    the labels of the base
    taught   those that are taught
    width    how many numbers a row reads
    history  pictures of the camera's, in the order of time
    photos   what is taught
    """
    copies = [(place, photo.copy) for place, photo in enumerate(photos) if photo.copy is not None]
    more = [*((HISTORY, each) for each in history), *copies]
    read, log_sums, right = np.zeros((0, width), np.float32), np.zeros(0), np.zeros(0)
    if bank is not None:
        names = {label.casefold() for label in taught}
        kept = ~np.isin(bank.labels, [i for i, label in enumerate(known) if label.casefold() in names])
        read = bank.features[kept].astype(np.float32)
        log_sums, right = bank.log_sums[kept].astype(float), bank.right[kept].astype(float)
    return Others(
        np.concatenate([read, *(each.read[None] for _, each in more)]),
        np.concatenate([log_sums, [each.log_sum for _, each in more]]),
        np.concatenate([np.log(np.where(right > 0, right, 1.0)), [each.best for _, each in more]]),
        np.concatenate([np.where(right > 0, RIGHT, WRONG), [source for source, _ in more]]).astype(np.intp),
    )
