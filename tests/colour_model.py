"""A tiny classifier of others: it says whether a picture is red, green or blue, and its file says nothing more."""

from pathlib import Path
from typing import Any

import flatbuffers  # type: ignore[import-untyped]
import numpy as np
from ai_edge_litert import schema_py_generated as schema

LABELS = ("Red", "Green", "Blue")
SIDE = 8
_TYPES = {
    "uint8": (schema.TensorType.UINT8, 128, 0),
    "int8": (schema.TensorType.INT8, 0, -128),
    "float32": (schema.TensorType.FLOAT32, 0, 0),
}


def write_colour_model(path: Path, kind: str = "uint8", probabilities: bool = True) -> Path:
    """Write it: the mean of each colour, and its softmax.

    kind           of input and output: `uint8` and `int8` for levels from 0 to 255, `float32` for -1 to 1
    probabilities  False: the means themselves
    """
    tensor_type, middle, zero = _TYPES[kind]
    model, graph = schema.ModelT(), schema.SubGraphT()
    model.version = 3
    model.buffers = [schema.BufferT(), schema.BufferT()]
    model.buffers[1].data = np.frombuffer(np.array([1, 2], np.int32).tobytes(), np.uint8)
    graph.tensors = [
        _tensor((1, SIDE, SIDE, 3), tensor_type, 1 / 128, middle),
        _tensor((2,), schema.TensorType.INT32, buffer=1),
        _tensor((1, 3), tensor_type, 1 / 128, middle),
        _tensor((1, 3), tensor_type, 1 / 256, zero),
    ]
    reducer, softmax = schema.ReducerOptionsT(), schema.SoftmaxOptionsT()
    softmax.beta = 8.0
    graph.operators = [
        _operator(0, [0, 1], 2, schema.BuiltinOptions.ReducerOptions, reducer),
        _operator(1, [2], 3, schema.BuiltinOptions.SoftmaxOptions, softmax),
    ][: 1 + probabilities]
    graph.inputs, graph.outputs = np.array([0], np.int32), np.array([2 + probabilities], np.int32)
    model.operatorCodes = [_code("MEAN"), _code("SOFTMAX")]
    model.subgraphs = [graph]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    path.write_bytes(builder.Output())
    return path


def _tensor(shape: tuple[int, ...], kind: int, scale: float = 0.0, zero: int = 0, buffer: int = 0) -> Any:
    tensor = schema.TensorT()
    tensor.shape, tensor.type, tensor.buffer, tensor.name = np.array(shape, np.int32), kind, buffer, b"tensor"
    if scale and kind != schema.TensorType.FLOAT32:
        tensor.quantization = schema.QuantizationParametersT()
        tensor.quantization.scale, tensor.quantization.zeroPoint = np.array([scale], np.float32), np.array([zero])
    return tensor


def _operator(code: int, inputs: list[int], output: int, kind: int, options: Any) -> Any:
    operator = schema.OperatorT()
    operator.opcodeIndex, operator.builtinOptionsType, operator.builtinOptions = code, kind, options
    operator.inputs, operator.outputs = np.array(inputs, np.int32), np.array([output], np.int32)
    return operator


def _code(name: str) -> Any:
    code = schema.OperatorCodeT()
    code.builtinCode = code.deprecatedBuiltinCode = getattr(schema.BuiltinOperator, name)
    code.version = 2
    return code
