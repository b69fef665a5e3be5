"""A model that reaches the runtime's peak on this machine, for a roofline: one large FULLY_CONNECTED."""

from typing import Any, Literal

import numpy as np

WeightType = Literal["int8", "floating"]
# two threads of a Zen 4: sides of 256, 512, 768, 1536 and 2048 reach 0.87, 1.02, 1.03, 0.97 and 1.00 of it in int8,
# and 0.99 to 1.04 in float32, so that no other side would change the roofline by more than 4 %
SIDE = 1024
MACS = SIDE**3


def square_product(kind: WeightType) -> bytes:
    """A TFLite file that multiplies (SIDE, SIDE) float32 by random weights of that shape, and nothing else.

    int8      weights int8 with a scale for each output, the input quantised row by row as it runs (XNNPACK's qd8): as
              in the projections of our models
    floating  weights float32, as in their attention products
    """
    import flatbuffers  # type: ignore[import-untyped]
    from ai_edge_litert import schema_py_generated as schema

    model = schema.ModelT()
    model.version = 3
    model.buffers = [schema.BufferT(), _weights(schema, kind)]  # the first is empty, for tensors without values
    model.operatorCodes = [schema.OperatorCodeT()]
    fully_connected = schema.BuiltinOperator.FULLY_CONNECTED
    model.operatorCodes[0].builtinCode = model.operatorCodes[0].deprecatedBuiltinCode = fully_connected
    model.subgraphs = [_graph(schema, kind)]
    builder = flatbuffers.Builder(MACS // SIDE * 5)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def _weights(schema: Any, kind: WeightType) -> Any:
    rng = np.random.default_rng(0)
    shape = (SIDE, SIDE)
    values = rng.integers(-127, 128, shape, np.int8) if kind == "int8" else rng.standard_normal(shape, np.float32)
    buffer = schema.BufferT()
    buffer.data = np.frombuffer(values.tobytes(), np.uint8)
    return buffer


def _graph(schema: Any, kind: WeightType) -> Any:
    floating = schema.TensorType.FLOAT32
    weights = _tensor(schema, "weights", schema.TensorType.INT8 if kind == "int8" else floating, buffer=1)
    if kind == "int8":
        weights.quantization = schema.QuantizationParametersT()
        weights.quantization.scale = np.full(SIDE, 0.01, np.float32)
        weights.quantization.zeroPoint = np.zeros(SIDE, np.int64)
    product = schema.OperatorT()
    product.inputs, product.outputs = np.array([0, 1, -1], np.int32), np.array([2], np.int32)  # -1: no bias
    product.builtinOptionsType = schema.BuiltinOptions.FullyConnectedOptions
    product.builtinOptions = schema.FullyConnectedOptionsT()
    graph = schema.SubGraphT()
    graph.tensors = [_tensor(schema, "input", floating), weights, _tensor(schema, "output", floating)]
    graph.inputs, graph.outputs = np.array([0], np.int32), np.array([2], np.int32)
    graph.operators = [product]
    return graph


def _tensor(schema: Any, name: str, kind: int, buffer: int = 0) -> Any:
    tensor = schema.TensorT()
    tensor.name, tensor.type, tensor.buffer = name, kind, buffer
    tensor.shape = np.array([SIDE, SIDE], np.int32)
    return tensor
