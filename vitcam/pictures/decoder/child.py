"""The process that decodes untrusted pictures: if one makes a library crash, only this process ends.

`python -m vitcam.pictures.decoder.child LINK INPUT MEMORY_MB TIMEOUT_S` gets a `DecodeRequest` a packet over the
inherited descriptor LINK. INPUT is the descriptor of the memory file that the encoded pictures are in. Pixels go
through shared memory.
"""

import mmap
import os
import signal
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vitcam.errors import UsageError
from vitcam.frames import Image
from vitcam.pictures.decode import Limits, decode
from vitcam.pictures.opencv import use_one_thread
from vitcam.processes.child import MAX_MESSAGE, unpack
from vitcam.processes.resources import confine, silence_stderr

READY = b"ready"
"""The process has started and can decode."""
DONE = b"done"
"""The pixels are in their slot. Any other answer is a sentence that says why they are not."""
_IDLE_S = 60  # then the process ends and frees its memory; the next picture starts another one
_FILES = 16


@dataclass(frozen=True, slots=True)
class DecodeRequest:
    """Decode the picture in the input file. A descriptor sent with it is the shared memory from now on."""

    length: int
    """Bytes of the encoded picture."""
    most_pixels: int
    enough: Sequence[int] | None
    """As in `Limits`."""
    offset: int
    """Where in the shared memory the pixels go."""
    size: int
    """How many bytes of pixels there may be."""
    keep: bool
    """Whether the shared memory is used again for the next picture."""

    @property
    def limits(self) -> Limits:
        return Limits(self.most_pixels, None if self.enough is None else (self.enough[0], self.enough[1]))


def main(arguments: list[str]) -> int:
    """Decode until the link is closed or there is no request for a while. Returns 0: the daemon knows by it that
    nothing crashed."""
    fd, encoded, memory_mb, timeout_s = map(int, arguments)
    link = socket.socket(fileno=fd)
    use_one_thread()
    confine(memory_mb, _FILES)
    silence_stderr()
    link.settimeout(_IDLE_S)
    try:
        link.send(READY)
        serve(link, encoded, timeout_s)
    except (TimeoutError, ConnectionError):
        pass
    return 0


def serve(link: socket.socket, encoded: int, timeout_s: int) -> None:
    """Answer each request. Returns when the link is closed; raises TimeoutError if there is no request for a while."""
    memory = None
    while True:
        packet, fds, _, _ = socket.recv_fds(link, MAX_MESSAGE, 1)
        if not packet:
            return
        for fd in fds:
            memory = mmap.mmap(fd, 0)
            os.close(fd)
        request = unpack(packet, (DecodeRequest,))
        signal.alarm(timeout_s)  # has no handler, so it ends this process, even if the daemon is gone
        answer = _answer(request, encoded, memory)
        signal.alarm(0)
        if not request.keep:
            memory = None
        link.send(answer)


def _answer(request: DecodeRequest, encoded: int, memory: mmap.mmap | None) -> bytes:
    def allocate(height: int, width: int) -> Image:
        if memory is None or 3 * height * width > request.size:
            raise UsageError("not an image: it is larger than its header says")
        return np.frombuffer(memory, np.uint8, 3 * height * width, request.offset).reshape(height, width, 3)

    try:
        decode(os.pread(encoded, request.length, 0), request.limits, allocate)
    except UsageError as error:
        return str(error).encode()[:MAX_MESSAGE]
    except (MemoryError, cv2.error):
        return b"decoding the picture takes more memory than is allowed; make it smaller"
    return DONE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
