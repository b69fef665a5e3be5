"""How a study is run: `python -m vitcam_training.study.NAME`, with the log, the refusals and exit codes of a verb."""

from __future__ import annotations

import shlex
import sys
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path

import typer

from vitcam_training.cli import HELP_NAMES, begin, interruptible, run

COLUMNS = 120


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


def write_markdown(path: Path, parts: Sequence[str]) -> None:
    """Write a page of Markdown. Lines of prose and of lists have at most `COLUMNS` characters."""
    blocks = "\n\n".join(parts).split("\n\n")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n\n".join(map(_wrapped, blocks)) + "\n", encoding="utf-8")


def _wrapped(block: str) -> str:
    """A paragraph or a list; headings, tables, pictures and code stay as they are."""
    if block.startswith(("#", "|", "!", "`" * 3, " " * 4)):
        return block
    items = block.splitlines() if block.startswith("- ") else [" ".join(block.split())]
    return "\n".join(
        textwrap.fill(
            item,
            COLUMNS,
            subsequent_indent="  " * item.startswith("- "),
            break_long_words=False,
            break_on_hyphens=False,
        )
        for item in items
    )
