"""The log, on stderr.

An unexpected error is logged with its stack. A file, the journal and a verbose terminal show it. A person at a terminal
who did not ask for more reads one sentence instead.
"""

import logging
import sys

from vitcam.errors import TOLD_ELSEWHERE
from vitcam.terminal.consoles import stderr_console
from vitcam.text import printable_lines


def start_logging(verbose: bool = False) -> None:
    """Send log records to stderr. On a terminal they appear above the bars.

    verbose  log at level DEBUG; show stacks on a terminal, too
    """
    root = logging.getLogger("vitcam")
    root.handlers = [_for_terminal(verbose) if sys.stderr.isatty() else _plain()]
    root.setLevel(logging.DEBUG if verbose else logging.INFO)


class _EscapingFormatter(logging.Formatter):
    """Escapes control characters in names of files and labels, so that they cannot steer a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        return printable_lines(super().format(record))


class _WithoutStack(logging.Formatter):
    """The message alone."""

    def format(self, record: logging.LogRecord) -> str:
        return record.getMessage()


def _for_terminal(verbose: bool) -> logging.Handler:
    from rich.logging import RichHandler

    handler = RichHandler(console=stderr_console(), show_path=False, log_time_format="%H:%M:%S", markup=False)
    handler.setFormatter(logging.Formatter("%(message)s") if verbose else _WithoutStack())
    if not verbose:
        handler.addFilter(_is_told_here)
    return handler


def _is_told_here(record: logging.LogRecord) -> bool:
    return not any(hasattr(record, name) for name in TOLD_ELSEWHERE)


def _plain() -> logging.Handler:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_EscapingFormatter("%(levelname)s %(message)s"))
    return handler
