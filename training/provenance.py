"""Where a figure or a model was made: the commit of this code, and the machine."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path


def revision() -> str:
    """The git commit of the checkout that this file lies in; empty where it was installed from a wheel."""
    here = Path(__file__).parent
    command = ["git", "-C", str(here), "rev-parse", "--short", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def processor() -> str:
    """The name of the machine's processor, as its kernel has it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith(("model name", "Model"))]
    return names[0] if names else platform.machine()


def machine() -> str:
    """The processor and the number of its cores that this process may use."""
    cores = len(os.sched_getaffinity(0))
    return f"{processor()}, {cores} core{'s' * (cores > 1)}"
