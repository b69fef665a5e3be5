"""TFLite files taken apart and put together again, by the schema that LiteRT comes with."""

from __future__ import annotations

import flatbuffers  # type: ignore[import-untyped]
import numpy as np
from ai_edge_litert import schema_py_generated as schema


def parse(model: bytes) -> schema.ModelT:
    """A file as objects. What the quantiser keeps behind the flatbuffer comes along: `pack` would lose it."""
    parsed = schema.ModelT.InitFromObj(schema.Model.GetRootAs(bytearray(model), 0))
    for buffer in parsed.buffers:
        if buffer.offset:
            buffer.data = np.frombuffer(model, np.uint8, buffer.size, buffer.offset)
            buffer.offset = buffer.size = 0
    return parsed


def pack(parsed: schema.ModelT) -> bytes:
    """The objects as a file."""
    builder = flatbuffers.Builder(1024)
    builder.Finish(parsed.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def only(signature: str, model: bytes) -> bytes:
    """The file with this one of its signatures: what a delegate makes of a graph can only be counted for the first.

    raises  ValueError if there is no such signature
    """
    parsed = parse(model)
    found = [each for each in parsed.signatureDefs or [] if each.signatureKey.decode() == signature]
    if not found:
        raise ValueError(f"the file has no signature {signature!r}")
    parsed.subgraphs = [parsed.subgraphs[found[0].subgraphIndex]]
    found[0].subgraphIndex = 0
    parsed.signatureDefs = found
    return pack(parsed)
