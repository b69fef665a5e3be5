"""Whether a graph that nobody vouches for ends the process that runs it: a child loads and runs it first.

`python -m vitcam.model.trial` reads a graph from standard input. Only a signal that ends it counts:
what the runtime refuses by itself is refused in the caller's own process, with its reason.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np

from vitcam.errors import ModelError, VitcamError
from vitcam.model.runtime import open_interpreter
from vitcam.processes.resources import silence_stderr

_TIMEOUT_S = 120.0  # ViT-B/16 takes 2 s on a Pi


def check_by_trial(path: Path, content: bytes) -> None:
    """Run a graph once in a child process. Raises ModelError if that ends the process, or never ends.

    content  of the file, in which only the runtime's own checks find damage: a few damages in a thousand pass them
    """
    command = [sys.executable, "-P", "-m", __name__]
    try:
        ended = subprocess.run(command, input=content, timeout=_TIMEOUT_S, check=False).returncode
    except subprocess.TimeoutExpired:
        raise ModelError(
            f"{path} was not answered within {_TIMEOUT_S:g} s; give a smaller or an intact model"
        ) from None
    except OSError:  # no more processes can be started, the file is not to blame
        return
    if ended < 0:
        raise ModelError(f"{path} is damaged: a process that ran it crashed; get the file again, or export it again")


def main() -> None:
    """Load the graph and run it on zeros."""
    silence_stderr()
    graph = open_interpreter(Path("the model"), 1, sys.stdin.buffer.read())
    for position, tensor in enumerate(graph.inputs):
        graph.set_input(np.zeros(tensor.shape, tensor.dtype), position)
    graph.invoke()
    for position in range(len(graph.outputs)):
        graph.get_output(position)
    picture = graph.inputs[0]
    for signature in graph.signatures[1:]:
        graph.run_signature(signature, {"image": np.zeros(picture.shape, picture.dtype)})


if __name__ == "__main__":
    try:
        main()
    except (VitcamError, ValueError, RuntimeError, MemoryError):
        sys.exit(1)
