"""The command line as its user has it: a process, its two outputs, its exit code."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_TIMEOUT_S = 120


@dataclass(frozen=True)
class Result:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        """What it said to machines."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def sentence(self) -> str:
        """Its last word to people."""
        return self.err.strip().splitlines()[-1]


def vitcam(*arguments: str, stdin: bytes = b"", cwd: Path | None = None, **environment: str) -> Result:
    """Run `vitcam` to its end, with nothing of this machine's own configuration."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("VITCAM_")}
    env |= {"XDG_CONFIG_HOME": "/nonexistent", "TERM": "dumb", "COLUMNS": "200"} | environment
    done = subprocess.run(
        [sys.executable, "-m", "vitcam", *arguments],
        input=stdin,
        capture_output=True,
        timeout=_TIMEOUT_S,
        env=env,
        cwd=cwd,
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())
