"""What people are told: how much of it there is, and how much of that is right. Risk and coverage. NumPy only.

A photo's name is that of the finest label or group that is likely enough, or else of the best guess, which is not
displayed. Coverage is the share of photos whose name is displayed; risk, the share of wrong ones among these.

source  risk and coverage: El-Yaniv & Wiener 2010, "On the Foundations of Noise-free Selective Classification"
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Guess, Prediction, Shown
from vitcam.model.groups import Groups
from vitcam.teach.interval import wilson
from vitcam_training.data.dataset import Dataset

THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
SURE_FROM = "sure_from"
"""Among the figures by which choices are made: what `sure_from` found."""
SURE = 0.95
"""So much of what is displayed is to be right at the threshold that `sure_from` finds."""


@dataclass(frozen=True, eq=False)
class Named:
    """The names of n photos."""

    labels: tuple[frozenset[int], ...] = ()
    """The labels that each name stands for: one, or all of a group."""
    p: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """(n,) its probability."""
    displayed: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))
    """(n,) whether it is displayed."""


def name_of(
    prediction: Prediction, best: int, members: dict[str, tuple[int, ...]]
) -> tuple[frozenset[int], float, bool]:
    """What a model file displays: labels, probability, and whether.

    best  the most probable label
    """
    return _meant(prediction.shown, best, members)


def names(probabilities: NDArray[np.float32], groups: Groups | None) -> Named:
    """What would be displayed by probabilities alone, (n, C): those of a float network."""
    found = [_name(row, groups) for row in probabilities]
    return collected(found)


def groups_of(labels: tuple[str, ...], dataset: Dataset | None) -> Groups | None:
    """The data set's groups with the indices of a model's labels, which may be in another order; None without groups.

    labels  of the model
    """
    if dataset is None or not dataset.groups:
        return None
    index = {label: i for i, label in enumerate(labels)}
    named = {name: [dataset.labels[i] for i in members] for name, members in dataset.groups.items()}
    found = {name: tuple(index[label] for label in members if label in index) for name, members in named.items()}
    by_size = sorted(found.items(), key=lambda group: len(group[1]))
    return Groups({name: members for name, members in by_size if members}, len(labels))


def collected(found: list[tuple[frozenset[int], float, bool]]) -> Named:
    """Names of single photos as one value."""
    labels, p, displayed = zip(*found, strict=True) if found else ((), (), ())
    return Named(tuple(labels), np.array(p, float), np.array(displayed, bool))


def _name(row: NDArray[np.float32], groups: Groups | None) -> tuple[frozenset[int], float, bool]:
    best = int(row.argmax())
    likely = groups.likely(best, row) if groups is not None else ()
    return _meant(Shown.finest(Guess("", float(row[best])), likely), best, groups.members if groups is not None else {})


def _meant(shown: Shown, best: int, members: Mapping[str, tuple[int, ...]]) -> tuple[frozenset[int], float, bool]:
    labels = members[str(shown.label)] if shown.level == "group" else (best,)
    return frozenset(labels), shown.p, shown.level != "none"


def name_is_right(named: frozenset[int], right: frozenset[int], also: frozenset[int] = frozenset()) -> bool:
    """Whether a name holds all that the photo may show, or only such: of a dog, `animal` is right, and any breed.

    right  the labels that are right for what the photo shows
    also   those of something else that it shows as much
    """
    return any(bool(each) and (named <= each or each <= named) for each in (right, also, right | also))


def risk_and_coverage(named: Named, right: NDArray[np.bool_]) -> dict[str, Any]:
    """`displayed`, `displayed_right` and `wrong_displayed` as fractions of 1 with 95 % intervals, and `risk_coverage`.

    right  (n,) whether each name is right
    """
    wrong = ~right
    found: dict[str, Any] = {}
    for name, part, whole in (
        ("displayed", named.displayed, np.ones(len(right), bool)),
        ("displayed_right", right, named.displayed),
        ("wrong_displayed", named.displayed, wrong),
    ):
        found |= share(name, int((part & whole).sum()), int(whole.sum()))
    return found | {"risk_coverage": [_at(named, right, threshold) for threshold in THRESHOLDS]}


def at_threshold(named: Named, right: NDArray[np.bool_], threshold: float) -> dict[str, Any]:
    """`sure_from`, and the coverage `sure` and the share `sure_right` from that probability on, with intervals.

    right  (n,) bool, whether the displayed name of each photo is right
    """
    kept = named.displayed & (named.p >= threshold)
    return {
        SURE_FROM: threshold,
        **share("sure", int(kept.sum()), len(right)),
        **share("sure_right", int(right[kept].sum()), int(kept.sum())),
    }


def sure_from(named: Named, right: NDArray[np.bool_], wanted: float = SURE) -> float:
    """The lowest probability from which on as large a share of the displayed names is right; 1 where there is none.

    right  (n,) whether each name is right
    """
    order = np.argsort(-named.p, kind="stable")
    order = order[named.displayed[order]]
    shares = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    enough = np.flatnonzero(shares >= wanted)
    return float(named.p[order[enough[-1]]]) if len(enough) else 1.0


def share(name: str, count: int, n: int) -> dict[str, float | None]:
    """A share with its 95 % interval, under its name; None where there is nothing to share."""
    if n == 0:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    low, high = wilson(count, n)
    return {name: count / n, f"{name}_low": low, f"{name}_high": high}


def _at(named: Named, right: NDArray[np.bool_], threshold: float) -> dict[str, Any]:
    kept = named.displayed & (named.p >= threshold)
    n = int(kept.sum())
    return {
        "threshold": threshold,
        "n": n,
        "coverage": n / max(1, len(right)),
        **share("right", int(right[kept].sum()), n),
    }
