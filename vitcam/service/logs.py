"""What people are told: on stderr, and only there."""

import logging
import sys

from rich.console import Console
from rich.logging import RichHandler


def for_people() -> Console:
    """The console on stderr."""
    return Console(stderr=True, soft_wrap=True)


def start_logging(console: Console, verbose: bool = False) -> None:
    """Send log records to the same console that the bars are drawn on, so that neither tears the other."""
    if console.is_terminal:
        handler: logging.Handler = RichHandler(
            console=console, show_path=False, log_time_format="%H:%M:%S", markup=False
        )
        handler.setFormatter(logging.Formatter("%(message)s"))
    else:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    root = logging.getLogger("vitcam")
    root.handlers = [handler]
    root.setLevel(logging.DEBUG if verbose else logging.INFO)
