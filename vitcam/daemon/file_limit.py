"""How many files the process may have open."""

import contextlib
import resource


def allow_many() -> None:
    """Raise the soft limit to the hard one: 1,024 is meant for programs that use select(), and no part of ours does."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):  # "unlimited" is more than some kernels give; the old limit holds
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
