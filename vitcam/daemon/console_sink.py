"""Chooses the console's sink: bars for people, or JSON lines on stdout."""

import sys
from typing import Protocol, TextIO

from vitcam.config.settings import LogSettings
from vitcam.sinks.jsonl import JsonLines
from vitcam.sinks.sink import Sink
from vitcam.terminal.consoles import stderr_console


class ConsoleSink(Sink, Protocol):
    """A sink that shows every prediction, or changes only."""

    every: bool


def wants_json(settings: LogSettings, out: TextIO) -> bool:
    """Whether JSON lines are written: they were asked for, or the output is not a terminal."""
    return settings.format == "json" or (settings.format == "auto" and not out.isatty())


def prints_every(settings: LogSettings, every_by_default: bool) -> bool:
    """Whether every prediction is printed, not only changes.

    every_by_default  meaning of `emit = auto`: True for files
    """
    return settings.emit == "all" or (settings.emit == "auto" and every_by_default)


def build_sink(settings: LogSettings, every_by_default: bool, labels: tuple[str, ...]) -> ConsoleSink:
    """The console's sink.

    every_by_default  as in `prints_every`
    labels            of the model
    """
    every = prints_every(settings, every_by_default)
    if wants_json(settings, sys.stdout):
        return JsonLines(sys.stdout, every)
    from vitcam.sinks.console import RichConsole

    return RichConsole(stderr_console(), every, labels)
