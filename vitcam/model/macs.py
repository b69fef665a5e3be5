"""Multiply-adds (MACs) of a graph, counted in its flatbuffer without running it."""

import struct
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from vitcam.errors import ModelError, VitcamError
from vitcam.model.files import content_of

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Macs:
    """Multiply-adds of one inference, by the type of the weights or of the second factor."""

    int8: int
    """Weights of fewer bits count here, too, since they are multiplied as int8."""
    floating: int


def count_macs(path: Path) -> Macs:
    """Count the multiply-adds of the graph that `invoke` runs: the first one of the file.

    raises  ModelError if the file is damaged; VitcamError without `ai-edge-litert`, which has the schema
    """
    try:
        from ai_edge_litert import schema_py_generated as schema
    except ImportError as error:
        raise VitcamError(
            f"counting the multiply-adds of a model needs ai-edge-litert, which is not installed ({error})"
        ) from error
    try:
        return _count(schema, content_of(path))
    except (struct.error, ValueError, TypeError, LookupError, ArithmeticError, AttributeError) as error:
        raise ModelError(f"{path} is a damaged TFLite file ({error}); export or download it again") from error


def _count(schema: Any, content: bytes) -> Macs:
    inner = _inner_products(schema.BuiltinOperator)
    narrow = {schema.TensorType.INT8, schema.TensorType.UINT8, schema.TensorType.INT4, schema.TensorType.INT2}
    model = schema.Model.GetRootAs(content, 0)
    graph = model.Subgraphs(0)
    found = {True: 0, False: 0}
    for position in range(graph.OperatorsLength()):
        op = graph.Operators(position)
        code = model.OperatorCodes(op.OpcodeIndex())
        # files from before 2020 have only the deprecated field
        length = inner.get(max(code.BuiltinCode(), code.DeprecatedBuiltinCode()))
        if length is None:
            continue
        x, weights, out = (graph.Tensors(i) for i in (op.Inputs(0), op.Inputs(1), op.Outputs(0)))
        found[weights.Type() in narrow] += prod(_shape(out)) * length(_shape(x), _shape(weights), _shape(out))
    return Macs(found[True], found[False])


def _inner_products(operators: Any) -> dict[int, Callable[[Shape, Shape, Shape], int]]:
    """Operator -> the multiply-adds for one number of its output, from the shapes of input, weights and output."""
    return {
        operators.FULLY_CONNECTED: lambda x, w, out: w[-1],  # (N, K)
        operators.BATCH_MATMUL: lambda x, w, out: x[-2] * x[-1] // out[-2],  # (…, M, K), or its transpose
        operators.CONV_2D: lambda x, w, out: prod(w[1:]),  # (N, kh, kw, channels of one group)
        operators.DEPTHWISE_CONV_2D: lambda x, w, out: w[1] * w[2],  # (1, kh, kw, N)
    }


def _shape(tensor: Any) -> Shape:
    return tuple(tensor.Shape(axis) for axis in range(tensor.ShapeLength()))
