"""What a process sets for itself: its limits, its heap, and how much garbage lies on it."""

import contextlib
import ctypes
import gc
import os
import resource
import sys
from collections.abc import Mapping
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


_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8  # malloc.h of glibc; mallopt(3)
_WHILE_LOADING = 256 << 10
_WHILE_RUNNING = 32 << 20  # the most that 64-bit systems take; a picture of 4K has 24 MiB
_KEPT_AT_THE_TOP = 16 << 20  # while no picture has come yet
_KEPT_PICTURES = 1.5
_SWITCH_S = 0.0005
_NEW_OBJECTS = 700  # the default
_EVERY = 5  # by default every tenth collection takes older objects, too, and every tenth of these takes all


def use_one_heap() -> None:
    """Let all threads allocate from one heap. Call it before the threads start, those of NumPy included.

    glibc gives each thread a heap of its own, and what one frees another cannot use. A frame is allocated in one thread
    and freed in another, so these heaps are full of holes after some hours. What is large, such as the content of a
    model file, lies outside of the heap until `settle_heap`, so that it leaves no hole.
    """
    _set_up_malloc({_M_ARENA_MAX: 1, _M_MMAP_THRESHOLD: _WHILE_LOADING})


def settle_heap(picture_bytes: int = 0) -> None:
    """Give back what nobody uses. From now on pictures lie on the heap. Call it once everything is loaded, and again.

    The kernel has to clear each page of a picture that lies outside: 1.5 ms of 720p, in a virtual machine. So one and a
    half pictures may stay free at the top of the heap for those that come next. That is 4 MB of 720p; four times as
    much, which it was, gives a tenth of the page faults and takes 4 MB more.

    picture_bytes  of the newest picture; 0: there is none yet
    """
    kept = round(_KEPT_PICTURES * picture_bytes) or _KEPT_AT_THE_TOP
    _set_up_malloc({_M_MMAP_THRESHOLD: _WHILE_RUNNING, _M_TRIM_THRESHOLD: kept})
    trim_heap()


def _set_up_malloc(values: Mapping[int, int]) -> None:
    """mallopt(3), of glibc alone. Other C libraries are left as they are."""
    with contextlib.suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        for name, value in values.items():
            mallopt(name, value)


def switch_threads_often() -> None:
    """Let no thread keep Python for longer than half a millisecond while another one waits for it.

    By default that is 5 ms: so long did a frame wait for a thread that wrote an event or answered a request.
    """
    sys.setswitchinterval(_SWITCH_S)


def let_garbage_lie() -> None:
    """Look for no garbage until `collect_garbage_often`: what is imported stays, and looking at it takes 30 ms."""
    gc.disable()


def collect_garbage_often() -> None:
    """Find garbage after thousands of new objects, not after a hundred thousand. Call it once everything is loaded.

    Each connection of asyncio is garbage that only the collector finds, and so is what a refused request holds: its
    body, with the picture in it. What is loaded now is never looked at again, so that a collection takes 1 ms.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, _EVERY, _EVERY)
    gc.enable()


def trim_heap() -> None:
    """Give pages of the heap on which nothing lies back to the kernel; takes about 1 ms when it is called often.

    Pictures come and go beside what stays, so that 40 MB of holes are between them after half a minute.

    Without it a process keeps the most that it ever needed, and more where what is long-lived lies between.

    source  malloc_trim(3), of glibc alone
    """
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
