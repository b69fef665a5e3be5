"""One measurement in a process of its own, so that no other one shares its memory or has warmed its caches.

`python -m vitcam.benchmark.child FILE THREADS SECONDS` times a graph, and prints one JSON object.
"""

import json
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import ModelError, VitcamError
from vitcam.model.runtime import Interpreter, TensorInfo, open_interpreter

_WARM_UP_S = 0.2  # XNNPACK packs weights at the first call, and a processor needs 100 ms to its full clock
_MIN_CALLS = 5  # of a slow graph, even if the time is over


def main(arguments: list[str]) -> int:
    """Measure and print. The last line of stderr is the error, and the exit code is its own."""
    path, threads, seconds = arguments
    try:
        found = time_graph(Path(path), int(threads), float(seconds))
    except VitcamError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    sys.stdout.write(json.dumps(found))
    return 0


def time_graph(path: Path, threads: int, seconds: float) -> dict[str, float]:
    """Latencies of `invoke` in ms, its rate, and the peak memory of this process in MB.

    raises  ModelError if the graph cannot be loaded, fed or run
    """
    graph = open_interpreter(path, threads)
    for position, tensor in enumerate(graph.inputs):
        graph.set_input(some_input(path, tensor), position)
    ms = np.array(list(_durations_ms(path, graph, seconds)))
    p10, p50, p90, p99 = np.percentile(ms, (10, 50, 90, 99))
    return {
        "p10_ms": float(p10),
        "p50_ms": float(p50),
        "p90_ms": float(p90),
        "p99_ms": float(p99),
        "fps": 1000 * len(ms) / float(ms.sum()),
        "rss_mb": _peak_rss_mb(),
        "partitions": graph.info.partitions,
        "outside": graph.info.outside,
    }


def some_input(path: Path, tensor: TensorInfo) -> NDArray[Any]:
    """Random pixels for pictures and floats; zeros for other whole numbers, which may be indices.

    returns  of the tensor's shape, such as (1, h, w, 3)
    raises   ModelError for an input that is not a number
    """
    rng = np.random.default_rng(0)
    if tensor.dtype in (np.uint8, np.int8):
        limits = np.iinfo(tensor.dtype)
        return rng.integers(limits.min, limits.max, tensor.shape, tensor.dtype, endpoint=True)
    if tensor.dtype.kind == "f":
        return rng.random(tensor.shape).astype(tensor.dtype)
    if tensor.dtype.kind in "iub":
        return np.zeros(tensor.shape, tensor.dtype)
    raise ModelError(f"{path} takes {tensor.dtype} as {tensor.name!r}; only inputs of numbers can be measured")


def _durations_ms(path: Path, graph: Interpreter, seconds: float) -> Iterator[float]:
    """How long each call took, after a warm-up."""
    try:
        graph.invoke()
        warm = time.perf_counter() + _WARM_UP_S
        while time.perf_counter() < warm:
            graph.invoke()
        end, count = time.perf_counter() + seconds, 0
        while time.perf_counter() < end or count < _MIN_CALLS:
            before = time.perf_counter_ns()
            graph.invoke()
            yield (time.perf_counter_ns() - before) / 1e6
            count += 1
    except RuntimeError as error:
        raise ModelError(f"{path} cannot be run on made-up input: {str(error).splitlines()[0]}") from error


def _peak_rss_mb() -> float:
    """VmHWM. Unlike getrusage's figure it does not include the parent process."""
    found = re.search(r"^VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    return int(found[1]) * 1024 / 1e6 if found else 0.0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
