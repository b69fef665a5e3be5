"""The things that the bundled model knows, and the words for them: `things.csv` and `groups.csv` beside this file.

A thing is a label: one of ImageNet's classes, several of these that people call the same, or something that
Caltech-101, tf_flowers or the photos of a household add. A group holds things: a collie is a dog, a mammal and an
animal; every label is in one. Photos of all data sets find their labels here, by the name of their folder or by a
WordNet id.

source  Miller 1995 (WordNet), whose hypernyms gave the groups that have an id; the others are words that people use
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files


@dataclass(frozen=True)
class Thing:
    """A label."""

    label: str
    synsets: tuple[str, ...]
    """WordNet ids that mean this thing."""
    folders: tuple[str, ...]
    """Other names that publishers give its photos' folders."""
    groups: tuple[str, ...]
    """The groups that it belongs to, the smallest first."""


@dataclass(frozen=True)
class Things:
    """The whole table."""

    rows: tuple[Thing, ...]
    group_synsets: dict[str, tuple[str, ...]]
    """Group -> WordNet ids that mean it, the smallest group first."""

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """In the order of the table, which is that of the model's outputs."""
        return tuple(thing.label for thing in self.rows)

    @cached_property
    def groups(self) -> dict[str, tuple[int, ...]]:
        """Group -> indices of its labels, the smallest group first."""
        members: dict[str, list[int]] = {group: [] for group in self.group_synsets}
        for i, thing in enumerate(self.rows):
            for group in thing.groups:
                members[group].append(i)
        return {group: tuple(indices) for group, indices in members.items()}

    @cached_property
    def synsets(self) -> dict[str, int]:
        """WordNet id -> index of the label that it means. Ids that mean a group have none."""
        return {synset: i for i, thing in enumerate(self.rows) for synset in thing.synsets}

    def label_of_folder(self, folder: str) -> int | None:
        """The label of a folder's photos by its name, as `water_lilly`. None: it shows no thing of the table."""
        return self._by_name.get(folder.replace("_", " ").lower())

    def right_for_synset(self, synset: str) -> frozenset[int]:
        """The labels that are right for photos of a WordNet id: the label itself, or all of a group. Empty: none is."""
        groups = [group for group, synsets in self.group_synsets.items() if synset in synsets]
        label = self.synsets.get(synset)
        right = self.right_for_label(label) if label is not None else frozenset()
        return right.union(*(self.groups[group] for group in groups))

    def right_for_label(self, label: int) -> frozenset[int]:
        """The labels that are right for photos of a label: where a label has the name of a group, each of the group.

        So a photo of a chair may be called a throne, and that of a throne a chair, too.
        """
        wider = (self._by_label[group] for group in self.rows[label].groups if group in self._by_label)
        return frozenset({label, *self.groups.get(self.labels[label], ()), *wider})

    @cached_property
    def _by_name(self) -> dict[str, int]:
        names = {name: i for i, thing in enumerate(self.rows) for name in thing.folders}
        return {name.replace("_", " ").lower(): i for name, i in (names | self._by_label).items()}

    @cached_property
    def _by_label(self) -> dict[str, int]:
        return {thing.label: i for i, thing in enumerate(self.rows)}


def read_things() -> Things:
    """The table that comes with vitcam."""
    rows = tuple(
        Thing(row["label"], tuple(row["wordnet"].split()), tuple(row["also"].split()), _list(row["groups"]))
        for row in _table("things")
    )
    return Things(rows, {row["group"]: tuple(row["wordnet"].split()) for row in _table("groups")})


def _list(text: str) -> tuple[str, ...]:
    return tuple(text.split(";")) if text else ()


def _table(name: str) -> list[dict[str, str]]:
    text = files(__package__).joinpath(f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
