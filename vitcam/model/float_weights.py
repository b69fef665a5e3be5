"""Turns int8 weights into floats, for a runtime that ignores them.

tflite-runtime 2.14 computes a fully connected layer with float input and one scale a row (the usual dynamic-range int8)
wrongly and without an error: it uses a scale of 0, so the layer gives only its bias. Such weights are dequantised in
memory. The answers are then the same up to rounding, without the speed of int8.
"""

import struct
from collections.abc import Iterator
from math import prod

import numpy as np

from vitcam.errors import ModelError
from vitcam.model.flatbuffer import BUFFERS, SUBGRAPHS, Table, Vector, model_of, operator_kinds, tables

# the fields' positions in their tables, and two enumerations
_TENSORS, _OPERATORS = 0, 3  # of SubGraph
_SHAPE, _TYPE, _BUFFER, _QUANTIZATION = 0, 1, 2, 4  # of Tensor
_OPCODE, _INPUTS = 0, 1  # of Operator
_SCALE, _ZERO_POINT, _AXIS = 2, 3, 6  # of QuantizationParameters
_DATA, _OFFSET, _SIZE = 0, 1, 2  # of Buffer: either the data, or where in the file they lie behind the tables
_FLOAT32, _INT8, _FULLY_CONNECTED = 0, 9, 9
_ALIGNMENT = 16


def with_float_weights(content: bytes) -> bytes:
    """The same graph, with the weights of such layers in float32.

    raises  ModelError if the flatbuffer is damaged
    """
    data = bytearray(content)
    try:
        for graph in tables(data, model_of(data), SUBGRAPHS):
            for tensor in _affected(data, graph):
                _make_float(data, tensor)
    except (struct.error, ValueError, LookupError) as error:
        raise ModelError(f"the model is a damaged TFLite file ({error}); export or download it again") from error
    return bytes(data)


def _affected(data: bytearray, graph: Table) -> Iterator[Table]:
    """The weights of fully connected layers with float input, int8, with a scale for each row."""
    kinds = operator_kinds(data)
    tensors = tables(data, graph, _TENSORS)
    for operator in tables(data, graph, _OPERATORS):
        if kinds[operator.number(data, _OPCODE, "<I")] != _FULLY_CONNECTED:
            continue
        given, weights = (tensors[i] for i in operator.vector(data, _INPUTS, "<i4")[:2])
        types = (given.number(data, _TYPE, "<b"), weights.number(data, _TYPE, "<b"))
        if types == (_FLOAT32, _INT8) and len(_quantization(data, weights).vector(data, _SCALE, "<f4")) > 1:
            yield weights


def _quantization(data: bytearray, tensor: Table) -> Table:
    return Table(tensor.follow(data, _QUANTIZATION))


def _make_float(data: bytearray, tensor: Table) -> None:
    """Write the real numbers behind everything else, and let the tensor's buffer refer to them."""
    buffer = tables(data, model_of(data), BUFFERS)[tensor.number(data, _BUFFER, "<I")]
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


def _stored(data: bytearray, buffer: Table) -> Vector:
    offset = buffer.number(data, _OFFSET, "<Q")
    if not offset:
        return buffer.vector(data, _DATA, "<i1")
    return np.frombuffer(data, "<i1", buffer.number(data, _SIZE, "<Q"), offset).copy()


def _store(data: bytearray, buffer: Table, content: bytes) -> None:
    data += bytes(-(len(data) + 4) % _ALIGNMENT) + struct.pack("<I", len(content))
    if buffer.number(data, _OFFSET, "<Q"):
        struct.pack_into("<Q", data, buffer.field(data, _OFFSET), len(data))
        struct.pack_into("<Q", data, buffer.field(data, _SIZE), len(content))
    else:
        reference = buffer.field(data, _DATA)
        struct.pack_into("<I", data, reference, len(data) - 4 - reference)
    data += content
