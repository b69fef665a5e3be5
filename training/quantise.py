"""From a float TFLite file to one with int8 weights that XNNPACK runs whole, input bytes included."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Iterator

import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_quantizer import qtyping, quantizer, recipe_manager
from ai_edge_quantizer.algorithm_manager import AlgorithmName

from .flatbuffer import pack, parse
from .graph import FLOAT


def to_int8(model: bytes) -> bytes:
    """Weights to int8, a scale for each output channel; activations are quantised row by row as the model runs.

    RMSNorm, softmax, GELU and the residual stream stay float32, which keeps the accuracy that full-integer
    quantisation of a ViT loses; so do the projections in the scope FLOAT, the one of the patches above all: in int8
    it would save 0.13 ms of 6 and take the mean attention cosine to float from 0.992 to 0.984 (DeiT-Tiny).
    The quantiser is the maintained one, and its files load in older runtimes too.
    """
    every = qtyping.TFLOperationName.ALL_SUPPORTED
    rules = recipe_manager.RecipeManager()
    rules.add_dynamic_config(regex=".*", operation_name=every, num_bits=8)
    # an operator goes by the names fused into it, joined by ";": the first is its own
    rules.add_quantization_config(
        regex=f"^{FLOAT}[^;]*/MatMul", operation_name=every, algorithm_key=AlgorithmName.NO_QUANTIZE
    )
    with _quiet():
        work = quantizer.Quantizer(bytearray(model), rules.get_quantization_recipe())
        return bytes(work.quantize().quantized_model)


def delegate_input(model: bytes) -> bytes:
    """Let XNNPACK turn the input bytes into floats too: DEQUANTIZE, where TensorFlow wrote CAST.

    The two compute the same, byte by byte, but XNNPACK has no CAST, which would stay outside the delegate. One factor
    and summand for all bytes become its scale and zero point.

    model    a float TFLite file in which every signature's only CAST is at its uint8 input
    raises   ValueError if a signature has not exactly one CAST
    """
    parsed = parse(model)
    code = schema.OperatorCodeT()
    code.builtinCode = code.deprecatedBuiltinCode = schema.BuiltinOperator.DEQUANTIZE
    parsed.operatorCodes.append(code)
    for graph in parsed.subgraphs:
        casts = [op for op in graph.operators if _kind(parsed, op) == schema.BuiltinOperator.CAST]
        if len(casts) != 1:
            raise ValueError(f"the graph has {len(casts)} CAST operators; one, at its input, can be rewritten")
        scale = _absorb(parsed, graph, casts[0], schema.BuiltinOperator.MUL, 1.0)
        summand = _absorb(parsed, graph, casts[0], schema.BuiltinOperator.ADD, 0.0)
        exact = schema.QuantizationParametersT()
        exact.scale, exact.zeroPoint = [scale], [round(-summand / scale)]
        graph.tensors[casts[0].inputs[0]].quantization = exact
        casts[0].opcodeIndex = len(parsed.operatorCodes) - 1
        casts[0].builtinOptionsType, casts[0].builtinOptions = schema.BuiltinOptions.NONE, None
    return pack(parsed)


def _absorb(model: schema.ModelT, graph: schema.SubGraphT, op: schema.OperatorT, kind: int, neutral: float) -> float:
    """Take out the operator after `op` if it is of that kind with one constant, and return the constant."""
    after = next(each for each in graph.operators if op.outputs[0] in each.inputs)
    constant = model.buffers[graph.tensors[after.inputs[-1]].buffer].data
    if _kind(model, after) != kind or constant is None or len(constant) != np.float32().nbytes:
        return neutral
    graph.operators.remove(after)
    op.outputs = after.outputs
    return float(np.frombuffer(bytes(constant), np.float32)[0])


def allow_float16(model: bytes) -> bytes:
    """Let XNNPACK compute what is float32 in float16, on processors that have it (such as the Pi 5's Cortex-A76).

    A note in the file that the delegate reads; processors without float16 arithmetic, x86 among them, ignore it.
    """
    parsed = parse(model)
    value = schema.BufferT()
    value.data = np.frombuffer(b"fp16accfp16", np.uint8)
    parsed.buffers.append(value)
    note = schema.MetadataT()
    note.name, note.buffer = "reduced_precision_support", len(parsed.buffers) - 1
    parsed.metadata = [*(parsed.metadata or []), note]
    return pack(parsed)


def _kind(model: schema.ModelT, op: schema.OperatorT) -> int:
    return int(model.operatorCodes[op.opcodeIndex].builtinCode)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """The quantiser prints bars and totals, and warns that the input bytes are quantised already: they should be."""
    nowhere = io.StringIO()
    with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Input model is already partially quantized", UserWarning)
        yield
