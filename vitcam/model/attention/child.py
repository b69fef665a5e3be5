"""The process that looks into a graph: what it takes of memory and time, it takes from no camera.

`python -m vitcam.model.attention.child LINK GIVEN PACKED` answers one `AttentionRequest` and ends. GIVEN is the
descriptor of a memory file with the graph and then the picture, PACKED of the one that the answer goes into.
"""

import mmap
import os
import signal
import socket
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import ModelError, UsageError, VitcamError
from vitcam.frames import Image
from vitcam.model.attention.packed import pack
from vitcam.model.runtime import Interpreter, open_observed
from vitcam.processes.child import MAX_MESSAGE, unpack
from vitcam.processes.child import pack as message
from vitcam.processes.resources import confine, silence_stderr, step_behind

_FILES = 16
_TWICE = 2  # LiteRT takes about twice what the tensors of a graph take together: 156 MB for the 78 of `everyday`
_TOO_MUCH = "looking into this model takes more memory than is allowed; choose a smaller model"


@dataclass(frozen=True, slots=True)
class AttentionRequest:
    """What is in the memory file, and what the graph's description says of it."""

    graph: int
    """Bytes of the flatbuffer."""
    height: int
    width: int
    """Of the picture in px."""
    image: int
    """Its position among the graph's inputs."""
    layers: int
    heads: int
    rows: int
    columns: int
    """Of the grid of patches."""
    memory_mb: int
    """The most that the process may have."""
    limit_s: int
    """The process ends itself after that time."""


@dataclass(frozen=True, slots=True)
class AttentionAnswer:
    """The answer."""

    length: int = 0
    """How many bytes were packed."""
    why: str = ""
    """Why there are none."""


def main(arguments: list[str]) -> None:
    """Answer one request."""
    fd, given, packed = map(int, arguments)
    link = socket.socket(fileno=fd)
    packet = link.recv(MAX_MESSAGE)
    if not packet:  # the daemon has ended meanwhile
        return
    request = unpack(packet, (AttentionRequest,))
    signal.alarm(request.limit_s)  # not handled: it ends this process, should the daemon die
    step_behind()
    confine(request.memory_mb, _FILES)
    silence_stderr()
    try:
        answer = _answer(request, given, packed)
    except VitcamError as error:
        answer = AttentionAnswer(0, str(error))
    except MemoryError:
        answer = AttentionAnswer(0, _TOO_MUCH)
    link.send(message(answer))


def _answer(request: AttentionRequest, given: int, packed: int) -> AttentionAnswer:
    size = request.height * request.width * 3
    image = np.frombuffer(os.pread(given, size, request.graph), np.uint8)
    try:
        graph = open_observed(Path("in use"), os.pread(given, request.graph, 0), (request.memory_mb << 20) // _TWICE)
    except ModelError as error:  # the daemon has loaded the same graph, so only memory can be missing
        raise UsageError(_TOO_MUCH) from error
    blocks = attention_of_blocks(graph, image.reshape(request.height, request.width, 3), request)
    found = pack(blocks, (request.rows, request.columns))
    with mmap.mmap(packed, 0) as memory:  # written as memory: this process may write no files
        if len(found) > len(memory):
            raise UsageError("the attention of this model is larger than there is room for; choose a smaller model")
        memory[: len(found)] = found
    return AttentionAnswer(len(found))


def attention_of_blocks(graph: Interpreter, image: Image, request: AttentionRequest) -> list[NDArray[np.float32]]:
    """Run an observed graph on a picture, (h, w, 3) uint8, RGB.

    returns  (heads, Q, T) of each block; Q is T, or less where the graph leaves out what its head does not read
    raises   UsageError if the graph has no such attention in it
    """
    graph.set_input(image, request.image)
    graph.invoke()
    cells = request.rows * request.columns
    found = []
    for weights in graph.outputs_of("SOFTMAX"):
        block = weights[0] if weights.ndim == 4 and len(weights) == 1 else weights
        if block.ndim == 3 and block.shape[0] == request.heads and block.shape[1] <= block.shape[2] >= cells:
            found.append(np.asarray(block, np.float32))
    if len(found) != request.layers or len({block.shape[2] for block in found}) != 1:
        raise UsageError(NOT_THERE)
    return found


NOT_THERE = "this model file does not show whom its patches attend to; models of vitcam-train export do"

if __name__ == "__main__":
    main(sys.argv[1:])
