"""What people are told: on stderr, and only there."""

import logging
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def for_people() -> "Console":
    """The console on stderr."""
    from rich.console import Console  # 20 ms that a service, whose output nobody sees, need not wait

    return Console(stderr=True, soft_wrap=True)


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
