"""Limits that a child puts on itself before it touches what others have sent."""

import os
import resource
from contextlib import suppress
from pathlib import Path

_NONE = (0, 0)


def confine(memory_mb: int, files: int) -> None:
    """Take away from this process what it does not need; nothing gives it back. Call once all is imported.

    memory_mb  it may have so much memory of its own; what is shared with its parent does not count
    files      it may have so many descriptors
    """
    limits = {
        resource.RLIMIT_DATA: (memory_mb << 20, memory_mb << 20),
        resource.RLIMIT_NOFILE: (files, files),
        resource.RLIMIT_FSIZE: _NONE,
        resource.RLIMIT_NPROC: _NONE,  # neither another process nor another thread
        resource.RLIMIT_CORE: _NONE,
    }
    for name, values in limits.items():
        with suppress(PermissionError):  # where a service manager forbids the call, it has limits of its own
            resource.setrlimit(name, values)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")  # when memory runs out, this process goes first


def be_quiet() -> None:
    """Let libraries that print what is wrong with a picture print it to nobody."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)
