"""TFLite files of a few operators, written with the schema alone: only read, never run."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import flatbuffers  # type: ignore[import-untyped]
import numpy as np
from ai_edge_litert import schema_py_generated as schema

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Layer:
    """An operator of two operands."""

    name: str
    x: Shape
    weights: Shape
    out: Shape
    kind: int = schema.TensorType.FLOAT32
    """Type of the weights."""


def write_graphs(path: Path, graphs: list[list[Layer]], *, deprecated_code_only: bool = False) -> Path:
    """A file with these graphs, each a list of operators that know nothing of each other."""
    names = sorted({layer.name for graph in graphs for layer in graph})
    model = schema.ModelT()
    model.version, model.buffers = 3, [schema.BufferT()]
    model.operatorCodes = [_code(name, deprecated_code_only) for name in names]
    model.subgraphs = [_graph(graph, names) for graph in graphs]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    path.write_bytes(builder.Output())
    return path


def _code(name: str, deprecated_only: bool) -> Any:
    code = schema.OperatorCodeT()
    code.deprecatedBuiltinCode = getattr(schema.BuiltinOperator, name)
    code.builtinCode = 0 if deprecated_only else code.deprecatedBuiltinCode
    return code


def _graph(layers: list[Layer], names: list[str]) -> Any:
    graph = schema.SubGraphT()
    graph.tensors, graph.operators = [], []
    for layer in layers:
        first = len(graph.tensors)
        floating = schema.TensorType.FLOAT32
        graph.tensors += [_tensor(layer.x, floating), _tensor(layer.weights, layer.kind), _tensor(layer.out, floating)]
        op = schema.OperatorT()
        op.opcodeIndex = names.index(layer.name)
        op.inputs, op.outputs = np.array([first, first + 1], np.int32), np.array([first + 2], np.int32)
        graph.operators.append(op)
    return graph


def _tensor(shape: Shape, kind: int) -> Any:
    tensor = schema.TensorT()
    tensor.shape, tensor.type = np.array(shape, np.int32), kind
    return tensor
