"""What a check of `vitcam doctor` is given, and what it answers."""

import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from vitcam.config.settings import Settings

Grade = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check saw."""

    status: Grade
    found: str
    """One line."""
    fix: str = ""
    """Exactly what to do or type; empty when all is well."""


@dataclass(frozen=True, slots=True)
class Check:
    """A finding under the name of its check."""

    name: str
    status: Grade
    found: str
    fix: str


@dataclass(frozen=True, slots=True)
class Place:
    """The machine and the settings that are examined."""

    settings: Settings
    environ: Mapping[str, str]
    root: Path = Path("/")
    """Where /proc, /sys and /dev hang."""

    @property
    def board(self) -> str:
        """What the device tree calls the machine, such as `Raspberry Pi 5 Model B Rev 1.0`; empty on a PC."""
        return read_text(self.root / "proc/device-tree/model").rstrip("\0")

    @property
    def is_pi(self) -> bool:
        return "Raspberry Pi" in self.board


Examination = Callable[[Place], Finding]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended."""

    code: int | None
    """Exit status, negative for a signal; None: it did not end in time."""
    out: str
    err: str

    @property
    def last_words(self) -> str:
        """The last line of stderr: of a Python traceback, the error."""
        lines = self.err.strip().splitlines()
        return lines[-1] if lines else f"exit status {self.code}"


def read_text(path: Path) -> str:
    """What a file of /proc or /sys says; empty when it is not there or not for us."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def run_bounded(command: Sequence[str], timeout_s: float) -> Outcome:
    """Run a command that may hang, even unkillably in a driver; raises FileNotFoundError if there is none."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        out, err = child.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        _abandon(child)
        return Outcome(None, "", f"did not answer within {timeout_s:g} s")
    except KeyboardInterrupt:  # sent to this process alone, it would leave the child behind
        _abandon(child)
        raise
    return Outcome(child.returncode, out.decode(errors="replace"), err.decode(errors="replace"))


def _abandon(child: "subprocess.Popen[bytes]") -> None:
    """Kill it, and leave it behind if even that does not end it: subprocess.run would wait for ever."""
    child.kill()
    for pipe in (child.stdout, child.stderr):
        if pipe is not None:
            pipe.close()
    with suppress(subprocess.TimeoutExpired):
        child.wait(1)
