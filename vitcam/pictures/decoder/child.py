"""The process that decodes pictures of others: whatever such a picture does, it does it here.

`python -m vitcam.pictures.decoder.child LINK LETTER MEMORY_MB PATIENCE_S` speaks messages.py over the inherited
descriptors LINK and LETTER, the memory that the encoded pictures come in.
"""

import mmap
import os
import signal
import socket
import sys

import cv2
import numpy as np

from vitcam.errors import UsageError
from vitcam.frames import Image
from vitcam.pictures.decode import decode
from vitcam.pictures.decoder.messages import DONE, READY, Ask
from vitcam.pictures.opencv import use_one_thread
from vitcam.processes.child import MAX_MESSAGE
from vitcam.processes.limits import be_quiet, confine
from vitcam.processes.packets import unpack

_IDLE_S = 60  # then the memory is of more use elsewhere; the next picture starts another process
_FILES = 16


def main(arguments: list[str]) -> int:
    """Decode until the link is closed, or nothing is asked for a while; 0 tells the daemon that nothing crashed."""
    descriptor, letter, memory_mb, patience_s = map(int, arguments)
    link = socket.socket(fileno=descriptor)
    use_one_thread()
    confine(memory_mb, _FILES)
    be_quiet()
    link.settimeout(_IDLE_S)
    try:
        link.send(READY)
        serve(link, letter, patience_s)
    except (TimeoutError, ConnectionError):
        pass
    return 0


def serve(link: socket.socket, letter: int, patience_s: int) -> None:
    """Answer each request. Returns when the link is closed; raises TimeoutError when none comes."""
    memory = None
    while True:
        packet, descriptors, _, _ = socket.recv_fds(link, MAX_MESSAGE, 1)
        if not packet:
            return
        for descriptor in descriptors:
            memory = mmap.mmap(descriptor, 0)
            os.close(descriptor)
        ask = unpack(packet, (Ask,))
        signal.alarm(patience_s)  # never handled: it ends also where the daemon is gone
        answer = _answer(ask, letter, memory)
        signal.alarm(0)
        if not ask.keep:
            memory = None
        link.send(answer)


def _answer(ask: Ask, letter: int, memory: mmap.mmap | None) -> bytes:
    def room(height: int, width: int) -> Image:
        if memory is None or 3 * height * width > ask.size:
            raise UsageError("not an image: it is larger than its header says")
        return np.frombuffer(memory, np.uint8, 3 * height * width, ask.offset).reshape(height, width, 3)

    try:
        decode(os.pread(letter, ask.length, 0), ask.limits, room)
    except UsageError as error:
        return str(error).encode()[:MAX_MESSAGE]
    except (MemoryError, cv2.error):
        return b"decoding the picture takes more memory than is allowed; make it smaller"
    return DONE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
