"""Where words go: a command's result to stdout, everything else that people are told to stderr."""

import os
import sys
from functools import cache
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console

_ENDLESS = 10_000  # columns: in a file or a pipe nothing is wrapped


@cache
def for_people() -> "Console":
    """For progress, warnings and refusals: on stderr. One for the whole process, or bars and lines tear each other."""
    from rich.console import Console  # 20 ms that a service, whose output nobody sees, need not wait

    return _obeyed_by_nobody(Console(stderr=True, soft_wrap=True))


@cache
def for_results() -> "Console":
    """For what was asked for: on stdout; where that is the terminal of `for_people`, the same console."""
    from rich.console import Console

    if _same_terminal(sys.stdout, sys.stderr):
        return for_people()
    wide = None if sys.stdout.isatty() or os.environ.get("COLUMNS") else _ENDLESS
    return _obeyed_by_nobody(Console(soft_wrap=True, width=wide))


def _obeyed_by_nobody(console: "Console") -> "Console":
    """What is printed by it may hold names, labels and addresses of others: they do not steer the terminal."""
    from vitcam.terminal.printable import OnlyPrintable

    console.push_render_hook(OnlyPrintable())
    return console


def _same_terminal(one: TextIO, other: TextIO) -> bool:
    if not (one.isatty() and other.isatty()):
        return False
    return os.fstat(one.fileno()).st_rdev == os.fstat(other.fileno()).st_rdev
