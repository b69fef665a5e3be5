"""Lists of the species of a place, and their names in another language."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from vitcam.errors import UsageError
from vitcam.names.species import Species
from vitcam.storage.reading import read_given, text_of

_SEPARATOR = re.compile(r"\s*[\t=;]\s*")
_MOST_BYTES = 2**20


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
