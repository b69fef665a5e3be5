"""Everyday names: the word that people say for what a model knows by a finer one, such as cat for a tabby cat.

The table is vitcam's own, in English. So it also holds for a model whose file has no groups: its labels find their
words by name. What is not in it is called by its own name.
"""

import csv
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType

from vitcam.names.wanted import key_of


@cache
def _table() -> tuple[Mapping[str, str], frozenset[str]]:
    """Key of a name -> its everyday word; and the keys of the words, each of which also stands for itself."""
    found: dict[str, str] = {}
    with Path(__file__).with_name("everyday.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["everyday"]: row["names"].split(";") for row in csv.DictReader(file)}
    for word, names in rows.items():
        found |= {key_of(name): word for name in (word, *filter(None, names))}
    return MappingProxyType(found), frozenset(map(key_of, rows))


def everyday_word(name: str) -> str:
    """The word for a label or a group in English; the name itself where there is no other."""
    return _table()[0].get(key_of(name), name)


def everyday_words(labels: Sequence[str], members: Mapping[str, Sequence[int]]) -> dict[str, str]:
    """The word for each label and each group that has another one than its own name.

    A label that the table has not is called by the smallest group that holds it and is such a word.

    members  group -> indices of its labels, the smallest group first
    """
    table, words = _table()
    found = {name: word for name in (*members, *labels) if (word := table.get(key_of(name)))}
    for group in (group for group in members if key_of(group) in words):
        for label in members[group]:
            found.setdefault(labels[label], group)
    return {name: word for name, word in found.items() if word != name}
