"""What goes to stdout (machines) and to stderr (people)."""

import logging
import sys
from typing import TextIO

from rich.console import Console
from rich.logging import RichHandler

from vitcam.service.settings import LogSettings
from vitcam.sinks.console import RichConsole
from vitcam.sinks.jsonl import JsonLines
from vitcam.sinks.sink import Sink


def for_people() -> Console:
    """The console on stderr."""
    return Console(stderr=True, soft_wrap=True)


def wants_json(settings: LogSettings, out: TextIO) -> bool:
    """Whether lines for machines are due: asked for, or nobody sits at the other end."""
    return settings.format == "json" or (settings.format == "auto" and not out.isatty())


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


def build_sink(settings: LogSettings, console: Console, every_by_default: bool) -> Sink:
    """The console's sink.

    every_by_default  what `emit = auto` means here: every prediction for files, changes for what is live
    """
    every = settings.emit == "all" or (settings.emit == "auto" and every_by_default)
    if wants_json(settings, sys.stdout):
        return JsonLines(sys.stdout, every)
    return RichConsole(console, every)
