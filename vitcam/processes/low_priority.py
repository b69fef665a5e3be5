"""A command that gets only the processor time that nobody else wants."""

import os
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_NICEST = 19


class LowPriority(NamedTuple):
    """A command that was started."""

    process: "subprocess.Popen[bytes]"
    lowered: bool
    """False: its priority is that of the daemon, because a service manager forbids to change any."""


def start_low_priority(command: Sequence[str], words: int) -> LowPriority:
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
    lowered = False
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, process.pid, _NICEST)
        lowered = True
    with suppress(OSError):
        os.sched_setscheduler(process.pid, os.SCHED_IDLE, os.sched_param(0))
    with suppress(OSError):
        Path(f"/proc/{process.pid}/oom_score_adj").write_text("1000")
    return LowPriority(process, lowered)
