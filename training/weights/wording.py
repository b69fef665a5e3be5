"""What the outputs of a foreign head are called, and which of them people call the same: `things.csv`, or a model.

An output that means a class of ImageNet is known by its WordNet id. Several outputs may get one label, whose
probability is the sum of theirs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from vitcam_training.data.published import imagenet_classes
from vitcam_training.data.published.things import Thing, Things


@dataclass(frozen=True)
class Wording:
    """Labels of a head."""

    labels: tuple[str, ...]
    rows: tuple[int, ...]
    """For each output the label that it means; -1: none, so it is left out."""
    groups: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Group -> indices of its labels, the smallest group first."""

    @property
    def never(self) -> tuple[str, ...]:
        """Labels that no output means."""
        meant = set(self.rows)
        return tuple(label for i, label in enumerate(self.labels) if i not in meant)


def in_everyday_words(ids: Sequence[str], things: Things) -> Wording:
    """Labels as people speak: the words of `things.csv`, and WordNet's for classes that it lacks.

    ids  WordNet id of each output
    """
    known = {id_: things.labels[things.synsets[id_]] for id_ in ids if id_ in things.synsets}
    words = imagenet_classes.words(ids, known)
    labels = tuple(dict.fromkeys(words[id_] for id_ in ids))
    place = {label: i for i, label in enumerate(labels)}
    rows = tuple(place[words[id_]] for id_ in ids)
    members: dict[str, set[int]] = {name: set() for name in things.group_synsets}
    for id_, row in zip(ids, rows, strict=True):
        for group in groups_of(id_, labels[row], things):
            members[group].add(row)
    found = sorted(((name, tuple(sorted(each))) for name, each in members.items() if each), key=lambda it: len(it[1]))
    return Wording(labels, rows, dict(found))


def in_words_of(
    labels: tuple[str, ...], groups: Mapping[str, tuple[int, ...]], ids: Sequence[str], things: Things
) -> Wording:
    """The labels and groups of a model. An output means the one that is nearest to its class: the thing, or a group.

    ids  WordNet id of each output
    """
    place = {label: i for i, label in enumerate(labels)}
    words = imagenet_classes.words(ids, {})

    def row(id_: str) -> int:
        thing = _thing(id_, things)
        names = [thing.label, *thing.groups] if thing else [*groups_of(id_, words[id_], things), words[id_]]
        return next((place[name] for name in names if name in place), -1)

    return Wording(labels, tuple(map(row, ids)), dict(groups))


def groups_of(id_: str, label: str, things: Things) -> tuple[str, ...]:
    """The groups that a class belongs to, the smallest first; for a class that is a group itself, that and the larger.

    label  the word for the class
    """
    thing = _thing(id_, things)
    if thing:
        return thing.groups
    own = next((name for name, ids in things.group_synsets.items() if id_ in ids or name == label), None)
    if own is None:
        return ()
    inner = set(things.groups[own])
    return tuple(name for name, members in things.groups.items() if inner and inner <= set(members))


def _thing(id_: str, things: Things) -> Thing | None:
    return things.rows[things.synsets[id_]] if id_ in things.synsets else None
