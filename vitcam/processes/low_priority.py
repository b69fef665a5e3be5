"""A command that gets only the processor time that nobody else wants."""

import os
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

_NICEST = 19


def start_low_priority(command: Sequence[str], words: int) -> "subprocess.Popen[bytes]":
    """Start a command that reads a pipe. What the kernel or a service manager forbids of the below is left out.

    Priority and policy hold for the threads that it starts later: a command that first waits for its input has none
    before. When memory runs out, it is killed before the daemon.

    words    file descriptor that gets what it says on stderr
    raises   OSError if it cannot be started
    source   sched(7): SCHED_IDLE, autogroup
    """
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=words,
        env={name: value for name, value in os.environ.items() if not name.startswith("VITCAM_")},
        # Ctrl-C is for the daemon. In a session of its own the encoder would be a rival of equal rights: Linux shares
        # the processor between sessions first (sched(7): autogroup), and then SCHED_IDLE makes way only later
        process_group=0,
    )
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, process.pid, _NICEST)
    with suppress(OSError):
        os.sched_setscheduler(process.pid, os.SCHED_IDLE, os.sched_param(0))
    with suppress(OSError):
        Path(f"/proc/{process.pid}/oom_score_adj").write_text("1000")
    return process
