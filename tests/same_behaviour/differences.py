"""Two values as JSON has them -> what differs, each with the path that leads to it."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

_LONGEST = 300
_MISSING = object()


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where two values differ."""

    place: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.place}\n    old: {self.old}\n    new: {self.new}"


def differences(old: Any, new: Any, place: str = "") -> Iterator[Difference]:
    """Mappings are compared by key, lists of the same length by position; a list of words is compared as a whole."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in [*old, *(key for key in new if key not in old)]:
            below = f"{place} > {key}" if place else str(key)
            yield from differences(old.get(key, _MISSING), new.get(key, _MISSING), below)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new) and not _is_of_words(old + new):
        for number, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differences(one, other, f"{place}[{number}]")
    elif isinstance(old, str) and isinstance(new, str) and "\n" in old + new:
        yield from _differing_lines(old, new, place)
    elif type(old) is not type(new) or old != new:
        yield Difference(place, _shown(old), _shown(new))


def _is_of_words(values: list[Any]) -> bool:
    """Such as names in an order: one that moved would make all others differ."""
    return all(isinstance(value, str) for value in values)


def _differing_lines(old: str, new: str, place: str) -> Iterator[Difference]:
    """The lines that only one of two texts has; their order where they have the same ones."""
    if old == new:
        return
    before, after = old.splitlines(), new.splitlines()
    gone = [line for line in before if line not in after]
    come = [line for line in after if line not in before]
    if not gone and not come:
        yield Difference(place, "the same lines in another order, or another number of times", "")
    for number in range(max(len(gone), len(come))):
        one, other = (lines[number] if number < len(lines) else _MISSING for lines in (gone, come))
        yield Difference(f"{place}, a line", _shown(one), _shown(other))


def _shown(value: Any) -> str:
    if value is _MISSING:
        return "(not there)"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text):,} characters)"


def shape(value: Any) -> Any:
    """The same with the type of each value in its place: of a list, the shape of its first element."""
    if isinstance(value, Mapping):
        return {key: shape(each) for key, each in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return type(value).__name__


def without(value: Any, changing: Sequence[str], place: str = "") -> Any:
    """The same with the shape in place of each value whose path one of the patterns fits, such as `ms.*` or `*.time`.

    An element of a list has the path of the list.
    """
    if any(fnmatchcase(place, pattern) for pattern in changing):
        return shape(value)
    if isinstance(value, Mapping):
        return {key: without(each, changing, f"{place}.{key}" if place else str(key)) for key, each in value.items()}
    if isinstance(value, list):
        return [without(each, changing, place) for each in value]
    return value


def masked(text: str, changing: Mapping[str, str]) -> str:
    """A text with a word in place of all that a regular expression finds."""
    for pattern, word in changing.items():
        text = re.sub(pattern, word, text)
    return text
