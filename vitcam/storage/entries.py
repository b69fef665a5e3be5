"""The entries of a list or a table in a state file. What this version cannot read of them stays in the file as it was.

A newer version may have written it, or a person: whole entries, and further keys of entries that can be read.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Self, TypeVar

from vitcam.errors import VitcamError

T = TypeVar("T")

_UNREAD = (VitcamError, ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError)


@dataclass(frozen=True, slots=True)
class Unread:
    """An entry that cannot be read, so it is not in force."""

    key: str
    record: Any
    """As it stands in the file."""
    reason: str


@dataclass(frozen=True, slots=True)
class Entries(Generic[T]):
    """What was read, and what goes back into the file beside it."""

    values: Mapping[str, T] = field(default_factory=dict)
    """By the key of each, in the order of the file."""
    unread: tuple[Unread, ...] = ()
    _records: Mapping[str, Any] = field(default_factory=dict)
    """Those of `values`, as they stand in the file."""

    @classmethod
    def of_table(cls, table: Any, read: Callable[[str, Any], T], most: int) -> Self:
        """Of an object or a TOML table.

        read    gets a key and its record, and raises an error for what it does not know
        most    so many are read
        raises  TypeError if it is no table
        """
        if not isinstance(table, dict):
            raise TypeError("it holds no table")
        return cls._of(table.items(), read, most)

    @classmethod
    def of_list(cls, records: Any, key: str, read: Callable[[Any], T], most: int) -> Self:
        """Of a list of objects. One that has the key of another cannot be read.

        key     names the value by which each is known
        read    as in `of_table`, without the key
        raises  TypeError if it is no list
        """
        if not isinstance(records, list):
            raise TypeError("it holds no list")
        return cls._of(((_key(record, key), record) for record in records), lambda _, record: read(record), most)

    @classmethod
    def _of(cls, pairs: Iterable[tuple[str, Any]], read: Callable[[str, Any], T], most: int) -> Self:
        values, records, unread = dict[str, T](), dict[str, Any](), list[Unread]()
        for key, record in pairs:
            try:
                if key in values:
                    raise ValueError("there is another one of that name")
                if len(values) >= most:
                    raise ValueError(f"there are {most} already")
                values[key] = read(key, record)
                records[key] = record
            except _UNREAD as error:
                unread.append(Unread(key, record, str(error)))
        return cls(values, tuple(unread), records)

    def without(self, key: str) -> Self:
        """The same without one that cannot be read, since a person wants it gone."""
        return replace(self, unread=tuple(each for each in self.unread if each.key != key))

    def table(self, records: Mapping[str, Any]) -> dict[str, Any]:
        """These records, with all that could not be read: what is to be written."""
        others = {each.key: each.record for each in self.unread if each.key not in records}
        return {key: self._whole(key, record) for key, record in records.items()} | others

    def list(self, records: Iterable[Mapping[str, Any]], key: str) -> list[Any]:
        """The same for a list of objects."""
        return [*(self._whole(_key(each, key), each) for each in records), *(each.record for each in self.unread)]

    def _whole(self, key: str, record: Any) -> Any:
        before = self._records.get(key)
        return {**before, **record} if isinstance(before, dict) and isinstance(record, Mapping) else record

    def __iter__(self) -> Iterator[T]:
        return iter(self.values.values())


def _key(record: Any, key: str) -> str:
    found = record.get(key) if isinstance(record, Mapping) else None
    return found if isinstance(found, str) else ""
