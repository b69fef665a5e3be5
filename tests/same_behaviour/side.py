"""One of the two checkouts that are compared: its interpreter, and how its programs are run."""

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CHILD = Path(__file__).with_name("child.py")
_TIMEOUT_S = 120


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended."""

    code: int | None
    out: bytes
    err: bytes


@dataclass(frozen=True, slots=True)
class Side:
    """A checkout."""

    python: str
    """The interpreter of its virtual environment."""
    root: Path
    version: str

    @classmethod
    def of(cls, python: str, home: Path) -> "Side":
        """The checkout that an interpreter belongs to. home: a folder for its children."""
        absolute = os.path.abspath(python)  # noqa: PTH100 - a link of a virtual environment is not followed
        root, version = json.loads(_run([absolute, "-P", str(CHILD), "where"], home).out)
        return cls(absolute, Path(root), version)

    def ask(self, home: Path, *task: str) -> Any:
        """What `child.py` prints. Raises AssertionError if it fails."""
        ended = self.child(home, *task)
        assert ended.code == 0, f"{self.root}: {' '.join(task)}: {ended.err.decode(errors='replace')}"
        return json.loads(ended.out)

    def child(self, home: Path, *task: str, stdin: bytes = b"") -> Ended:
        """Run `child.py` in `home`, with nothing of this user's own configuration and state."""
        return _run([self.python, "-P", str(CHILD), *task], home, stdin)

    def without_names(self, text: str, names: Mapping[str, str]) -> str:
        """A text in which what differs between any two checkouts has a name of its own: folders, ports, the version.

        names  what is replaced as well, the longest first
        """
        known = {**names, str(self.root): "{checkout}", self.version: "{version}"}
        for found in sorted(known, key=len, reverse=True):
            text = text.replace(found, known[found])
        return text


def surroundings(home: Path) -> dict[str, str]:
    """The environment of a user who lives in `home` and has set nothing."""
    folders = {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("CONFIG", "STATE", "DATA", "CACHE")}
    fixed = {"TERM": "dumb", "COLUMNS": "120", "TZ": "UTC", "LANG": "C.UTF-8", "NO_COLOR": "1", "PYTHONWARNINGS": ""}
    return {"PATH": os.environ["PATH"], "HOME": str(home), **folders, **fixed}


def _run(command: list[str], home: Path, stdin: bytes = b"") -> Ended:
    """An exit code of None means that it did not end in time."""
    try:
        done = subprocess.run(
            command, input=stdin, capture_output=True, timeout=_TIMEOUT_S, env=surroundings(home), cwd=home
        )
    except subprocess.TimeoutExpired:
        return Ended(None, b"", b"")
    return Ended(done.returncode, done.stdout, done.stderr)
