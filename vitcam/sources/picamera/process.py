"""The other end of picamera_child: starts it, hears what it says, and is rid of it whatever it does."""

import mmap
import os
import weakref
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from vitcam.processes.child import Child
from vitcam.processes.packets import unpack
from vitcam.processes.shared_memory import POOL_SIZE
from vitcam.sources.picamera.messages import KINDS, CameraConfig, Message, Ready

_MOST_HELD = POOL_SIZE - 3  # the rest is on its way, or about to be written


class CameraProcess:
    """A running picamera_child. Everything but `hang_up` is called by one thread."""

    def __init__(self, config: CameraConfig) -> None:
        self._held: set[int] = set()
        self._memory_fd = os.memfd_create("vitcam-frames")
        self._child = Child(
            "the camera's process",
            "vitcam.sources.picamera.child",
            [self._memory_fd],
            [config.to_json()],
            {"LIBCAMERA_LOG_LEVELS": "*:ERROR"},
        )

    @property
    def pid(self) -> int:
        return self._child.pid

    def receive(self, timeout_s: float) -> Message | None:
        """The next message; None when there was none in time. Raises EOFError when the process has ended."""
        packet = self._child.receive(timeout_s)
        return None if packet is None else unpack(packet, KINDS)

    def map_memory(self, ready: Ready) -> mmap.mmap:
        """The child's slots, read-only; the mapping lives as long as an array shows a part of it."""
        return mmap.mmap(self._memory_fd, POOL_SIZE * ready.buffer_size, prot=mmap.PROT_READ)

    def lend(self, ready: Ready, memory: mmap.mmap, buffer: int) -> NDArray[np.uint8]:
        """(slot_size,) uint8: a slot, which goes back to the child when nobody refers to the array any more."""
        lent = ready.bytes_of(memory, buffer)
        if len(self._held) < _MOST_HELD:
            self._held.add(buffer)
            weakref.finalize(lent, _hand_back, self._child, self._held, buffer).atexit = False
            return lent
        copy = lent.copy()  # somebody collects frames: without a slot the camera would have to stop
        copy.setflags(write=False)
        _hand_back(self._child, self._held, buffer)
        return copy

    def hang_up(self) -> None:
        """Make `receive` raise EOFError, in whatever thread; the child ends by itself."""
        self._child.hang_up()

    def end(self) -> int | None:
        """Be rid of the child and return its exit status; None if even SIGKILL does not end it (its driver hangs)."""
        os.close(self._memory_fd)
        return self._child.end()


def _hand_back(child: Child, held: set[int], buffer: int) -> None:
    """Called by the garbage collector, in any thread, also long after the child is gone."""
    held.discard(buffer)
    with suppress(EOFError):
        child.send(bytes([buffer]), wait=False)
