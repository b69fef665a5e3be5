"""The log: on stderr."""

import logging
import sys

from vitcam.service.consoles import for_people


def start_logging(verbose: bool = False) -> None:
    """Send log records to stderr; on a terminal in such a way that they do not tear the bars."""
    root = logging.getLogger("vitcam")
    root.handlers = [_for_terminal() if sys.stderr.isatty() else _plain()]
    root.setLevel(logging.DEBUG if verbose else logging.INFO)


def _for_terminal() -> logging.Handler:
    from rich.logging import RichHandler

    handler = RichHandler(console=for_people(), show_path=False, log_time_format="%H:%M:%S", markup=False)
    handler.setFormatter(logging.Formatter("%(message)s"))
    return handler


def _plain() -> logging.Handler:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    return handler
