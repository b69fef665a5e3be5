"""What a process that does one run must do before all else."""

import ctypes
import signal

PR_SET_PDEATHSIG = 1  # linux/prctl.h


def end_with_parent() -> None:
    """From now on this process ends when the one that started it ends, however that happens."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
