"""Memory shared with a child: the child writes pictures, and the daemon lends them to readers without a copy."""

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
    """At most `most` buffers of `size` bytes. Only buffers that were written take up memory.

    One thread takes and lends. Lent pictures may be released in any thread, also long after `close`.
    """

    def __init__(self, size: int, most: int = POOL_SIZE) -> None:
        count = max(2, min(most, _MOST_BYTES // size))
        self.size = size
        self.fd = os.memfd_create("vitcam-pictures", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self.fd, size * count)
        # reading memory that a child has cut off would kill this process
        fcntl.fcntl(self.fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
        self._memory = mmap.mmap(self.fd, size * count, prot=mmap.PROT_READ)
        self._free = deque(range(count))

    def take(self) -> int:
        """A buffer that is not lent; there is always one."""
        return self._free.pop()

    def give_back(self, buffer: int) -> None:
        """Return a buffer that was taken and not lent."""
        self._free.append(buffer)

    def lend(self, buffer: int, height: int, width: int) -> Image:
        """(height, width, 3) uint8, read-only: the picture in a buffer. It is free once no array refers to it."""
        lent = np.frombuffer(self._memory, np.uint8, 3 * height * width, buffer * self.size)
        if self._free:
            weakref.finalize(lent, self._free.append, buffer).atexit = False
        else:  # a reader keeps many pictures: without a free buffer there would be no more
            lent = lent.copy()
            lent.setflags(write=False)
            self._free.append(buffer)
        return lent.reshape(height, width, 3)

    def close(self) -> None:
        """Close the file descriptor. Lent pictures stay valid; the memory is freed with the last of them."""
        os.close(self.fd)
