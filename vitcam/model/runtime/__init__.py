"""The packages that can run a model. In: a TFLite flatbuffer. Out: an Interpreter. May block: only `invoke`."""

import os
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

from vitcam.errors import VitcamError
from vitcam.model.content import content_of
from vitcam.model.float_weights import with_float_weights
from vitcam.model.runtime.graph import LoadedGraph, Runtime
from vitcam.model.runtime.interpreter import Interpreter, RuntimeInfo, TensorInfo

__all__ = ["RUNTIMES", "Interpreter", "RuntimeInfo", "TensorInfo", "default_threads", "open_interpreter"]


def default_threads(cores: int | None = None) -> int:
    """All cores; on four and more all but one, which is left for capture and web."""
    available = cores if cores is not None else len(os.sched_getaffinity(0))
    return available - 1 if available >= 4 else max(1, available)


def open_interpreter(path: Path, threads: int, content: bytes | None = None) -> Interpreter:
    """Load a graph with the first runtime that is installed.

    content  of the file, if it was read already
    raises   ModelError if the file cannot be read, or the runtime refuses the graph; VitcamError if no runtime is
             installed, or it does not work here
    """
    runtime = _find_runtime()
    return LoadedGraph(runtime, path, runtime.prepare(content_of(path) if content is None else content), threads)


def _litert() -> Runtime:
    """`ai-edge-litert`, the current package of TensorFlow Lite. Raises ImportError if it is not installed."""
    from ai_edge_litert.interpreter import Interpreter as Graph

    return Runtime("ai-edge-litert", _version("ai-edge-litert"), Graph)


def _tflite_runtime() -> Runtime:
    """`tflite-runtime`, its predecessor. The last release is for Python 3.11 at most, and for NumPy 1.

    raises  ImportError if it is not installed; VitcamError with NumPy 2
    """
    from tflite_runtime.interpreter import Interpreter as Graph

    if int(np.__version__.partition(".")[0]) > 1:  # it can be imported, but the first tensor raises a SystemError
        raise VitcamError(f"tflite-runtime needs NumPy 1, and this is {np.__version__}: pip install 'numpy<2'")

    return Runtime("tflite-runtime", _version("tflite-runtime"), Graph, with_float_weights)


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


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # it was not installed by pip
        return "of unknown version"
