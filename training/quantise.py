"""From a float TFLite file to one with int8 weights that XNNPACK runs whole, input bytes included."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Iterator

import flatbuffers  # type: ignore[import-untyped]
from ai_edge_litert import schema_py_generated as schema
from ai_edge_quantizer import qtyping, quantizer, recipe_manager
from ai_edge_quantizer.algorithm_manager import AlgorithmName

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
    """Let XNNPACK turn the input bytes into floats too: DEQUANTIZE of scale 1, where TensorFlow wrote CAST.

    The two compute the same, byte by byte, but XNNPACK has no CAST, which would stay outside the delegate.

    model    a float TFLite file whose only CAST is at its uint8 input; returns the same file otherwise
    raises   ValueError if there is not exactly one CAST
    """
    parsed = schema.ModelT.InitFromObj(schema.Model.GetRootAs(bytearray(model), 0))
    (graph,) = parsed.subgraphs
    codes = [code.builtinCode for code in parsed.operatorCodes]
    casts = [op for op in graph.operators if codes[op.opcodeIndex] == schema.BuiltinOperator.CAST]
    if len(casts) != 1:
        raise ValueError(f"the graph has {len(casts)} CAST operators; one, at its input, can be rewritten")
    exact = schema.QuantizationParametersT()
    exact.scale, exact.zeroPoint = [1.0], [0]
    graph.tensors[casts[0].inputs[0]].quantization = exact
    code = schema.OperatorCodeT()
    code.builtinCode = code.deprecatedBuiltinCode = schema.BuiltinOperator.DEQUANTIZE
    parsed.operatorCodes.append(code)
    casts[0].opcodeIndex = len(parsed.operatorCodes) - 1
    casts[0].builtinOptionsType, casts[0].builtinOptions = schema.BuiltinOptions.NONE, None
    builder = flatbuffers.Builder(len(model))
    builder.Finish(parsed.Pack(builder), b"TFL3")
    return bytes(builder.Output())


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """The quantiser prints bars and totals, and warns that the input bytes are quantised already: they should be."""
    nowhere = io.StringIO()
    with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Input model is already partially quantized", UserWarning)
        yield
