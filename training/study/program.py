"""How a study is run: `python -m vitcam_training.study.NAME`, with the log, the refusals and exit codes of a verb."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable

import typer

from vitcam_training.cli import HELP_NAMES, begin, interruptible, run


def program(study: Callable[..., None]) -> typer.Typer:
    """The command line of a study: the options of this function, and its docstring as the help."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, context_settings=HELP_NAMES)
    app.command()(interruptible(study))
    return app


def start(app: typer.Typer, name: str) -> None:
    """Run it. What happens inside is logged, too: studies are for people who look at the code."""
    begin(verbose=True)
    run(app, name)


def as_given(package: str) -> str:
    """The command line, for pages that say how they were made."""
    return shlex.join(["python", "-m", package, *sys.argv[1:]])
