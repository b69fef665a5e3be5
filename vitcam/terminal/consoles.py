"""The consoles on the standard streams: a result goes to stdout, everything else for people to stderr."""

import os
import sys
from functools import cache
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, ProgressColumn

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


def progress_bar(*columns: "ProgressColumn") -> "Progress":
    """A bar on stderr if that is a terminal. Stdout is not redirected, since it may be a file.

    columns  between the bar and the time that remains
    """
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    shown = (TextColumn("{task.description}"), BarColumn(), *columns, TimeRemainingColumn())
    people = stderr_console()
    return Progress(*shown, console=people, transient=True, disable=not people.is_terminal, redirect_stdout=False)


def _harmless(console: "Console") -> "Console":
    """Let the console escape control characters: names, labels and addresses are untrusted."""
    from vitcam.terminal.printable import EscapeControls

    console.push_render_hook(EscapeControls())
    return console


def _same_terminal(one: TextIO, other: TextIO) -> bool:
    if not (one.isatty() and other.isatty()):
        return False
    return os.fstat(one.fileno()).st_rdev == os.fstat(other.fileno()).st_rdev


def prepare_streams() -> None:
    """Open closed streams on /dev/null, and let no output fail because of its encoding.

    A closed descriptor would otherwise be given to the next file or socket, and be written into by libraries that
    mean stdout. ASCII becomes UTF-8, as Python itself does in the C locale by default.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, _nothing(number))
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # else it was replaced, as tests do
            ascii_only = stream.encoding.lower() in ("ascii", "us-ascii", "ansi_x3.4-1968")
            stream.reconfigure(encoding="utf-8" if ascii_only else stream.encoding, errors="backslashreplace")


def release_stdout() -> OSError | None:
    """Write what is left for stdout; returns why that failed.

    What cannot be written is dropped. The interpreter would try it once more at its end, print a message of its own,
    and end with 120.
    """
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return error
    return None


def exit_code(end: SystemExit) -> int | str | None:
    """With which code a command ends; 0 where its reader has left: `vitcam … | head` has what it wanted.

    Rich and typer end with 1 there, as if the command had failed.
    """
    return 0 if isinstance(end.__context__, BrokenPipeError) else end.code


def _nothing(number: int) -> TextIO:
    opened = os.open(os.devnull, os.O_RDWR)  # the lowest free number: this very one
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)
    return os.fdopen(number, "r" if number == 0 else "w", encoding="utf-8")
