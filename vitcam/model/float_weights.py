"""Turns int8 weights into floats, for a runtime that ignores them.

tflite-runtime 2.14 computes a fully connected layer with float input and one scale a row (the usual dynamic-range int8)
wrongly and without an error: it uses a scale of 0, so the layer gives only its bias. Such weights are dequantised in
memory. The answers are then the same up to rounding, without the speed of int8.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import ModelError

# tensorflow/lite/schema/schema.fbs: the fields' positions in their tables, and two enumerations
_OPERATOR_CODES, _SUBGRAPHS, _BUFFERS = 1, 2, 4  # of Model
_TENSORS, _OPERATORS = 0, 3  # of SubGraph
_SHAPE, _TYPE, _BUFFER, _QUANTIZATION = 0, 1, 2, 4  # of Tensor
_OPCODE, _INPUTS = 0, 1  # of Operator
_OLD_CODE, _CODE = 0, 3  # of OperatorCode
_SCALE, _ZERO_POINT, _AXIS = 2, 3, 6  # of QuantizationParameters
_DATA, _OFFSET, _SIZE = 0, 1, 2  # of Buffer: either the data, or where in the file they lie behind the tables
_FLOAT32, _INT8, _FULLY_CONNECTED = 0, 9, 9
_ALIGNMENT = 16

Vector = NDArray[Any]  # (N,)


def with_float_weights(content: bytes) -> bytes:
    """The same graph, with the weights of such layers in float32.

    raises  ModelError if the flatbuffer is damaged
    """
    data = bytearray(content)
    try:
        for graph in _tables(data, _model(data), _SUBGRAPHS):
            for tensor in _affected(data, graph):
                _make_float(data, tensor)
    except (struct.error, ValueError, LookupError) as error:
        raise ModelError(f"the model is a damaged TFLite file ({error}); export or download it again") from error
    return bytes(data)


@dataclass(frozen=True, slots=True)
class _Table:
    """A flatbuffers table at `at`; each field is found by way of its vtable (flatbuffers.dev, internals)."""

    at: int

    def field(self, data: bytearray, position: int) -> int:
        """Where a field lies; 0: it is not there."""
        vtable = self.at - _read("<i", data, self.at)
        entry = 4 + 2 * position
        offset = _read("<H", data, vtable + entry) if entry < _read("<H", data, vtable) else 0
        return self.at + offset if offset else 0

    def number(self, data: bytearray, position: int, kind: str) -> int:
        at = self.field(data, position)
        return _read(kind, data, at) if at else 0

    def follow(self, data: bytearray, position: int) -> int:
        """Where the table or vector lies that a field refers to; 0: there is none."""
        at = self.field(data, position)
        return at + _read("<I", data, at) if at else 0

    def vector(self, data: bytearray, position: int, kind: str) -> Vector:
        at = self.follow(data, position)
        count = _read("<I", data, at) if at else 0
        return np.frombuffer(data, kind, count, at + 4).copy() if at else np.empty(0, kind)


def _read(kind: str, data: bytearray, at: int) -> int:
    return int(struct.unpack_from(kind, data, at)[0])


def _model(data: bytearray) -> _Table:
    return _Table(_read("<I", data, 0))


def _tables(data: bytearray, parent: _Table, position: int) -> list[_Table]:
    at = parent.follow(data, position)
    entries = range(at + 4, at + 4 + 4 * _read("<I", data, at), 4) if at else range(0)
    return [_Table(entry + _read("<I", data, entry)) for entry in entries]


def _affected(data: bytearray, graph: _Table) -> Iterator[_Table]:
    """The weights of fully connected layers with float input, int8, with a scale for each row."""
    codes = _tables(data, _model(data), _OPERATOR_CODES)
    tensors = _tables(data, graph, _TENSORS)
    for operator in _tables(data, graph, _OPERATORS):
        code = codes[operator.number(data, _OPCODE, "<I")]
        if max(code.number(data, _OLD_CODE, "<b"), code.number(data, _CODE, "<i")) != _FULLY_CONNECTED:
            continue
        given, weights = (tensors[i] for i in operator.vector(data, _INPUTS, "<i4")[:2])
        types = (given.number(data, _TYPE, "<b"), weights.number(data, _TYPE, "<b"))
        if types == (_FLOAT32, _INT8) and len(_quantization(data, weights).vector(data, _SCALE, "<f4")) > 1:
            yield weights


def _quantization(data: bytearray, tensor: _Table) -> _Table:
    return _Table(tensor.follow(data, _QUANTIZATION))


def _make_float(data: bytearray, tensor: _Table) -> None:
    """Write the real numbers behind everything else, and let the tensor's buffer refer to them."""
    buffer = _tables(data, _model(data), _BUFFERS)[tensor.number(data, _BUFFER, "<I")]
    quantization = _quantization(data, tensor)
    if quantization.number(data, _AXIS, "<i") != 0:
        raise ValueError("the scales of a layer's weights do not belong to its rows")
    stored = _stored(data, buffer)
    rows = quantization.vector(data, _SCALE, "<f4").astype(np.float32)
    shape = tensor.vector(data, _SHAPE, "<i4").tolist()
    if len(stored) == prod(shape):  # else another tensor shares the buffer, and has been here
        _store(data, buffer, (stored.reshape(shape).astype(np.float32) * rows[:, None]).tobytes())
    struct.pack_into("<b", data, tensor.field(data, _TYPE), _FLOAT32)
    for position in (_SCALE, _ZERO_POINT):
        if at := quantization.follow(data, position):
            struct.pack_into("<I", data, at, 0)  # no scale: not quantised


def _stored(data: bytearray, buffer: _Table) -> Vector:
    offset = buffer.number(data, _OFFSET, "<Q")
    if not offset:
        return buffer.vector(data, _DATA, "<i1")
    return np.frombuffer(data, "<i1", buffer.number(data, _SIZE, "<Q"), offset).copy()


def _store(data: bytearray, buffer: _Table, content: bytes) -> None:
    data += bytes(-(len(data) + 4) % _ALIGNMENT) + struct.pack("<I", len(content))
    if buffer.number(data, _OFFSET, "<Q"):
        struct.pack_into("<Q", data, buffer.field(data, _OFFSET), len(data))
        struct.pack_into("<Q", data, buffer.field(data, _SIZE), len(content))
    else:
        reference = buffer.field(data, _DATA)
        struct.pack_into("<I", data, reference, len(data) - 4 - reference)
    data += content
