"""A daemon whose network, name servers or file systems are others than the machine's; only root can arrange that."""

import os
import subprocess
import sys
from pathlib import Path

from tests.needs import missing, need_program


def wrapped(folder: Path, arrange: str, *unshare: str) -> str:
    """An interpreter that runs in namespaces of its own, for `daemon(python=…)`.

    folder   where the script may be written
    arrange  lines of shell that run first, in the namespaces
    unshare  options of unshare(1), such as `--mount`
    """
    need_namespaces(*unshare)
    inner, outer = folder / "inside.sh", folder / "python.sh"
    inner.write_text(f'#!/bin/sh\nset -e\n{arrange}\nexec {sys.executable} "$@"\n')
    outer.write_text(f'#!/bin/sh\nexec unshare {" ".join(unshare)} {inner} "$@"\n')
    for script in (inner, outer):
        script.chmod(0o755)
    return str(outer)


def need_namespaces(*unshare: str) -> None:
    """Skip, or fail, where this user may not make namespaces or mount."""
    need_program("unshare")
    tried = subprocess.run(["unshare", *unshare, "true"], capture_output=True, timeout=60)
    if os.geteuid() != 0 or tried.returncode:
        missing("this needs root and namespaces (unshare)")
