"""Memory shared with a child: the child writes pictures, we lend them without a copy to whoever looks at them."""

import fcntl
import mmap
import os
import weakref
from collections import deque

import numpy as np

from vitcam.frames import Image

_MOST_BYTES = 256 << 20  # of pictures of tens of megapixels there are fewer
POOL_SIZE = 8  # capture, classifier, preview and two slow viewers may each hold one while three are on their way


class BufferPool:
    """At most `most` slots of `size` bytes. Memory is taken up only by slots that were written.

    One thread takes and lends; lent pictures may be let go in any thread, also long after `close`.
    """

    def __init__(self, size: int, most: int = POOL_SIZE) -> None:
        count = max(2, min(most, _MOST_BYTES // size))
        self.size = size
        self.descriptor = os.memfd_create("vitcam-pictures", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self.descriptor, size * count)
        # memory that a child had cut off would kill us when we read it
        fcntl.fcntl(self.descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
        self._memory = mmap.mmap(self.descriptor, size * count, prot=mmap.PROT_READ)
        self._free = deque(range(count))

    def take(self) -> int:
        """A slot that nobody reads; there is always one."""
        return self._free.pop()

    def give_back(self, buffer: int) -> None:
        """A slot that was taken, and not lent."""
        self._free.append(buffer)

    def lend(self, buffer: int, height: int, width: int) -> Image:
        """(height, width, 3) uint8, read-only: the picture in a slot, which is free again once nobody refers to it."""
        lent = np.frombuffer(self._memory, np.uint8, 3 * height * width, buffer * self.size)
        if self._free:
            weakref.finalize(lent, self._free.append, buffer).atexit = False
        else:  # somebody collects pictures: without a slot there would be no more
            lent = lent.copy()
            lent.setflags(write=False)
            self._free.append(buffer)
        return lent.reshape(height, width, 3)

    def close(self) -> None:
        """Pictures that are lent stay; the memory goes with the last of them."""
        os.close(self.descriptor)
