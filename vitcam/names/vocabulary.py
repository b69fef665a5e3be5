"""By which texts settings, rules and searches may name what a model sees: its own names, translations, and yours."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from vitcam.frames import UNKNOWN, Event, Prediction
from vitcam.names.active import ActiveNames
from vitcam.names.everyday import everyday_word
from vitcam.names.naming import Called, Naming
from vitcam.names.wanted import WantedNames, key_of


@dataclass(frozen=True, slots=True)
class Meaning:
    """The keys of texts by which a label or a group may be named."""

    own: frozenset[str] = frozenset()
    """Of itself."""
    groups: frozenset[str] = frozenset()
    """Of the groups that hold it."""


NOTHING = Meaning()
Meanings = Mapping[str, Meaning]
"""By the name of a label or a group as it is displayed."""
NO_MEANINGS: Meanings = MappingProxyType({})


def means_displayed(text: str, event: Event, meanings: Meanings) -> bool:
    """Whether a text means what is displayed of an event, or a group that holds it; where nothing is, its label."""
    return means_name(text, event.label if event.group is None else event.group.name, meanings)


def means_name(text: str, name: str, meanings: Meanings) -> bool:
    """Whether a text means a label or a group by its displayed name, or a group that holds it."""
    meaning = meanings.get(name, NOTHING)
    return key_of(text) in {key_of(name)} | meaning.own | meaning.groups


def means_any(texts: Iterable[str], event: Event, meanings: Meanings) -> bool:
    """Whether one of some texts means what an event is about: its label, its group, or a group that holds the label."""
    keys = {key_of(event.label)}
    label = meanings.get(event.label, NOTHING)
    keys |= label.own | label.groups
    if event.group is not None:
        keys |= {key_of(event.group.name)} | meanings.get(event.group.name, NOTHING).own
    return any(key_of(text) in keys for text in texts)


def shows_any(texts: Iterable[str], prediction: Prediction, meanings: Meanings) -> bool:
    """Whether a picture may show what one of some texts means: one of its three best guesses, a group, or unknown."""
    keys = {UNKNOWN} if prediction.unfamiliar else set()
    for name in (*(guess.label for guess in prediction.best_three), *(group.name for group in prediction.groups)):
        meaning = meanings.get(name, NOTHING)
        keys |= {key_of(name)} | meaning.own | meaning.groups
    return any(key_of(text) in keys for text in texts)


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """Of one naming."""

    naming: Naming
    meanings: dict[str, Meaning]
    names: dict[str, list[str]]
    """Key of a text -> every name of what it means: the displayed one first."""


class Vocabulary(Mapping[str, Meaning]):
    """`Meanings` that go with the names in force. In any thread.

    seen  gives the labels of the model, and group -> indices of its labels; both may change
    """

    def __init__(
        self, names: ActiveNames, seen: Callable[[], tuple[Sequence[str], Mapping[str, Sequence[int]]]]
    ) -> None:
        self._names = names
        self._seen = seen
        self._last: _Found | None = None

    def __getitem__(self, name: str) -> Meaning:
        return self._found().meanings[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found().meanings)

    def __len__(self) -> int:
        return len(self._found().meanings)

    @property
    def naming(self) -> Naming:
        """The names in force."""
        return self._names.naming(*self._seen())

    @property
    def state(self) -> tuple[WantedNames, Sequence[str]]:
        """Is equal as long as everything means the same; cheap."""
        return self._names.in_force.wanted, self._seen()[0]

    @property
    def known(self) -> frozenset[str]:
        """Every name that means something."""
        return frozenset(name for names in self._found().names.values() for name in names)

    def names_of(self, text: str) -> tuple[str, ...]:
        """Every name of what a text means, as it is written; the text itself where it means nothing."""
        return tuple(self._found().names.get(key := key_of(text), [UNKNOWN if key == UNKNOWN else text]))

    def everyday(self, name: str) -> str:
        """What people say for what was displayed with a name, whatever language or model it came from."""
        present = self.names_of(name)[0]
        word = self.naming.everyday.get(present)
        return word or (present if present != name else self.names_of(everyday_word(name))[0])

    def _found(self) -> _Found:
        naming, last = self.naming, self._last
        if last is None or last.naming is not naming:
            last = self._last = _find(naming)
        return last


def _find(naming: Naming) -> _Found:
    own: dict[str, set[str]] = {}
    names: dict[str, dict[str, None]] = {}
    for each in (*naming.of_labels, *naming.of_groups):
        every = _names_of(each)
        if each.name is not None:
            own.setdefault(each.name, set()).update(map(key_of, every))
        for name in every:
            names.setdefault(key_of(name), {}).update(every)
    groups = _groups_that_hold(naming, own)
    for name, word in naming.everyday.items():
        groups.setdefault(name, set()).update(own.get(word, ()), (key_of(word),))
    meanings = {name: Meaning(frozenset(keys), frozenset(groups.get(name, ()))) for name, keys in own.items()}
    return _Found(naming, meanings, {key: [*found] for key, found in names.items()})


def _groups_that_hold(naming: Naming, own: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Name of a label or a group -> the keys of each larger group that holds it."""
    of_label: dict[int, set[str]] = {}
    for group, labels in naming.members.items():
        for label in labels:
            of_label.setdefault(label, set()).add(group)
    found: dict[str, set[str]] = {}
    for label, holders in of_label.items():
        found.setdefault(naming.labels[label], set()).update(*(own[holder] for holder in holders))
    for group, labels in naming.members.items():
        larger = set[str].intersection(*(of_label[label] for label in labels)) - {group}
        found.setdefault(group, set()).update(*(own[holder] for holder in larger))
    return found


def _names_of(called: Called) -> dict[str, None]:
    """Its names, the displayed one first."""
    return dict.fromkeys(filter(None, (called.name, called.own, called.translation)))
