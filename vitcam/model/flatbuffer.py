"""A TFLite file's tables, read and changed where they lie: no package for flatbuffers is needed.

source  tensorflow/lite/schema/schema.fbs; flatbuffers.dev, internals
"""

import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

OPERATOR_CODES, SUBGRAPHS, BUFFERS, SIGNATURES = 1, 2, 4, 7
"""The positions of a model's fields."""
Vector = NDArray[Any]  # (N,)
_OLD_CODE, _CODE = 0, 3  # of OperatorCode

Content = bytes | bytearray


@dataclass(frozen=True, slots=True)
class Table:
    """A flatbuffers table at `at`; each field is found by way of its vtable."""

    at: int

    def field(self, data: Content, position: int) -> int:
        """Where a field lies; 0: it is not there."""
        vtable = self.at - read("<i", data, self.at)
        entry = 4 + 2 * position
        offset = read("<H", data, vtable + entry) if entry < read("<H", data, vtable) else 0
        return self.at + offset if offset else 0

    def number(self, data: Content, position: int, kind: str) -> int:
        """A field's number; 0 where it is not there."""
        at = self.field(data, position)
        return read(kind, data, at) if at else 0

    def follow(self, data: Content, position: int) -> int:
        """Where the table or vector lies that a field refers to; 0: there is none."""
        at = self.field(data, position)
        return at + read("<I", data, at) if at else 0

    def vector(self, data: Content, position: int, kind: str) -> Vector:
        """A field's numbers, (N,)."""
        at = self.follow(data, position)
        count = read("<I", data, at) if at else 0
        return np.frombuffer(data, kind, count, at + 4).copy() if at else np.empty(0, kind)

    def text(self, data: Content, position: int) -> str:
        """A field's text; empty where it is not there."""
        return self.vector(data, position, "<u1").tobytes().decode()


def read(kind: str, data: Content, at: int) -> int:
    """A number at a place. Raises struct.error where the file is too short."""
    return int(struct.unpack_from(kind, data, at)[0])


def model_of(data: Content) -> Table:
    """The table that all others hang on."""
    return Table(read("<I", data, 0))


def tables(data: Content, parent: Table, position: int) -> list[Table]:
    """Those that a field lists."""
    at = parent.follow(data, position)
    entries = range(at + 4, at + 4 + 4 * read("<I", data, at), 4) if at else range(0)
    return [Table(entry + read("<I", data, entry)) for entry in entries]


def operator_kinds(data: Content) -> list[int]:
    """The `BuiltinOperator` of each operator code."""
    codes = tables(data, model_of(data), OPERATOR_CODES)
    return [max(code.number(data, _OLD_CODE, "<b"), code.number(data, _CODE, "<i")) for code in codes]
