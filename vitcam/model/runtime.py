"""What runs a TFLite graph: LiteRT with its XNNPACK delegate, behind the few calls that vitcam needs."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import ModelError


@dataclass(frozen=True, slots=True)
class Tensor:
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


class Interpreter(Protocol):
    """One loaded graph. Not thread-safe: each thread opens its own."""

    info: RuntimeInfo
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]

    def write(self, value: NDArray[Any]) -> None:
        """Copy a value into the only input; it has the input's shape without the batch axis."""

    def invoke(self) -> None:
        """Run the graph; releases the GIL."""

    def read(self, position: int) -> NDArray[Any]:
        """A copy of one output, without the batch axis."""


def default_threads(cores: int | None = None) -> int:
    """All cores; one less where there are four or more, so that capture and web keep one."""
    available = cores if cores is not None else len(os.sched_getaffinity(0))
    return available - 1 if available >= 4 else max(1, available)


def open_interpreter(path: Path, threads: int) -> Interpreter:
    """Load a graph. Raises ModelError if the runtime refuses it."""
    return LiteRT(path, threads)


class LiteRT:
    """`ai-edge-litert`: TensorFlow Lite as it is maintained today."""

    def __init__(self, path: Path, threads: int) -> None:
        from importlib.metadata import version

        from ai_edge_litert.interpreter import Interpreter as Graph

        try:
            self._graph = Graph(model_path=str(path), num_threads=threads)
            self._graph.allocate_tensors()
        except (ValueError, RuntimeError) as error:
            reason = str(error).splitlines()[0] if str(error) else "no reason given"
            raise ModelError(f"the model {path} cannot be loaded by LiteRT: {reason}") from error
        self._in = [detail["index"] for detail in self._graph.get_input_details()]
        self._out = [detail["index"] for detail in self._graph.get_output_details()]
        self.inputs = tuple(_tensor(detail) for detail in self._graph.get_input_details())
        self.outputs = tuple(_tensor(detail) for detail in self._graph.get_output_details())
        names = _executed(self._graph._get_ops_details(), self._out)  # there is no public way to count them
        partitions = names.count("DELEGATE")
        self.info = RuntimeInfo(
            "ai-edge-litert", version("ai-edge-litert"), threads, partitions, len(names) - partitions
        )

    def write(self, value: NDArray[Any]) -> None:
        self._graph.tensor(self._in[0])()[0] = value

    def invoke(self) -> None:
        self._graph.invoke()

    def read(self, position: int) -> NDArray[Any]:
        view = self._graph.tensor(self._out[position])()
        return np.array(view[0] if view.ndim > 1 else view)


def _tensor(detail: dict[str, Any]) -> Tensor:
    scale, zero_point = detail["quantization"]
    shape = tuple(int(side) for side in detail["shape"])
    return Tensor(detail["name"], shape, np.dtype(detail["dtype"]), float(scale), int(zero_point))


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
