"""What a process sets for itself: its limits, its heap, and how much garbage lies on it."""

import contextlib
import ctypes
import gc
import os
import resource
from pathlib import Path

_NONE = (0, 0)


def allow_many_files() -> None:
    """Raise the soft limit of open files to the hard one: the usual 1,024 is for programs that use select()."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):  # "unlimited" is more than some kernels give; the old limit holds
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def step_behind(niceness: int = 10) -> None:
    """Let everything else go first. A service's unit may forbid the call; then this process is like all others."""
    with contextlib.suppress(PermissionError):
        os.nice(niceness)


def confine(memory_mb: int, files: int) -> None:
    """Lower the limits of this process to what it needs, for good. Call it once everything is imported.

    memory_mb  most memory of its own, in MiB; memory shared with its parent does not count
    files      most open file descriptors
    """
    limits = {
        resource.RLIMIT_DATA: (memory_mb << 20, memory_mb << 20),
        resource.RLIMIT_NOFILE: (files, files),
        resource.RLIMIT_FSIZE: _NONE,
        resource.RLIMIT_NPROC: _NONE,  # neither another process nor another thread
        resource.RLIMIT_CORE: _NONE,
    }
    for name, values in limits.items():
        with contextlib.suppress(PermissionError):  # where a service manager forbids the call, it has limits of its own
            resource.setrlimit(name, values)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")  # when memory runs out, this process goes first


def silence_stderr() -> None:
    """Send stderr to /dev/null: libraries print there what is wrong with a picture."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    os.close(null)


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


def collect_garbage_often() -> None:
    """Find garbage after thousands of new objects, not after a hundred thousand. Call it once everything is loaded.

    Each connection of asyncio is garbage that only the collector finds, and so is what a refused request holds: its
    body, with the picture in it. What is loaded now is never looked at again, so that a collection takes 1 ms.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, _EVERY, _EVERY)


def trim_heap() -> None:
    """Give pages of the heap on which nothing lies back to the kernel; takes about 1 ms when it is called often.

    Without it a process keeps the most that it ever needed, and more where what is long-lived lies between.

    source  malloc_trim(3), of glibc alone
    """
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
