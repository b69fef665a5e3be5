"""`python -m vitcam.processes.bound PARENT ARGUMENT…`: the command `vitcam`, which ends where its parent does.

Also where that is killed. It runs at low priority, so that a camera goes first.

source  prctl(2), PR_SET_PDEATHSIG: the kernel kills it when the thread that made it is gone
"""

import ctypes
import os
import runpy
import signal
import sys

from vitcam.processes.resources import step_behind

_SET_DEATH_SIGNAL = 1


def command(*arguments: str) -> list[str]:
    """What the parent runs for `vitcam ARGUMENT…`, in the thread that waits for it."""
    return [sys.executable, "-P", "-m", __name__, str(os.getpid()), *arguments]


def _bind(parent: int) -> None:
    ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it was killed before
        sys.exit(1)
    step_behind()


if __name__ == "__main__":
    _bind(int(sys.argv[1]))
    sys.argv = ["vitcam", *sys.argv[2:]]
    runpy.run_module("vitcam", run_name="__main__")
