"""Sentences of the daemon that the page can say in its own language, by a key and the values that stand in them."""

from collections.abc import Iterator, Mapping
from typing import Any


class Sentence(str):
    """A sentence in English, as every program reads it, with the key by which the page finds its own words.

    What is made of one, such as a longer sentence, is a plain text.
    """

    __slots__ = ("key", "values")

    key: str
    """Of the page's catalogues, without `said.` before it."""
    values: Mapping[str, str | float]

    def __new__(cls, text: str, key: str, /, **values: str | float) -> "Sentence":
        made = super().__new__(cls, text)
        made.key, made.values = key, values
        return made

    def __deepcopy__(self, _: Any) -> "Sentence":
        """It never changes: `dataclasses.asdict` would make a plain text of it."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (str(self), self.key, dict(self.values))


def _made(text: str, key: str, values: Mapping[str, str | float]) -> Sentence:
    return Sentence(text, key, **values)


def with_keys(record: dict[str, Any]) -> dict[str, Any]:
    """A record of JSON; where it has sentences with a key, `said` has the key and the values of each."""
    found = {str(each): {"text": each, "key": each.key, "values": each.values} for each in _sentences(record)}
    return {**record, "said": [*found.values()]} if found else record


def _sentences(value: object) -> Iterator[Sentence]:
    match value:
        case Sentence():
            yield value
        case dict():
            for each in value.values():
                yield from _sentences(each)
        case list() | tuple():
            for each in value:
                yield from _sentences(each)
