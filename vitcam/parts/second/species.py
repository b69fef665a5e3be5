"""Names of species: as the labels of a model give them, in a list of a place, and in another language."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from vitcam.errors import UsageError
from vitcam.names.wanted import key_of
from vitcam.storage.reading import read_given, text_of

_BOTH = re.compile(r"(?P<scientific>[^()]+?)\s*\((?P<common>.+)\)")
_BINOMIAL = re.compile(r"[A-Z][a-z-]+( [a-z][a-z-]+){1,3}")
_SEPARATOR = re.compile(r"\s*[\t=;]\s*")
_NOTHING = frozenset({"background", "none of these", "unknown"})
_MOST_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class Species:
    """A label of a second model. It need not be a species: any label does."""

    label: str
    common: str
    """What people call it; where the label has one name alone, that."""
    scientific: str | None

    @classmethod
    def of(cls, label: str) -> Self:
        """Of a label such as "Carduelis carduelis (European Goldfinch)", or of one name alone."""
        if found := _BOTH.fullmatch(label.strip()):
            return cls(label, found["common"].strip(), found["scientific"].strip())
        return cls(label, label.strip(), label.strip() if _BINOMIAL.fullmatch(label.strip()) else None)

    @property
    def keys(self) -> frozenset[str]:
        """Of its names."""
        return frozenset(key_of(name) for name in (self.label, self.common, self.scientific) if name)

    @property
    def is_nothing(self) -> bool:
        """Whether the label stands for what is none of the others."""
        return key_of(self.label) in _NOTHING


def read_list(path: Path) -> tuple[str, ...]:
    """The species in a file, one a line; lines that begin with # say nothing.

    raises  UsageError if it cannot be read, or names none
    """
    if found := tuple(_lines(path, "list of species")):
        return found
    raise UsageError(f"the list of species {path} names none; write one a line")


def read_names(path: Path) -> dict[str, str]:
    """Key of an English or scientific name -> the name that a file gives in its place.

    raises  UsageError if it cannot be read, or a line does not give two names
    """
    found: dict[str, str] = {}
    for line in _lines(path, "names of species"):
        names = _SEPARATOR.split(line, maxsplit=1)
        if len(names) != 2 or not all(names):
            raise UsageError(f"the names of species {path}: {line[:60]!r} gives no two names; write one = other")
        found |= dict.fromkeys(Species.of(names[0]).keys, names[1])
    return found


def places_of(species: Sequence[Species], only: Iterable[str]) -> tuple[frozenset[int], tuple[str, ...]]:
    """Which labels a list of species leaves, and what of the list is none of them.

    returns  indices, also those of labels that stand for nothing; and the names that are not known
    """
    by_key: dict[str, set[int]] = {}
    for index, each in enumerate(species):
        for key in each.keys:
            by_key.setdefault(key, set()).add(index)
    left, unknown = {index for index, each in enumerate(species) if each.is_nothing}, []
    for name in only:
        found = set().union(*(by_key.get(key, set()) for key in Species.of(name).keys))
        left |= found
        unknown += [] if found else [name]
    return frozenset(left), tuple(unknown)


def called(species: Species, names: Mapping[str, str]) -> str:
    """What a species is called where a file may give other names.

    names  as `read_names` gives them
    """
    return next((names[key] for key in sorted(species.keys) if key in names), species.common)


def _lines(path: Path, what: str) -> Iterable[str]:
    try:
        text = text_of(read_given(path, _MOST_BYTES))
    except OSError as error:
        raise UsageError(f"the {what} {path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise UsageError(f"the {what} {path} cannot be read: {error}") from error
    lines = map(str.strip, text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]
