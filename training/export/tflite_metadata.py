"""TFLite's metadata: what other programs read in a model file to feed it and to name what it answers.

source  metadata_schema.fbs of TensorFlow Lite Support, file identifier M001; the numbers below are the places of its
        fields
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import flatbuffers  # type: ignore[import-untyped]

LABELS = "labels.txt"
"""The part of the file that names the classes, one a line."""
_AXIS_LABELS = 2
_RGB = 1
_FEATURE, _IMAGE = 1, 2
_NORMALISATION = 1
_PARSER = "1.3.0"


class _Byte(int):
    """A number of one byte."""


class _Count(int):
    """An unsigned number of four bytes."""


Table = Mapping[int, Any]
"""Place of a field -> a text, a `_Byte`, a `_Count`, a table, or a sequence of floats or of tables."""


def image_metadata(name: str, description: str, licence: str, height: int, width: int) -> bytes:
    """Of a graph that takes an RGB image as bytes, (1, height, width, 3), and gives the probabilities of `LABELS`."""
    pixels: Table = {
        0: "image",
        1: f"{width} x {height} px, RGB, 0 to 255",
        3: {0: _Byte(_IMAGE), 1: {0: _Byte(_RGB), 1: {0: _Count(width), 1: _Count(height)}}},
        4: [{0: _Byte(_NORMALISATION), 1: {0: [0.0], 1: [1.0]}}],
        5: {0: [255.0], 1: [0.0]},
    }
    scores: Table = {
        0: "probability",
        1: "One probability for each label; their sum is 1.",
        3: {0: _Byte(_FEATURE), 1: {}},
        5: {0: [1.0], 1: [0.0]},
        6: [{0: LABELS, 1: "One label a line.", 2: _Byte(_AXIS_LABELS)}],
    }
    builder = flatbuffers.Builder(1024)
    graph: Table = {2: [pixels], 3: [scores]}
    root = _written(builder, {0: name, 1: description, 3: [graph], 5: licence, 7: _PARSER})
    builder.Finish(root, b"M001")
    return bytes(builder.Output())


def _written(builder: Any, fields: Table) -> int:
    """Where a table begins. All that it points to is written before it."""
    places = {place: _pointed(builder, value) for place, value in fields.items()}
    builder.StartObject(max(fields, default=-1) + 1)
    for place, value in places.items():
        if isinstance(value, _Byte):
            builder.PrependInt8Slot(place, int(value), 0)
        elif isinstance(value, _Count):
            builder.PrependUint32Slot(place, int(value), 0)
        else:
            builder.PrependUOffsetTRelativeSlot(place, value, 0)
    return int(builder.EndObject())


def _pointed(builder: Any, value: Any) -> Any:
    if isinstance(value, _Byte | _Count):
        return value
    if isinstance(value, str):
        return builder.CreateString(value)
    if isinstance(value, Mapping):
        return _written(builder, value)
    return _vector(builder, value)


def _vector(builder: Any, values: Sequence[Any]) -> int:
    floats = all(isinstance(value, float) for value in values)
    items = list(values) if floats else [_written(builder, value) for value in values]
    builder.StartVector(4, len(items), 4)
    for item in reversed(items):
        if floats:
            builder.PrependFloat32(item)
        else:
            builder.PrependUOffsetTRelative(item)
    return int(builder.EndVector())
