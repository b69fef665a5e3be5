"""Limits that the daemon raises for itself, and those that a child sets for itself before it reads untrusted data."""

import contextlib
import os
import resource
from pathlib import Path

_NONE = (0, 0)


def allow_many_files() -> None:
    """Raise the soft limit of open files to the hard one: the usual 1,024 is for programs that use select()."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):  # "unlimited" is more than some kernels give; the old limit holds
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


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


def be_quiet() -> None:
    """Send stderr to /dev/null: libraries print there what is wrong with a picture."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    os.close(null)
