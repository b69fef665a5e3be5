"""The calls that vitcam needs of a runtime for TFLite graphs."""

from collections.abc import Mapping
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
    """The names of the file's signatures, the default one first; empty where it has none."""

    def clone(self, threads: int) -> Self:
        """The same graph from the same bytes, for another thread."""

    def set_input(self, value: NDArray[Any], position: int = 0) -> None:
        """Copy a value into one input.

        value  of the input's shape with or without the batch axis, such as (1, h, w, 3) or (h, w, 3)
        """

    def invoke(self) -> None:
        """Run the graph; releases the GIL."""

    def get_output(self, position: int) -> NDArray[Any]:
        """A copy of one output without the batch axis, such as (labels,)."""

    def run_signature(self, signature: str, values: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Run another signature of the file.

        values   of the inputs by name, such as (1, h, w, 3)
        returns  copies of all outputs by name, without the batch axis, such as (labels,)
        """
