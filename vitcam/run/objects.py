"""The objects that a run is made of, found by what they are."""

from typing import TypeVar

K = TypeVar("K")


class Objects:
    """The objects of a run: of the base, then of each part in the order of `PARTS`."""

    def __init__(self, *objects: object) -> None:
        self._all = objects

    def add(self, *objects: object) -> None:
        """Add what comes after those before. Nothing runs yet."""
        self._all += objects

    def each(self, kind: type[K]) -> tuple[K, ...]:
        """All objects of a kind, in their order."""
        return tuple(found for found in self._all if isinstance(found, kind))

    def one(self, kind: type[K]) -> K | None:
        """The object of a class that has one at most; None: this run has none."""
        return next(iter(self.each(kind)), None)
