"""Figures of a model's answers, overall and for each label, with their intervals. NumPy only."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.interval import wilson


@dataclass(frozen=True)
class LabelScore:
    """How one label was answered."""

    label: str
    n: int
    """Photos that show it."""
    precision: float | None
    """Share of right answers among those that named it; None: none did."""
    recall: float
    """Share of its photos that were answered with it."""
    recall_low: float
    """The 95 % interval of `recall`."""
    recall_high: float
    confused_with: str | None
    """The wrong label that its photos were given most often; None: there is none."""
    confused: int
    """How many of them were."""


def by_label(labels: NDArray[np.int64], guesses: NDArray[np.int64], names: tuple[str, ...]) -> tuple[LabelScore, ...]:
    """A score for each label that a photo shows, in the order of their names.

    labels   (n,) what the photos show, guesses (n,) what was answered: both index `names`
    """
    counts = np.zeros((len(names), len(names)), int)
    np.add.at(counts, (labels, guesses), 1)  # (shown, answered)
    shown, answered = counts.sum(1), counts.sum(0)
    return tuple(_score(i, counts[i], int(answered[i]), names) for i in np.flatnonzero(shown))


def _score(i: np.intp, row: NDArray[np.int64], answered: int, names: tuple[str, ...]) -> LabelScore:
    right, n = int(row[i]), int(row.sum())
    wrong = row.copy()
    wrong[i] = 0
    worst = int(wrong.argmax())
    return LabelScore(
        label=names[i],
        n=n,
        precision=right / answered if answered else None,
        recall=right / n,
        recall_low=wilson(right, n)[0],
        recall_high=wilson(right, n)[1],
        confused_with=names[worst] if wrong[worst] else None,
        confused=int(wrong[worst]),
    )


def in_detail(
    labels: NDArray[np.int64], guesses: NDArray[np.int64], known: NDArray[np.bool_], names: tuple[str, ...]
) -> dict[str, Any]:
    """What `evaluate` says besides top-1: its interval, the share known, the mean over classes, and each class.

    labels   (n,) what the photos show, guesses (n,) what was answered: both index `names`
    known    (n,) whether the answer was called known
    """
    right = labels == guesses
    classes = by_label(labels, guesses, names)
    low, high = wilson(int(right.sum()), len(right))
    return {
        "top1_low": low,
        "top1_high": high,
        "known": float(known.mean()),
        "mean_over_classes": float(np.mean([each.recall for each in classes])),
        "classes": [asdict(each) for each in classes],
    }
