"""A command that gets a signal before one of its steps on the disk: a file that it makes, renames or removes."""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_RUN = """
import atexit, os, sys
folder, step, number, done = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), [0]
changes = {"os.rename", "os.link", "os.mkdir", "os.rmdir", "os.remove", "os.truncate", "os.chmod", "os.utime"}

def watch(event, given):
    if event == "open":
        is_step = isinstance(given[0], str) and given[2] & (os.O_WRONLY | os.O_RDWR) and given[0].startswith(folder)
    elif event == "ctypes.dlsym":
        is_step = given[1] == "renameat2"
    else:
        is_step = event in changes and str(given[0]).startswith(folder)
    if is_step:
        done[0] += 1
        if done[0] == step:
            os.kill(os.getpid(), number)

sys.addaudithook(watch)
atexit.register(lambda: print("steps:", done[0], file=sys.stderr))
sys.argv = ["vitcam", *sys.argv[4:]]
from vitcam.cli import main
main()
"""


@dataclass(frozen=True)
class Stepped:
    """How a command ended."""

    code: int
    """Negative: the signal that ended it."""
    err: str

    @property
    def steps(self) -> int:
        """How many it took, if it came to its end."""
        return int(self.err.rpartition("steps: ")[2])


def stepped(folder: Path, step: int, number: signal.Signals, *arguments: str, **environment: str) -> Stepped:
    """Run `vitcam` and send it a signal at a step in a folder; 0: at none."""
    command = [sys.executable, "-c", _RUN, str(folder), str(step), str(int(number)), *arguments]
    ended = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=120)
    return Stepped(ended.returncode, ended.stderr)
