"""Groups of a model's labels, such as dog or vehicle, to say what a picture shows where the best label is unsure."""

import json
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.frames import LEAST, LIKELY, Group

_FILE = "groups.json"  # in the zip of a model file


class Groups:
    """Which labels each group holds.

    members  group -> indices of its labels, the smallest group first
    count    how many labels the model has
    raises   ValueError if a group is invalid
    """

    def __init__(self, members: Mapping[str, tuple[int, ...]], count: int) -> None:
        _check(members, count)
        self.members = dict(members)
        self._names = tuple(members)
        self._labels = np.array([label for labels in members.values() for label in labels], np.intp)
        self._labels_of = [np.array(labels, np.intp) for labels in members.values()]
        sizes = [len(labels) for labels in members.values()]
        self._starts = np.cumsum([0, *sizes[:-1]], dtype=np.intp)  # where each group begins in `_labels`
        self._with_label: dict[int, list[int]] = {}
        for group, labels in enumerate(members.values()):
            for label in labels:
                self._with_label.setdefault(label, []).append(group)

    def joined_by(self, added: Sequence[str], count: int) -> "Groups":
        """With labels that are called as a group: each stands in that group, and in all that hold the whole of it.

        added  labels that are new, behind the first `count`
        """
        named = {name.casefold(): set(labels) for name, labels in self.members.items()}
        found = {name: list(labels) for name, labels in self.members.items()}
        for place, label in enumerate(added, count):
            if (group := named.get(label.casefold())) is not None:
                for name, labels in self.members.items():
                    if group <= set(labels):
                        found[name].append(place)
        ordered = sorted(found.items(), key=lambda each: len(each[1]))
        return Groups({name: tuple(labels) for name, labels in ordered}, count + len(added))

    def likely(self, best: int, probabilities: NDArray[Any], labels: Sequence[str] | None = None) -> tuple[Group, ...]:
        """The groups that take part in what is displayed, as `Prediction.groups` says, the smallest first.

        best           index of the most probable label
        probabilities  (C,) of all labels
        labels         their names; None: `Group.best` stays empty where it would be another label
        """
        with_best = self._with_label.get(best, [])
        if probabilities[best] >= LIKELY:  # then no other group can be likely, so the sums of most are not needed
            sums = ((group, self._sum(group, probabilities)) for group in with_best)
            return tuple(Group(self._names[group], p) for group, p in sums)
        if not self._names:
            return ()
        every = np.add.reduceat(probabilities[self._labels], self._starts)
        found = np.flatnonzero(every >= LEAST).tolist()
        labels = labels or [""] * len(probabilities)
        best_of = {group: None if group in with_best else labels[self._best(group, probabilities)] for group in found}
        return tuple(Group(self._names[group], min(float(every[group]), 1.0), best_of[group]) for group in found)

    def _best(self, group: int, probabilities: NDArray[Any]) -> int:
        members = self._labels_of[group]
        return int(members[probabilities[members].argmax()])

    def _sum(self, group: int, probabilities: NDArray[Any]) -> float:
        return min(float(np.add.reduce(probabilities[self._labels_of[group]])), 1.0)

    def parts(self) -> dict[str, str]:
        """The file for the zip of a model file, by name."""
        groups = [{"name": name, "labels": labels} for name, labels in self.members.items()]
        return {_FILE: json.dumps(groups, ensure_ascii=False)}


def read(archive: zipfile.ZipFile, count: int) -> Groups | None:
    """Read them from the zip of a model file; None if it has none. Raises ValueError if they are invalid.

    count  how many labels the model has
    """
    if _FILE not in archive.namelist():
        return None
    groups = json.loads(archive.read(_FILE))
    members = {group["name"]: tuple(group["labels"]) for group in groups}
    if len(members) < len(groups):
        raise ValueError(f"{_FILE} names a group twice")
    return Groups(members, count)


def _check(members: Mapping[Any, tuple[Any, ...]], count: int) -> None:
    """Raise ValueError for a name that cannot be printed, labels that are not the model's, or another order."""
    for name, labels in members.items():
        if not (isinstance(name, str) and name and name.isprintable()):
            raise ValueError(f"{_FILE} has a group with the name {name!a:.60}, which cannot be printed")
        if not labels or len(set(labels)) < len(labels):
            raise ValueError(f"{_FILE} lists no labels for {name}, or one of them twice")
        if not all(type(label) is int and 0 <= label < count for label in labels):
            raise ValueError(f"{_FILE} lists a label for {name} that is none of the {count:,} labels")
    sizes = [len(labels) for labels in members.values()]
    if sizes != sorted(sizes):
        raise ValueError(f"{_FILE} does not list the smallest group first")
