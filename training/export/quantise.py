"""From a float TFLite file to one with integer weights that XNNPACK runs, input bytes included."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_quantizer import qtyping, quantizer, recipe_manager
from ai_edge_quantizer.algorithm_manager import AlgorithmName

from vitcam.errors import UsageError
from vitcam.frames import Image
from vitcam_training.export.flatbuffer import pack, parse
from vitcam_training.export.graph import FLOAT, SIGNATURES
from vitcam_training.export.layers import ALWAYS_FLOAT

SHIPPED = "dynamic"
_EVERY = qtyping.TFLOperationName.ALL_SUPPORTED


@dataclass(frozen=True)
class Scheme:
    """In what numbers a file keeps weights and computes. All are recipes of the maintained quantiser."""

    words: str
    """For the card."""
    add: Callable[[recipe_manager.RecipeManager], None] | None
    """Adds its rules; None: the converted file stays as it is."""
    needs_photos: bool = False
    """True: the range of each activation is read off photos beforehand."""
    by_converter: bool = False
    """True: TFLiteConverter quantises, and the maintained quantiser leaves its file as it is."""
    convolves: bool = True
    """False: XNNPACK has no convolution of such weights, so that q, k and v have to be a FULLY_CONNECTED."""
    takes_patches: bool = False
    """True: the patch embedding too, whose weights are rounded together; False: it stays in float."""


def _dynamic(bits: int) -> Callable[[recipe_manager.RecipeManager], None]:
    return lambda rules: rules.add_dynamic_config(regex=".*", operation_name=_EVERY, num_bits=bits)


def _static(rules: recipe_manager.RecipeManager) -> None:
    rules.add_static_config(regex=".*", operation_name=_EVERY, activation_num_bits=8, weight_num_bits=8)
    for end in (qtyping.TFLOperationName.INPUT, qtyping.TFLOperationName.OUTPUT):  # bytes in, floats out, as always
        rules.add_quantization_config(regex=".*", operation_name=end, algorithm_key=AlgorithmName.NO_QUANTIZE)


def _float16(rules: recipe_manager.RecipeManager) -> None:
    rules.add_weight_only_config(
        regex=".*", operation_name=_EVERY, num_bits=16, algorithm_key=AlgorithmName.FLOAT_CASTING
    )


SCHEMES = {
    SHIPPED: Scheme("int8, a scale for each output channel", _dynamic(8), takes_patches=True),
    "static": Scheme("int8, a scale for each output channel; activations int8, too", _static, needs_photos=True),
    "int4": Scheme("4 bits, a scale for each output channel", _dynamic(4), convolves=False),
    "float16": Scheme("float16, computed with in float32", _float16),
    "float": Scheme("float32", None),
    "converter": Scheme("int8 by TFLiteConverter itself", None, by_converter=True),
}
"""By what `--quantise` calls them, the one that ships first."""


def find_scheme(name: str) -> Scheme:
    """Raises UsageError if there is none of that name."""
    if name not in SCHEMES:
        raise UsageError(f"no quantisation scheme is called {name!r}; give one of {', '.join(SCHEMES)}")
    return SCHEMES[name]


@dataclass(frozen=True)
class Quantisation:
    """What becomes of a network's layers. Raises UsageError for an unknown scheme."""

    scheme: str = SHIPPED
    floats: frozenset[str] = ALWAYS_FLOAT
    """Names of the layers that stay in float."""
    photos: tuple[Image, ...] = field(default=(), repr=False, compare=False)
    """(h, w, 3) uint8 RGB of the input's size: the representative dataset, for schemes that need one."""

    def __post_init__(self) -> None:
        if find_scheme(self.scheme).by_converter and self.spared:
            raise UsageError(
                "--quantise converter chooses its layers itself; leave out --keep, or take --quantise dynamic"
            )

    @property
    def ships(self) -> bool:
        """Whether this is what export does unless asked otherwise."""
        return self == Quantisation()

    @property
    def spared(self) -> tuple[str, ...]:
        """The layers in float that are not always so."""
        return tuple(sorted(self.floats - ALWAYS_FLOAT))

    @property
    def words(self) -> str:
        """For the card."""
        return find_scheme(self.scheme).words + (f"; in float: {', '.join(self.spared)}" if self.spared else "")

    @property
    def options(self) -> str:
        """Of `vitcam-train export`, to do the same again."""
        return " ".join([f"--quantise {self.scheme}", *(f"--keep {layer}" for layer in self.spared)])


def quantise(model: bytes, scheme: str = SHIPPED, photos: Sequence[Image] = ()) -> bytes:
    """A float file's weights in the numbers of a scheme, but for those in the scope FLOAT.

    `dynamic`, which ships, has int8 weights; activations are quantised row by row as the model runs. RMSNorm, softmax,
    GELU and the residual stream stay float32, which keeps the accuracy that full-integer quantisation of a ViT loses.
    Its files load in older runtimes too.

    model   with CAST at the input for schemes that need photos, and without `explain`; for others as delegate_input
            leaves it
    photos  (h, w, 3) uint8 RGB of the input's size, for schemes that need them
    raises  UsageError for an unknown scheme, or one that needs photos and gets none
    """
    found = find_scheme(scheme)
    if found.add is None:
        return model
    if found.needs_photos and not photos:
        raise UsageError(f"`{scheme}` measures the range of activations on photos and got none; give data to train on")
    rules = recipe_manager.RecipeManager()
    found.add(rules)
    # an operator goes by the names fused into it, joined by ";": before its own may stand those of sums before it
    rules.add_quantization_config(
        regex=f"^({FLOAT}[^;]*/add[^;/]*;)*{FLOAT}[^;]*/MatMul",
        operation_name=_EVERY,
        algorithm_key=AlgorithmName.NO_QUANTIZE,
    )
    with _quiet():
        work = quantizer.Quantizer(bytearray(model), rules.get_quantization_recipe())
        samples = [{"image": photo[None]} for photo in photos]
        ranges = work.calibrate({SIGNATURES[0]: samples}, num_threads=2) if found.needs_photos else None
        return bytes(work.quantize(ranges).quantized_model)


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
        pictures = [tensor for tensor in graph.inputs if graph.tensors[tensor].type == schema.TensorType.UINT8]
        others = [tensor for tensor in graph.inputs if tensor not in pictures]
        graph.inputs = np.array([*pictures, *others], np.int32)  # callers that only feed pictures find theirs first
        exact = schema.QuantizationParametersT()
        exact.scale, exact.zeroPoint = [scale], [round(-summand / scale)]
        for tensor in graph.tensors:
            if tensor.type == schema.TensorType.UINT8:  # the picture, and what it is cut into before the CAST
                tensor.quantization = exact
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
        warnings.filterwarnings("ignore", ".*experimental_preserve_all_tensors", UserWarning)  # to see the ranges
        yield
