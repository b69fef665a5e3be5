"""What runs a graph: the packages that can, and the graph that one of them has loaded.

In: a TFLite flatbuffer. Out: an Interpreter. May block: only `invoke`.
"""

import copy
import math
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import ModelError, VitcamError
from vitcam.model.delegate_message import without_delegate_message
from vitcam.model.files import content_of
from vitcam.model.float_weights import with_float_weights
from vitcam.model.signatures import TwoSignatures, two_signatures

_DAMAGES = (ValueError, RuntimeError, LookupError, TypeError, MemoryError)  # what a runtime raises for damaged graphs


_SAME_NUMBERS = frozenset({"QUANTIZE", "DEQUANTIZE", "RESHAPE", "CAST", "SQUEEZE"})


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """An input or output of the graph."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    scale: float
    """Of a quantised tensor: real = scale × (stored − zero_point); 0 where it is not quantised."""
    zero_point: int


@dataclass(frozen=True, slots=True)
class RuntimeInfo:
    """What the log and `/api/model` say of the runtime."""

    name: str
    version: str
    threads: int
    partitions: int
    """Delegate nodes in the execution plan: 1 means that XNNPACK runs the whole graph in one piece."""
    outside: int
    """Operators that XNNPACK does not run."""


def default_threads(cores: int | None = None) -> int:
    """All cores; on four and more all but one, which is left for capture and web."""
    available = cores if cores is not None else len(os.sched_getaffinity(0))
    return available - 1 if available >= 4 else max(1, available)


def open_observed(path: Path, content: bytes, most: int) -> "Interpreter":
    """Load a graph to look into it, on one thread: it is slower and takes more memory. Raises as `open_interpreter`.

    content  of an `Interpreter` that was opened to be used
    most     bytes that its tensors may take together; more is a ModelError, whose cause is a MemoryError
    """
    return Interpreter(_find_runtime(), path, content, 1, observed=most)


def open_interpreter(path: Path, threads: int, content: bytes | None = None, *, apart: bool = False) -> "Interpreter":
    """Load a graph with the first runtime that is installed.

    content  of the file, if it was read already
    apart    if the file has a second signature that can stand alone, load that only when it is asked for
    raises   ModelError if the file cannot be read, or the runtime refuses the graph; VitcamError if no runtime is
             installed, or it does not work here
    """
    runtime = _find_runtime()
    content = runtime.prepare(content_of(path) if content is None else content)
    two = two_signatures(content) if apart else None
    return Interpreter(runtime, path, two.alone(content, two.names[0]) if two else content, threads, two=two)


@dataclass(frozen=True, slots=True)
class Runtime:
    """A package that runs TFLite graphs on XNNPACK."""

    name: str
    version: str
    load: Callable[..., Any]
    """Its `Interpreter` class."""
    prepare: Callable[[bytes], bytes] = bytes
    """Changes a model file's content before it is loaded."""
    observed: Mapping[str, Any] = field(default_factory=dict)
    """What `load` takes so that every tensor can be read afterwards: no XNNPACK, and no memory used twice."""


class Interpreter:
    """One loaded graph, allocated and ready. Not thread-safe: each thread opens its own.

    The runtime works on the bytes themselves and copies nothing. If it were given a path, it would map the file, and
    the process would end when another program cuts that file short or overwrites it.

    path      is only named in messages
    content   of the model file
    observed  bytes that all tensors may take, so that `outputs_of` can be called; 0: it is not called
    two       the signatures of the file, of which `content` has the first alone; None: it has all there are
    raises    ModelError if the runtime refuses the graph
    """

    def __init__(
        self,
        runtime: Runtime,
        path: Path,
        content: bytes,
        threads: int,
        observed: int = 0,
        two: TwoSignatures | None = None,
    ) -> None:
        self._made_of = (runtime, path, content)
        self._two = two
        self._second: Any = None
        try:
            # without a delegate there is no message, and a confined process has no place to keep it
            with nullcontext() if observed else without_delegate_message():
                self._first = self._loaded(content, threads, observed)
            self._describe(runtime, threads)
        except _DAMAGES as error:
            raise self._refusal("loaded", error) from error

    def _loaded(self, content: bytes, threads: int, observed: int = 0) -> Any:
        runtime = self._made_of[0]
        options = runtime.observed if observed else {}
        graph = runtime.load(model_content=content, num_threads=threads, **options)
        if observed and sum(map(_bytes_of, graph.get_tensor_details())) > observed:
            raise MemoryError("its tensors")
        graph.allocate_tensors()
        return graph

    @property
    def _graph(self) -> Any:
        """The default signature's."""
        if self._first is None:
            try:
                self._first = self._loaded(self.content, self.info.threads)
            except _DAMAGES as error:
                raise self._refusal("loaded", error) from error
        return self._first

    def _describe(self, runtime: Runtime, threads: int) -> None:
        given, made = self._graph.get_input_details(), self._graph.get_output_details()
        self._in, self._out = ([detail["index"] for detail in details] for details in (given, made))
        self.inputs, self.outputs = (tuple(map(_tensor, details)) for details in (given, made))
        self.signatures = self._two.names if self._two else tuple(self._graph.get_signature_list())
        """The names of the file's signatures, the default one first; empty where it has none."""
        names = _executed(self._graph._get_ops_details(), self._out)  # there is no public function that counts them
        partitions = names.count("DELEGATE")
        self.info = RuntimeInfo(runtime.name, runtime.version, threads, partitions, len(names) - partitions)

    def clone(self, threads: int) -> "Interpreter":
        """The same graph from the same bytes, for another thread. What it takes is loaded when it is first run."""
        other = copy.copy(self)
        other._first = other._second = None
        other.info = replace(self.info, threads=threads)
        return other

    @property
    def content(self) -> bytes:
        """The flatbuffer as it was loaded."""
        return self._made_of[2]

    def outputs_of(self, operator: str) -> Iterator[NDArray[Any]]:
        """A copy of what each operator of a kind gave, in the order in which they ran.

        operator  such as `SOFTMAX`; only of a graph that was opened to be observed
        returns   of the tensors' own shapes, such as (h, T, T), in real numbers
        """
        tensors = {int(detail["index"]): _tensor(detail) for detail in self._graph.get_tensor_details()}
        for detail in self._graph._get_ops_details():
            if detail["op_name"] == operator:
                index = int(detail["outputs"][0])
                yield _real(tensors[index], self._graph.get_tensor(index))

    def made_by(self, position: int) -> str:
        """The operator that computes an output, such as `SOFTMAX`; empty where nobody knows."""
        wanted = self._out[position]
        for detail in reversed(self._graph._get_ops_details()):
            if detail["op_name"] != "DELEGATE" and wanted in detail["outputs"]:  # a delegate stands beside what it runs
                if detail["op_name"] not in _SAME_NUMBERS:
                    return str(detail["op_name"])
                wanted = detail["inputs"][0]
        return ""

    def set_input(self, value: NDArray[Any], position: int = 0) -> None:
        """Copy a value into one input.

        value  of the input's shape with or without the batch axis, such as (1, h, w, 3) or (h, w, 3)
        """
        tensor, into = self.inputs[position], self._graph.tensor(self._in[position])()
        if value.dtype == tensor.dtype and value.flags.c_contiguous:
            # not `set_tensor` (it first copies what is read-only) and not NumPy's copy: both release the GIL, and
            # the inference then waits for other threads
            into.data.cast("B")[:] = value.data.cast("B")
        else:
            np.copyto(into, value.reshape(tensor.shape), casting="unsafe")
        del into  # else a profiler that keeps this frame keeps the view, and LiteRT refuses to run while there is one

    def invoke(self) -> None:
        """Run the graph; releases the GIL."""
        try:
            self._graph.invoke()
        except _DAMAGES as error:
            raise self._refusal("run", error) from error

    def get_output(self, position: int) -> NDArray[Any]:
        """A copy of one output without the batch axis, such as (labels,)."""
        found: NDArray[Any] = self._graph.get_tensor(self._out[position])
        return found[0] if found.ndim > 1 else found

    def get_real(self, position: int) -> NDArray[Any]:
        """As `get_output`, such as (labels,) in real numbers: a foreign model's output may be stored in whole ones."""
        return _real(self.outputs[position], self.get_output(position))

    def run_signature(self, signature: str, values: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Run another signature of the file. It may have to be loaded first, which takes as long as a start.

        values   of the inputs by name, such as (1, h, w, 3)
        returns  copies of all outputs by name, without the batch axis, such as (labels,)
        """
        try:
            # a runner that is kept would make `invoke` fail; a new one costs 10 µs
            runner = self._graph_of(signature).get_signature_runner(signature)
            return {output: np.array(array[0]) for output, array in runner(**values).items()}
        except _DAMAGES as error:
            raise self._refusal("run", error) from error

    def give_back(self) -> None:
        """Free what a signature takes that was loaded when it was asked for. Call it in the thread that runs it."""
        self._second = None

    def _graph_of(self, signature: str) -> Any:
        if self._two is None or signature == self._two.names[0]:
            return self._graph
        if self._second is None:
            content = self._two.alone(self.content, signature)
            self._second = self._loaded(content, self.info.threads)
        return self._second

    def _refusal(self, done: str, error: Exception) -> ModelError:
        runtime, path, _ = self._made_of
        reason = str(error).splitlines()[0] if str(error) else "no reason given"
        return ModelError(f"the model {path} cannot be {done} by {runtime.name}: {reason}; export the model again")


def _tensor(detail: dict[str, Any]) -> TensorInfo:
    scale, zero_point = detail["quantization"]
    shape = tuple(int(side) for side in detail["shape"])
    return TensorInfo(detail["name"], shape, np.dtype(detail["dtype"]), float(scale), int(zero_point))


def _bytes_of(detail: dict[str, Any]) -> int:
    tensor = _tensor(detail)
    return math.prod(tensor.shape) * tensor.dtype.itemsize


def _real(tensor: TensorInfo, stored: NDArray[Any]) -> NDArray[Any]:
    """A tensor in real numbers, also where it is stored in whole ones."""
    return (stored.astype(np.float32) - tensor.zero_point) * tensor.scale if tensor.scale else stored


def _executed(ops: list[dict[str, Any]], wanted: list[int]) -> list[str]:
    """The names of the nodes that really run, found by walking back from the outputs.

    LiteRT lists the original operators first, and then the delegate nodes that replace some of them. It does not say
    which ones: where both give the same tensor, the delegate node is the one that runs.
    """
    producer = {int(tensor): op for op in ops for tensor in op["outputs"]}  # the last one wins: delegates come last
    names, seen, to_visit = [], set(), list(wanted)
    while to_visit:
        op = producer.get(to_visit.pop())
        if op is None or op["index"] in seen:
            continue
        seen.add(op["index"])
        names.append(str(op["op_name"]))
        to_visit.extend(int(tensor) for tensor in op["inputs"])
    return names


def _litert() -> Runtime:
    """`ai-edge-litert`, the current package of TensorFlow Lite. Raises ImportError if it is not installed."""
    import ai_edge_litert
    from ai_edge_litert.interpreter import Interpreter as Graph
    from ai_edge_litert.interpreter import OpResolverType

    return Runtime("ai-edge-litert", _version(ai_edge_litert), Graph, observed=_observed(OpResolverType))


def _tflite_runtime() -> Runtime:
    """`tflite-runtime`, its predecessor. The last release is for Python 3.11 at most, and for NumPy 1.

    raises  ImportError if it is not installed; VitcamError with NumPy 2
    """
    import tflite_runtime
    from tflite_runtime.interpreter import Interpreter as Graph
    from tflite_runtime.interpreter import OpResolverType

    if int(np.__version__.partition(".")[0]) > 1:  # it can be imported, but the first tensor raises a SystemError
        raise VitcamError(f"tflite-runtime needs NumPy 1, and this is {np.__version__}: pip install 'numpy<2'")

    return Runtime("tflite-runtime", _version(tflite_runtime), Graph, with_float_weights, _observed(OpResolverType))


def _observed(resolvers: Any) -> dict[str, Any]:
    """resolvers: the package's `OpResolverType`"""
    return {
        "experimental_op_resolver_type": resolvers.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
        "experimental_preserve_all_tensors": True,
    }


RUNTIMES: dict[str, Callable[[], Runtime]] = {"ai-edge-litert": _litert, "tflite-runtime": _tflite_runtime}
"""By the name of the package; the first one that is installed is used."""


def _find_runtime() -> Runtime:
    for find in RUNTIMES.values():
        try:
            return find()
        except ImportError:
            continue
    packages = " nor ".join(RUNTIMES)
    raise VitcamError(
        f"no package that runs models is installed, neither {packages}: pip install {next(iter(RUNTIMES))}"
    )


def _version(package: ModuleType) -> str:
    """As the package says it: asking what is installed takes 10 ms of a start."""
    return str(getattr(package, "__version__", "of unknown version"))
