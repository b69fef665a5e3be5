"""What keeps the memory of a process that runs for months from growing: one heap, and little garbage on it."""

import contextlib
import ctypes
import gc

_M_ARENA_MAX = -8  # malloc.h of glibc; mallopt(3)
_NEW_OBJECTS = 700  # the default
_EVERY = 5  # by default every tenth collection takes older objects, too, and every tenth of these takes all


def use_one_heap() -> None:
    """Let all threads allocate from one heap. Call it before the threads start.

    glibc gives each thread a heap of its own, and what one frees another cannot use. A frame is allocated in one thread
    and freed in another, so these heaps are full of holes after some hours. C libraries without mallopt are left alone.
    """
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)


def collect_often() -> None:
    """Find garbage after thousands of new objects, not after a hundred thousand. Call it once everything is loaded.

    Each connection of asyncio is garbage that only the collector finds, and so is what a refused request holds: its
    body, with the picture in it. What is loaded now is never looked at again, so that a collection takes 1 ms.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, _EVERY, _EVERY)


def give_back() -> None:
    """Give pages of the heap on which nothing lies back to the kernel; takes about 1 ms when it is called often.

    Without it a process keeps the most that it ever needed, and more where what is long-lived lies between.

    source  malloc_trim(3), of glibc alone
    """
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
