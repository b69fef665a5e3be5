"""What the outputs of ImageNet's heads mean: the lists of classes that published networks were trained on.

A head tells its list by how many outputs it has, for no two lists are equally long. `imagenet_classes.txt` beside this
file has their WordNet ids and words, and says where they come from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

PERSON = "person"
"""The word for every class of people: that a person is there, never who."""
FIRST_PERSON, LAST_PERSON, ANY_PERSON = "n09505153", "n10994097", "n00007846"
"""WordNet numbers its words for people in one piece; the word for all of them stands elsewhere."""
ALIKE = 0.95
"""Share of the names that must be those of a list before its ids are taken for a head's."""


@dataclass(frozen=True)
class ClassList:
    """Classes in the order of a head's outputs."""

    name: str
    ids: tuple[str, ...]


@dataclass(frozen=True)
class _ClassRow:
    id: str
    lists: str
    word: str


def class_list(outputs: int) -> ClassList | None:
    """The list with as many classes as a head has outputs; None: no such list is known."""
    return _class_lists().get(outputs)


def ids_of_names(names: Sequence[str]) -> tuple[str, ...]:
    """The WordNet ids of outputs that are named like the classes of a list, in its order; empty if they are not.

    names  of all outputs: ids, or words such as `tench, Tinca tinca`, of which the first counts
    """
    found = class_list(len(names))
    if found is None:
        return ()
    words = {row.id: row.word.partition(" (")[0].casefold() for row in _table()}
    pairs = [(id_, name.strip(), words[id_]) for id_, name in zip(found.ids, names, strict=True)]
    same = sum(name == id_ or name.partition(",")[0].strip().casefold() == word for id_, name, word in pairs if word)
    return found.ids if same >= ALIKE * sum(bool(word) for _, _, word in pairs) else ()


def is_person(id_: str) -> bool:
    """Whether a WordNet id means people of some kind."""
    return id_ == ANY_PERSON or FIRST_PERSON <= id_ <= LAST_PERSON


def words(ids: Iterable[str], taken: Mapping[str, str]) -> dict[str, str]:
    """WordNet id -> a word for it; no two classes but those of people have the same.

    taken  id -> the words that some of the ids have already, which no other gets
    """
    wanted, known = list(ids), {row.id: row.word for row in _table()}
    found = {each: taken.get(each) or (PERSON if is_person(each) else known.get(each, each)) for each in wanted}
    count = Counter(word.casefold() for id_, word in found.items() if id_ not in taken and not is_person(id_))
    used = {word.casefold() for word in taken.values()}
    return {
        id_: word
        if id_ in taken or is_person(id_) or (count[word.casefold()] == 1 and word.casefold() not in used)
        else f"{word} ({id_})"
        for id_, word in found.items()
    }


@cache
def _table() -> tuple[_ClassRow, ...]:
    text = files(__package__).joinpath("imagenet_classes.txt").read_text(encoding="utf-8")
    columns = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    return tuple(
        _ClassRow(id_, lists if set(lists) & set("wg-") else f"{lists}wg", word) for id_, lists, word in columns
    )


@cache
def _class_lists() -> dict[int, ClassList]:
    def listed(letter: str) -> tuple[str, ...]:
        return tuple(row.id for row in _table() if letter in row.lists)

    thousand, autumn = listed("k"), listed("w")
    found = [
        ClassList("ImageNet-1k", thousand),
        ClassList("ImageNet-21K-P", listed("m")),
        ClassList("timm's ImageNet-12k", listed("t")),
        ClassList("ImageNet-22k", autumn),
        ClassList("Microsoft's ImageNet-22k", (*thousand, *sorted(set(autumn) - set(thousand)))),
        ClassList("Google's ImageNet-21k", listed("g")),
    ]
    return {len(each.ids): each for each in found}
