"""What the labels and groups of one model are called. Pure: the same names and labels give the same.

The order: the model's own name, its translation, a name of your own. Labels that get the same name of yours become
one, whose probability is the sum. A hidden label is left out, and no other gets its probability.
"""

import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.names.everyday import everyday_words
from vitcam.names.languages import ORIGINAL, translations
from vitcam.names.wanted import OwnName, WantedNames, key_of
from vitcam.text import shortened

_MOST_NEAR = 3
_MOST_UNKNOWN = 3  # are named in one sentence


@dataclass(frozen=True, slots=True)
class Called:
    """A label or a group of the model, and what people call it."""

    own: str
    """The model's name."""
    translation: str
    """In the language that was chosen; the model's name where there is none."""
    name: str | None
    """As it is displayed; None: it is hidden."""


@dataclass(frozen=True, slots=True, eq=False)
class Naming:
    """The labels and groups of a model as people see them."""

    labels: tuple[str, ...]
    """As `Prediction.top` has them: those that are not hidden, each once, in the model's order."""
    members: dict[str, tuple[int, ...]]
    """Group -> indices of its `labels`, the smallest group first."""
    of_labels: tuple[Called, ...]
    """Of each of the model's labels."""
    of_groups: tuple[Called, ...]
    """Of each of the model's groups."""
    places: NDArray[np.intp] | None
    """(C,): which of `labels` each of the model's is a part of; for a hidden one their number. None: each is itself."""
    everyday: Mapping[str, str]
    """The displayed name of a label or a group -> its everyday name, where that is another one."""

    def merged(self, probabilities: NDArray[Any]) -> NDArray[Any]:
        """(C,) of the model's labels -> of each of `labels`."""
        if self.places is None:
            return probabilities
        return np.bincount(self.places, probabilities, len(self.labels) + 1)[: len(self.labels)]


def naming_of(wanted: WantedNames, labels: Sequence[str], members: Mapping[str, Sequence[int]]) -> Naming:
    """What the labels and groups of a model are called.

    members  group -> indices of its labels
    """
    words = TranslatedNames(wanted.language, [*labels, *members])
    own = words.own_names(wanted.own)
    if not any(own.get(label, label) for label in labels):  # a prediction needs one
        own = {label: name for label, name in own.items() if name}
    of_labels = tuple(words.called(label, own) for label in labels)
    of_groups = tuple(words.called(group, own) for group in members)
    names, places = _places(of_labels, {key_of(name) for name in own.values()})
    differ = len(names) < len(places)
    return Naming(
        names, _members(of_groups, [*members.values()], places, len(names)), of_labels, of_groups,
        places if differ else None, _everyday(words, of_labels, of_groups, members),
    )  # fmt: skip


def trouble_with(wanted: WantedNames, labels: Sequence[str], groups: Iterable[str]) -> str:
    """One sentence on names of your own that cannot be used with this model; empty if all can."""
    words = TranslatedNames(wanted.language, [*labels, *groups])
    unknown = [each.label for each in wanted.own if not words.meant_by(each.label)]
    named = [f"{shortened(label)!r}{words.near(label)}" for label in unknown[:_MOST_UNKNOWN]]
    sentences = []
    if named:
        more = f" and {len(unknown) - len(named):,} more" if len(unknown) > len(named) else ""
        sentences.append(f"[names]: the model has no label or group {', '.join(named)}{more}")
    own = words.own_names(wanted.own)
    if not any(own.get(label, label) for label in labels):
        sentences.append("[names] hides every label of the model, so none is hidden; leave one")
    return "; ".join(sentences)


def _everyday(
    words: "TranslatedNames",
    of_labels: Sequence[Called],
    of_groups: Sequence[Called],
    members: Mapping[str, Sequence[int]],
) -> dict[str, str]:
    """What is called by a name of your own is called so every day."""
    called = {key_of(each.own): each.name for each in (*of_labels, *of_groups)}
    found = {}
    of_own = everyday_words([each.own for each in of_labels], members)
    for each in (*of_labels, *of_groups):
        word = of_own.get(each.own)
        if word is None or each.name is None or each.name != each.translation:
            continue
        name = called.get(key_of(word), words.translated(word))
        if name is not None and name != each.name:
            found[each.name] = name
    return found


class TranslatedNames:
    """Every label and group of a model in a language, and what a text on the left means."""

    def __init__(self, language: str, names: Sequence[str]) -> None:
        self._language = language or ORIGINAL
        known = {key_of(name) for name in names}
        by_key = {key_of(name): text for name, text in translations(self._language).items()}
        found = {name: by_key[key] for name in names if (key := key_of(name)) in by_key} if by_key else {}
        taken = known - {key_of(name) for name in found}
        self._translated = {name: text for name, text in found.items() if key_of(text) not in taken}
        self._by_key: dict[str, list[str]] = {}
        self._texts: dict[str, str] = {}
        for name in names:
            self._by_key.setdefault(key_of(name), []).append(name)
            self._texts.setdefault(key_of(name), name)
        for name, text in self._translated.items():
            if (key := key_of(text)) not in known:
                self._by_key.setdefault(key, []).append(name)
                self._texts.setdefault(key, text)

    def meant_by(self, text: str) -> list[str]:
        """The model's labels and groups that a text means: by their own name, else by its translation."""
        return self._by_key.get(key_of(text), [])

    def own_names(self, own: Iterable[OwnName]) -> dict[str, str]:
        """The model's name -> your name for it; of two, the later one counts."""
        found: dict[str, str] = {}
        for each in own:
            found |= dict.fromkeys(self.meant_by(each.label), each.name)
        return found

    def called(self, name: str, own: Mapping[str, str]) -> Called:
        translation = self._translated.get(name, name)
        return Called(name, translation, own.get(name, translation) or None)

    def translated(self, word: str) -> str:
        """A word that need not be a name of the model."""
        return translations(self._language).get(word, word)

    def near(self, text: str) -> str:
        """What may be meant by a text that means nothing, for a sentence."""
        near = difflib.get_close_matches(key_of(text), self._texts, n=_MOST_NEAR)
        return f" (near are {', '.join(repr(self._texts[each]) for each in near)})" if near else ""


def _places(called: Iterable[Called], shared: Collection[str]) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """The names of labels, and which of them each of the model's is a part of; their number for a hidden one.

    shared  keys of names of your own. Only labels that meet at one of them become one: a file of labels may name two
            things alike
    """
    names: list[str] = []
    by_key: dict[str, int] = {}
    places: list[int | None] = []
    for each in called:
        key = key_of(each.name or "")
        place = None if each.name is None else by_key.get(key, len(names)) if key in shared else len(names)
        if place == len(names) and each.name is not None:
            names.append(each.name)
            by_key[key] = place
        places.append(place)
    return tuple(names), np.array([len(names) if place is None else place for place in places], np.intp)


def _members(
    called: Iterable[Called], members: Sequence[Sequence[int]], places: NDArray[np.intp], count: int
) -> dict[str, tuple[int, ...]]:
    """Groups of the same name become one. A group holds a label if it holds all that became that label.

    So no group is credited with what is none of it.

    count  how many labels there are to see
    """
    holds: dict[str, tuple[str, set[int]]] = {}
    for each, labels in zip(called, members, strict=True):
        if each.name is not None:
            holds.setdefault(key_of(each.name), (each.name, set()))[1].update(labels)
    whole = np.bincount(places, minlength=count + 1)
    found = {}
    for name, held in holds.values():
        parts = np.bincount(places[[*held]], minlength=count + 1)
        found[name] = tuple(np.flatnonzero((parts == whole)[:count] & (parts > 0)[:count]).tolist())
    by_size = sorted(found.items(), key=lambda group: len(group[1]))
    return {name: labels for name, labels in by_size if labels}
