"""What people are told: how much of it there is, and how much of that is right. Risk and coverage. NumPy only.

A photo's name is that of the finest label or group that is likely enough, or else of the best guess, which is not
displayed. Coverage is the share of photos whose name is displayed; risk, the share of wrong ones among these.

source  risk and coverage: El-Yaniv & Wiener 2010, "On the Foundations of Noise-free Selective Classification"
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.frames import LIKELY, Group, Prediction
from vitcam.interval import wilson
from vitcam.model.groups import Groups
from vitcam_training.data.dataset import Dataset

THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
SURE_FROM = "sure_from"
"""Among the figures by which choices are made: what `sure_from` found."""
SURE = 0.95
"""So much of what is displayed is to be right at the threshold that `sure_from` finds."""


Name = tuple[frozenset[int], float]
"""The labels that a name stands for, one or all of a group, and its probability."""


@dataclass(frozen=True, eq=False)
class Named:
    """The names of n photos."""

    labels: tuple[frozenset[int], ...] = ()
    """The labels that each name stands for; those of the best guess where nothing is displayed."""
    p: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """(n,) its probability."""
    displayed: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))
    """(n,) whether it is displayed."""
    choices: tuple[tuple[Name, ...], ...] = ()
    """n times the names among which it was chosen, the finest first: the best label, then groups."""
    may: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))
    """(n,) whether any of them may be displayed: not of a picture that is blank or unfamiliar."""

    def at(self, threshold: float) -> Named:
        """The finest names of at least this probability, as the setting `model.likely` has them displayed."""
        return _named(self.choices, self.may, threshold)


Judge = Callable[[Named], NDArray[np.bool_]]
"""Whether each of n names is right: (n,)."""


def name_of(prediction: Prediction, best: int, members: dict[str, tuple[int, ...]]) -> tuple[tuple[Name, ...], bool]:
    """Among which names a model file chooses what it displays, and whether any may be displayed.

    best  the most probable label
    """
    return _choices(prediction.top[0].p, best, prediction.groups, members), prediction.known


def names(probabilities: NDArray[np.float32], groups: Groups | None) -> Named:
    """What would be displayed by probabilities alone, (n, C): those of a float network."""
    return collected([(_of_row(row, groups), True) for row in probabilities])


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


def collected(found: list[tuple[tuple[Name, ...], bool]]) -> Named:
    """What is displayed of single photos, from the usual probability on."""
    choices, may = zip(*found, strict=True) if found else ((), ())
    return _named(tuple(choices), np.array(may, bool), LIKELY)


def _named(choices: tuple[tuple[Name, ...], ...], may: NDArray[np.bool_], threshold: float) -> Named:
    likely = [
        next((name for name in each if name[1] >= threshold), None) if allowed else None
        for each, allowed in zip(choices, may.tolist(), strict=True)
    ]
    chosen = [name or each[0] for name, each in zip(likely, choices, strict=True)]
    labels, p = tuple(labels for labels, _ in chosen), np.array([p for _, p in chosen], float)
    return Named(labels, p, np.array([name is not None for name in likely], bool), choices, may)


def _of_row(row: NDArray[np.float32], groups: Groups | None) -> tuple[Name, ...]:
    best = int(row.argmax())
    likely = groups.likely(best, row) if groups is not None else ()
    return _choices(float(row[best]), best, likely, groups.members if groups is not None else {})


def _choices(p: float, best: int, groups: Iterable[Group], members: Mapping[str, tuple[int, ...]]) -> tuple[Name, ...]:
    wider = [(frozenset(members[group.name]), group.p) for group in groups if group.p >= LIKELY]
    return ((frozenset({best}), p), *wider)


def name_is_right(named: frozenset[int], right: frozenset[int], also: frozenset[int] = frozenset()) -> bool:
    """Whether a name holds all that the photo may show, or only such: of a dog, `animal` is right, and any breed.

    right  the labels that are right for what the photo shows
    also   those of something else that it shows as much
    """
    return any(bool(each) and (named <= each or each <= named) for each in (right, also, right | also))


def risk_and_coverage(named: Named, judge: Judge) -> dict[str, Any]:
    """`displayed`, `displayed_right` and `wrong_displayed` as fractions of 1 with 95 % intervals, and `risk_coverage`:
    how much is displayed, and how much of it is right, where the finest name of at least a probability is displayed."""
    right = judge(named)
    wrong = ~right
    found: dict[str, Any] = {}
    for name, part, whole in (
        ("displayed", named.displayed, np.ones(len(right), bool)),
        ("displayed_right", right, named.displayed),
        ("wrong_displayed", named.displayed, wrong),
    ):
        found |= share(name, int((part & whole).sum()), int(whole.sum()))
    return found | {"risk_coverage": [_at(named.at(threshold), judge, threshold) for threshold in THRESHOLDS]}


def at_threshold(named: Named, judge: Judge, threshold: float) -> dict[str, Any]:
    """`sure_from`, and the coverage `sure` and the share `sure_right` where that much is asked for, with intervals."""
    found = _at(named.at(threshold), judge, threshold)
    n = len(named.labels)
    right = {name.replace("right", "sure_right"): value for name, value in found.items() if name.startswith("right")}
    return {SURE_FROM: threshold, **share("sure", found["n"], n), **right}


def sure_from(named: Named, judge: Judge, wanted: float = SURE) -> float:
    """From which probability on, in whole per cent, as large a share of the displayed names is right; 1 where there is
    none."""
    for percent in range(round(100 * LIKELY), 100):
        at = named.at(percent / 100)
        if at.displayed.any() and judge(at)[at.displayed].mean() >= wanted:
            return percent / 100
    return 1.0


def share(name: str, count: int, n: int) -> dict[str, float | None]:
    """A share with its 95 % interval, under its name; None where there is nothing to share."""
    if n == 0:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    low, high = wilson(count, n)
    return {name: count / n, f"{name}_low": low, f"{name}_high": high}


def _at(named: Named, judge: Judge, threshold: float) -> dict[str, Any]:
    right, n = judge(named)[named.displayed], int(named.displayed.sum())
    return {
        "threshold": threshold,
        "n": n,
        "coverage": n / max(1, len(named.labels)),
        **share("right", int(right.sum()), n),
    }
