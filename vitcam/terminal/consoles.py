"""The consoles: a command's result goes to stdout, everything else for people to stderr."""

import os
import sys
from functools import cache
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console

_ENDLESS = 10_000  # columns: in a file or a pipe nothing is wrapped


@cache
def stderr_console() -> "Console":
    """For progress, warnings and errors, on stderr. There is one for the process, so that bars and lines do not mix."""
    from rich.console import Console  # 20 ms that a service, which has no terminal, need not wait

    return _harmless(Console(stderr=True, soft_wrap=True))


@cache
def stdout_console() -> "Console":
    """For results, on stdout; the same console as `stderr_console` where both are one terminal."""
    from rich.console import Console

    if _same_terminal(sys.stdout, sys.stderr):
        return stderr_console()
    wide = None if sys.stdout.isatty() or os.environ.get("COLUMNS") else _ENDLESS
    return _harmless(Console(soft_wrap=True, width=wide))


def _harmless(console: "Console") -> "Console":
    """Let the console escape control characters: names, labels and addresses are untrusted."""
    from vitcam.terminal.printable import EscapeControls

    console.push_render_hook(EscapeControls())
    return console


def _same_terminal(one: TextIO, other: TextIO) -> bool:
    if not (one.isatty() and other.isatty()):
        return False
    return os.fstat(one.fileno()).st_rdev == os.fstat(other.fileno()).st_rdev
