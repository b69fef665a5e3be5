"""A file's second signature, kept apart from the first: XNNPACK copies the weights once for each that is loaded.

A copy of `everyday` takes 9 MB, and few daemons ever ask for the second one.
"""

import struct
from dataclasses import dataclass

from vitcam.model.flatbuffer import SIGNATURES, SUBGRAPHS, Content, Table, model_of, operator_kinds, tables

_KEY, _SUBGRAPH = 2, 4  # of SignatureDef
_COUNT = 2
_CALLS = {31, 32, 118, 119, 129}  # CALL, CUSTOM, IF, WHILE, CALL_ONCE: operators that may run another graph
_LAST_PLAIN = 161  # of the operators; StableHLO's follow, and many of them run another graph


@dataclass(frozen=True, slots=True)
class _Signature:
    name: str
    at: int
    """Where its table lies."""
    index: int
    """Where the number of its graph lies; 0: nowhere, since it is 0."""
    graph: int
    """Where its graph lies."""


@dataclass(frozen=True, slots=True)
class TwoSignatures:
    """Where the signatures and graphs of a file lie, the default one first."""

    _signatures: tuple[_Signature, ...]
    _listed_at: int
    _graphs_at: int

    @property
    def names(self) -> tuple[str, ...]:
        """The default one first."""
        return tuple(each.name for each in self._signatures)

    def alone(self, content: Content, name: str) -> bytes:
        """The file with this signature alone. Its graph is the first one then.

        content  of the file, or what this made of it for another name; nothing else in it is moved or changed
        """
        wanted = self._signatures[self.names.index(name)]
        changes: dict[int, tuple[int, ...]] = {
            self._listed_at: (1, wanted.at - self._listed_at - 4),
            self._graphs_at: (1, wanted.graph - self._graphs_at - 4),
        }
        if wanted.index:
            changes[wanted.index] = (0,)
        return _changed(content, changes)


def two_signatures(content: Content) -> TwoSignatures | None:
    """Of a file with two signatures that do not need one another; None for any other, and for a damaged one."""
    try:
        return _two_signatures(content)
    except (struct.error, ValueError, LookupError):  # the runtime says what is wrong
        return None


def _two_signatures(content: Content) -> TwoSignatures | None:
    model = model_of(content)
    listed, graphs = tables(content, model, SIGNATURES), tables(content, model, SUBGRAPHS)
    if not (len(listed) == len(graphs) == _COUNT):
        return None
    if any(kind in _CALLS or kind > _LAST_PLAIN for kind in operator_kinds(content)):
        return None
    found = {each.number(content, _SUBGRAPH, "<I"): each for each in listed}
    if sorted(found) != list(range(_COUNT)):
        return None
    signatures = tuple(_signature(content, found[index], graphs[index]) for index in range(_COUNT))
    return TwoSignatures(signatures, model.follow(content, SIGNATURES), model.follow(content, SUBGRAPHS))


def _signature(content: Content, table: Table, graph: Table) -> _Signature:
    index = table.field(content, _SUBGRAPH)
    return _Signature(table.text(content, _KEY), table.at, index, graph.at)


def _changed(content: Content, numbers: dict[int, tuple[int, ...]]) -> bytes:
    """A copy with other 32-bit numbers from these places on. It is made in one piece: a model may be large."""
    view, pieces, done = memoryview(content), list[bytes | memoryview](), 0
    for at, values in sorted(numbers.items()):
        piece = struct.pack(f"<{len(values)}I", *values)
        pieces += [view[done:at], piece]
        done = at + len(piece)
    return b"".join([*pieces, view[done:]])
