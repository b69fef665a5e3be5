"""A graph that TensorFlow Lite has loaded: LiteRT and tflite-runtime give it the same Python interface."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import ModelError
from vitcam.model.runtime.delegate_message import without_delegate_message
from vitcam.model.runtime.interpreter import RuntimeInfo, TensorInfo

_DAMAGES = (ValueError, RuntimeError, LookupError, TypeError, MemoryError)  # what a runtime raises for damaged graphs


@dataclass(frozen=True, slots=True)
class Runtime:
    """A package that runs TFLite graphs on XNNPACK."""

    name: str
    version: str
    load: Callable[..., Any]
    """Its `Interpreter` class."""
    prepare: Callable[[bytes], bytes] = bytes
    """Changes a model file's content before it is loaded."""


class LoadedGraph:
    """An interpreter of one package, allocated and ready.

    The runtime works on the bytes themselves and copies nothing. If it were given a path, it would map the file, and
    the process would end when another program cuts that file short or overwrites it.

    path     is only named in messages
    content  of the model file
    raises   ModelError if the runtime refuses the graph
    """

    def __init__(self, runtime: Runtime, path: Path, content: bytes, threads: int) -> None:
        self._made_of = (runtime, path, content)
        try:
            with without_delegate_message():
                self._graph = runtime.load(model_content=content, num_threads=threads)
                self._graph.allocate_tensors()
            self._describe(runtime, threads)
        except _DAMAGES as error:
            raise self._refusal("loaded", error) from error

    def _describe(self, runtime: Runtime, threads: int) -> None:
        self._in = [detail["index"] for detail in self._graph.get_input_details()]
        self._out = [detail["index"] for detail in self._graph.get_output_details()]
        self.inputs = tuple(_tensor(detail) for detail in self._graph.get_input_details())
        self.outputs = tuple(_tensor(detail) for detail in self._graph.get_output_details())
        self.signatures = tuple(self._graph.get_signature_list())
        names = _executed(self._graph._get_ops_details(), self._out)  # there is no public function that counts them
        partitions = names.count("DELEGATE")
        self.info = RuntimeInfo(runtime.name, runtime.version, threads, partitions, len(names) - partitions)

    def clone(self, threads: int) -> "LoadedGraph":
        return LoadedGraph(*self._made_of, threads)

    def set_input(self, value: NDArray[Any], position: int = 0) -> None:
        """Copy a value into one input, (1, h, w, 3) or (h, w, 3) for pictures."""
        tensor, into = self.inputs[position], self._graph.tensor(self._in[position])()
        if value.dtype == tensor.dtype and value.flags.c_contiguous:
            # not `set_tensor` (it first copies what is read-only) and not NumPy's copy: both release the GIL, and
            # the inference then waits for other threads
            into.data.cast("B")[:] = value.data.cast("B")
        else:
            np.copyto(into, value.reshape(tensor.shape), casting="unsafe")

    def invoke(self) -> None:
        try:
            self._graph.invoke()
        except _DAMAGES as error:
            raise self._refusal("run", error) from error

    def get_output(self, position: int) -> NDArray[Any]:
        """A copy of one output without the batch axis, such as (labels,)."""
        view = self._graph.tensor(self._out[position])()
        return np.array(view[0] if view.ndim > 1 else view)

    def run_signature(self, signature: str, values: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """All outputs by name, such as (labels,), for inputs by name, such as (1, h, w, 3)."""
        try:
            # a runner that is kept would make `invoke` fail; a new one costs 10 µs
            runner = self._graph.get_signature_runner(signature)
            return {output: np.array(array[0]) for output, array in runner(**values).items()}
        except _DAMAGES as error:
            raise self._refusal("run", error) from error

    def _refusal(self, done: str, error: Exception) -> ModelError:
        runtime, path, _ = self._made_of
        reason = str(error).splitlines()[0] if str(error) else "no reason given"
        return ModelError(f"the model {path} cannot be {done} by {runtime.name}: {reason}; export the model again")


def _tensor(detail: dict[str, Any]) -> TensorInfo:
    scale, zero_point = detail["quantization"]
    shape = tuple(int(side) for side in detail["shape"])
    return TensorInfo(detail["name"], shape, np.dtype(detail["dtype"]), float(scale), int(zero_point))


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
