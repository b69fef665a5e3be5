"""How the C library's allocator divides the memory of this process."""

import contextlib
import ctypes

_M_ARENA_MAX = -8  # malloc.h of glibc; mallopt(3)


def use_one_heap() -> None:
    """Let all threads allocate from one heap. Call it before the threads start.

    glibc gives each thread a heap of its own, and what one frees another cannot use. A frame is allocated in one thread
    and freed in another, so these heaps are full of holes after some hours. C libraries without mallopt are left alone.
    """
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)
