"""How the command lines of commands.txt end in one checkout: exit code, both outputs, and the files that they write."""

import hashlib
import json
import shlex
from pathlib import Path
from typing import Any

from tests.same_behaviour import prepared
from tests.same_behaviour.differences import masked, without
from tests.same_behaviour.side import Side

FILE = Path(__file__).with_name("commands.txt")
CHANGING = ("time", "ms.*", "seconds")
"""Of lines of JSON: only the type of these is compared."""
HIDDEN = {
    r"\d+(\.\d+)? m?s\b": "{time}",
    r"\[\d\d/\d\d/\d\d \d\d:\d\d:\d\d\]": "{time}",
    r"on \S+, \d{4}-\S+;": "on {host}, {time};",
    r"before-restore-[\w:-]+": "before-restore-{time}",
    r"WARNING The clock of this machine says .*\n": "",
}
"""Regular expression -> what stands in its place. The last one comes from a thread that not every run waits for."""
_BACKUPS = {".tar", ".zip"}


def command_lines() -> list[str]:
    """All of the file, without comments."""
    lines = FILE.read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def endings(side: Side, home: Path) -> dict[str, Any]:
    """By number and command line, how it ends. home: an empty folder."""
    prepared.make(home)
    found = {}
    for number, line in enumerate(command_lines(), 1):
        command, _, source = line.partition(" < ")
        stdin = (home / source).read_bytes() if source else b""
        before = _written(home)
        ended = side.child(home, "run", *_words(command, home), stdin=stdin)
        written = {name: digest for name, digest in _written(home).items() if before.get(name) != digest}
        found[f"{number}. {line}"] = {
            "exit code": ended.code,
            "stdout": _lines(side, home, ended.out),
            "stderr": _lines(side, home, ended.err),
            "written": written,
        }
    return found


def _words(command: str, home: Path) -> list[str]:
    """As a shell splits it; a pattern with a star becomes the files that it names."""
    words = []
    for word in shlex.split(command):
        files = sorted(str(path.relative_to(home)) for path in home.glob(word)) if "*" in word else []
        words += files or [word]
    return words


def _lines(side: Side, home: Path, output: bytes) -> Any:
    """A list of records where it is lines of JSON, else the text."""
    text = side.without_names(output.decode(errors="replace"), {str(home): "{home}"})
    try:
        return [without(json.loads(line), CHANGING) for line in text.splitlines()]
    except ValueError:
        return masked(text, HIDDEN)


def _written(home: Path) -> dict[str, str]:
    """What is in out/: of archives, whose members have times, only the name."""
    files = sorted(path for path in (home / "out").rglob("*") if path.is_file())
    return {
        str(path.relative_to(home)): "" if path.suffix in _BACKUPS else hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }
