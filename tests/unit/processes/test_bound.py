import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.eventually import eventually

PARENT = """
import subprocess, sys, time
from vitcam.processes.bound import command
print(subprocess.Popen(command(*sys.argv[1:])).pid, flush=True)
time.sleep(60)
"""


def test_a_command_that_says_nothing_ends_with_the_process_that_began_it(tmp_path: Path) -> None:
    command = ("run", "--source", "demo", "--loop", "--no-web")
    environ = {**os.environ, "STATE_DIRECTORY": str(tmp_path)}
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environ,
        text=True,
    )
    assert parent.stdout is not None
    with parent.stdout as out:
        pid = int(out.readline())
        eventually(lambda: b"demo" in Path(f"/proc/{pid}/cmdline").read_bytes(), 10)
        eventually(lambda: out.readline(), 60)  # it runs: a prediction was printed
        niceness = os.getpriority(os.PRIO_PROCESS, pid)
        parent.send_signal(signal.SIGKILL)
        parent.wait(10)
    eventually(lambda: not Path(f"/proc/{pid}/status").exists(), 10)

    assert niceness == min(19, os.nice(0) + 10)
