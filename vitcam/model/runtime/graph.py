"""A graph that TensorFlow Lite has loaded: LiteRT and tflite-runtime give it the same Python interface."""

from collections.abc import Callable
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
    """What is done to a model file's content before it is loaded."""


class LoadedGraph:
    """Allocated and ready, from `content`; `path` is only named. Raises ModelError if the runtime refuses it.

    The runtime works on the bytes themselves, it copies nothing. A path it would map, and whoever cut that file short
    or wrote another model into it would end the process.
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
        names = _executed(self._graph._get_ops_details(), self._out)  # there is no public way to count them
        partitions = names.count("DELEGATE")
        self.info = RuntimeInfo(runtime.name, runtime.version, threads, partitions, len(names) - partitions)

    def clone(self, threads: int) -> "LoadedGraph":
        return LoadedGraph(*self._made_of, threads)

    def set_input(self, value: NDArray[Any], position: int = 0) -> None:
        tensor, into = self.inputs[position], self._graph.tensor(self._in[position])()
        if value.dtype == tensor.dtype and value.flags.c_contiguous:
            # neither `set_tensor`, which first copies what is read-only, nor NumPy's copy: both let other threads run
            # meanwhile, and the inference wait for them
            into.data.cast("B")[:] = value.data.cast("B")
        else:
            np.copyto(into, value.reshape(tensor.shape), casting="unsafe")

    def invoke(self) -> None:
        try:
            self._graph.invoke()
        except _DAMAGES as error:
            raise self._refusal("run", error) from error

    def get_output(self, position: int) -> NDArray[Any]:
        view = self._graph.tensor(self._out[position])()
        return np.array(view[0] if view.ndim > 1 else view)

    def run_signature(self, signature: str, value: NDArray[Any]) -> dict[str, NDArray[Any]]:
        try:
            # kept, the runner would forbid `invoke`; made anew, it costs 10 µs
            runner = self._graph.get_signature_runner(signature)
            (name,) = runner.get_input_details()
            return {output: np.array(array[0]) for output, array in runner(**{name: value[None]}).items()}
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

    LiteRT lists the original operators and behind them the delegate nodes that took some of them over, without saying
    which: where both give a tensor, the delegate node is the one that runs.
    """
    giver = {int(tensor): op for op in ops for tensor in op["outputs"]}  # later wins: delegates come last
    names, seen, open_ends = [], set(), list(wanted)
    while open_ends:
        op = giver.get(open_ends.pop())
        if op is None or op["index"] in seen:
            continue
        seen.add(op["index"])
        names.append(str(op["op_name"]))
        open_ends.extend(int(tensor) for tensor in op["inputs"])
    return names
