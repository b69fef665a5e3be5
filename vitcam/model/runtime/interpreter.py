"""The few calls that vitcam needs of whatever runs a TFLite graph."""

from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray


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


class Interpreter(Protocol):
    """One loaded graph. Not thread-safe: each thread opens its own."""

    info: RuntimeInfo
    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]
    signatures: tuple[str, ...]
    """The ways in which the file may be asked, the usual one first; empty where it names none."""

    def clone(self, threads: int) -> Self:
        """The same graph from the same bytes, for another thread."""

    def set_input(self, value: NDArray[Any], position: int = 0) -> None:
        """Copy a value into one input; it has the input's shape, with or without the batch axis."""

    def invoke(self) -> None:
        """Run the graph; releases the GIL."""

    def get_output(self, position: int) -> NDArray[Any]:
        """A copy of one output, without the batch axis."""

    def run_signature(self, signature: str, value: NDArray[Any]) -> dict[str, NDArray[Any]]:
        """Run another signature on its only input; copies of all its outputs, by name, without the batch axis."""
