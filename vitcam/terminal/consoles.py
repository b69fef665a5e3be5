"""Where words go: a command's result to stdout, everything else that people are told to stderr."""

import os
import sys
from functools import cache
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console

_ENDLESS = 10_000  # columns: in a file or a pipe nothing is wrapped


@cache
def stderr_console() -> "Console":
    """For progress, warnings and refusals: on stderr. One for the whole process, or bars and lines tear each other."""
    from rich.console import Console  # 20 ms that a service, whose output nobody sees, need not wait

    return _harmless(Console(stderr=True, soft_wrap=True))


@cache
def stdout_console() -> "Console":
    """For what was asked for: on stdout; where that is the terminal of `for_people`, the same console."""
    from rich.console import Console

    if _same_terminal(sys.stdout, sys.stderr):
        return stderr_console()
    wide = None if sys.stdout.isatty() or os.environ.get("COLUMNS") else _ENDLESS
    return _harmless(Console(soft_wrap=True, width=wide))


def _harmless(console: "Console") -> "Console":
    """What is printed by it may hold names, labels and addresses of others: they do not steer the terminal."""
    from vitcam.terminal.printable import EscapeControls

    console.push_render_hook(EscapeControls())
    return console


def _same_terminal(one: TextIO, other: TextIO) -> bool:
    if not (one.isatty() and other.isatty()):
        return False
    return os.fstat(one.fileno()).st_rdev == os.fstat(other.fileno()).st_rdev
