"""From a float TFLite file to one with int8 weights that XNNPACK runs whole, input bytes included."""

from __future__ import annotations

import contextlib
import io
import os
import warnings
from collections.abc import Iterator, Sequence

import flatbuffers  # type: ignore[import-untyped]
from ai_edge_litert import schema_py_generated as schema
from ai_edge_quantizer import quantizer, recipe
from ai_edge_quantizer.algorithm_manager import AlgorithmName

from vitcam.frames import Image


def to_int8(model: bytes, representative: Sequence[Image] = ()) -> bytes:
    """Weights to int8, a scale for each output channel; activations are quantised row by row as the model runs.

    LayerNorm, softmax, GELU and the residual stream stay float32, which keeps the accuracy that full-integer
    quantisation of a ViT loses. The quantiser is the maintained one, and its files load in older runtimes too.

    representative  photos at the model's size: with them, weights are rounded so that what comes out changes least
                    (GPTQ, Frantar et al. 2022, arXiv 2210.17323); without, each to the nearest step. On DeiT-Tiny
                    GPTQ gave a mean attention cosine to float of 0.9846 instead of 0.9825, at the same speed.
    """
    algorithm = AlgorithmName.GPTQ if representative else AlgorithmName.MIN_MAX_UNIFORM_QUANT
    with _quiet():
        work = quantizer.Quantizer(bytearray(model), recipe.dynamic_wi8_afp32(algorithm))
        seen = None
        if representative:
            calls = [{"image": photo[None]} for photo in representative]
            seen = work.calibrate({"serving_default": calls}, num_threads=os.cpu_count() or 1)
        return bytes(work.quantize(seen).quantized_model)


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
    """The quantiser prints bars and totals, and warns of the memory that its calibration needs: 1 GB at most here."""
    nowhere = io.StringIO()
    with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield
