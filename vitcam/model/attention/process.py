"""Asks a process of its own whom the tokens of a picture attend to."""

import os
import threading
from contextlib import ExitStack

from vitcam.errors import UsageError, VitcamError
from vitcam.frames import Image
from vitcam.model.attention.child import NOT_THERE, AttentionAnswer, AttentionRequest
from vitcam.model.attention.packed import MAX_BYTES
from vitcam.model.classifier import Classifier
from vitcam.processes.child import Child, how_it_ended, pack, unpack

MEMORY_MB = 512  # `everyday` takes 180 of it
_LIMIT_S = 25.0  # a Pi 4 starts Python in 2 s, and takes 2 s for `everyday`
_LATER_S = 3
_ROOM = MAX_BYTES + MAX_BYTES // 8  # with a float for each row of weights
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


class AttentionProcess:
    """A new process for each picture, so that nothing of it stays. Called in one thread; `close` in any."""

    def __init__(self, limit_s: float = _LIMIT_S, memory_mb: int = MEMORY_MB) -> None:
        self._limit_s, self._memory_mb = limit_s, memory_mb
        self._lock = threading.Lock()
        self._closed = False
        self._child: Child | None = None

    def __call__(self, classifier: Classifier, image: Image) -> bytes:
        """The attention of all blocks, as `packed.pack` says.

        image   (h, w, 3) uint8, RGB, as the model gets it
        raises  UsageError where the model does not show it, or takes too much memory or time; VitcamError
        """
        card, graph = classifier.card, classifier.graph.content
        height, width = image.shape[:2]
        if not (card.layers and card.heads and card.patch_size):
            raise UsageError(NOT_THERE)
        with ExitStack() as files:
            given, packed = (_memory_file(files, name) for name in ("vitcam-given", "vitcam-attention"))
            with os.fdopen(os.dup(given), "wb") as file:
                file.write(graph)
                file.write(image.tobytes())
            os.ftruncate(packed, _ROOM)  # what is not written takes no memory
            request = AttentionRequest(
                len(graph),
                height,
                width,
                card.inputs["image"],
                card.layers,
                card.heads,
                *card.grid,
                self._memory_mb,
                int(self._limit_s) + _LATER_S,
            )
            answer = self._ask(request, (given, packed))
            if answer.why:
                raise UsageError(answer.why)
            return os.pread(packed, answer.length, 0)

    def close(self) -> None:
        """End a process that runs, and start no other."""
        with self._lock:
            self._closed = True
            child = self._child
        if child is not None:
            child.hang_up()

    def _ask(self, request: AttentionRequest, fds: tuple[int, ...]) -> AttentionAnswer:
        with self._lock:
            if self._closed:
                raise VitcamError("vitcam is ending")
            try:
                self._child = child = Child("the attention's process", _MODULE, fds, env=_ONE_THREAD)
            except OSError as error:
                raise VitcamError(f"the attention's process cannot be started: {error.strerror}") from error
        status: int | None = None
        packet: bytes | None = None
        ended = False
        try:
            child.send(pack(request))
            packet = child.receive(self._limit_s)
        except EOFError:
            ended = True
        finally:
            self._child = None
            status = child.end(at_once=True)
        if packet is not None:
            return unpack(packet, (AttentionAnswer,))
        if self._closed:
            raise VitcamError("vitcam is ending")
        if ended:
            raise UsageError(f"looking into this model ended {how_it_ended(status)}; it may take too much memory here")
        raise UsageError(f"looking into this model took more than {self._limit_s:g} s; choose a smaller model")


_MODULE = "vitcam.model.attention.child"


def _memory_file(files: ExitStack, name: str) -> int:
    fd = os.memfd_create(name)
    files.callback(os.close, fd)
    return fd
