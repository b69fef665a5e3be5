"""The log: on stderr."""

import logging
import sys

from vitcam.terminal.consoles import for_people
from vitcam.text import printable_lines


def start_logging(verbose: bool = False) -> None:
    """Send log records to stderr; on a terminal in such a way that they do not tear the bars."""
    root = logging.getLogger("vitcam")
    root.handlers = [_for_terminal() if sys.stderr.isatty() else _plain()]
    root.setLevel(logging.DEBUG if verbose else logging.INFO)


class _Printable(logging.Formatter):
    """What others called their files and labels does not steer the terminal that shows the log."""

    def format(self, record: logging.LogRecord) -> str:
        return printable_lines(super().format(record))


def _for_terminal() -> logging.Handler:
    from rich.logging import RichHandler

    handler = RichHandler(console=for_people(), show_path=False, log_time_format="%H:%M:%S", markup=False)
    handler.setFormatter(logging.Formatter("%(message)s"))
    return handler


def _plain() -> logging.Handler:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Printable("%(levelname)s %(message)s"))
    return handler
