"""`vitcam teach`."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vitcam.cli.options import JsonOption, model_names
from vitcam.errors import VitcamError
from vitcam.folders import state_folder
from vitcam.model.files import DEFAULT
from vitcam.parts.teach.datasets.store import FOLDER
from vitcam.sentence import with_keys
from vitcam.terminal.consoles import stderr_console, stdout_console

if TYPE_CHECKING:
    from vitcam.parts.teach.progress import OnProgress, Progress


def teach(
    dataset: Annotated[
        Path, typer.Argument(help="Learn from this folder of LABEL/photo.jpg, or from a data set that was collected.")
    ],
    name: Annotated[str, typer.Option("--out", "-o", metavar="NAME", help="Give the new model this name.")],
    base: Annotated[
        str, typer.Option("--base", help="Teach this model: a name, or a .tflite file.", autocompletion=model_names)
    ] = DEFAULT,
    add_to: Annotated[
        bool, typer.Option("--add-to", help="Know the labels of the base, too. Default: these labels alone.")
    ] = False,
    versus: Annotated[
        str,
        typer.Option(
            "--versus",
            metavar="MODEL",
            help="Compare with this model, on pictures that neither has learned from.",
            autocompletion=model_names,
        ),
    ] = "",
    as_json: JsonOption = False,
) -> None:
    """Teach labels of your own from a folder of photos, on this machine and in seconds."""
    from vitcam.parts.teach.record import report_lines, report_record
    from vitcam.parts.teach.teach import Task
    from vitcam.parts.teach.teach import teach as run

    task = Task(_folder_of(dataset), name, base, add_to, versus, state_folder(os.environ))
    if as_json:
        try:
            report = run(task, lambda progress: _print({"type": "progress", **progress.record()}))
        except VitcamError as error:
            _print(with_keys({"type": "error", "error": error.sentence}))
            raise
        _print(with_keys(report_record(report)))
        return
    with _bar() as on_progress:
        report = run(task, on_progress)
    for line in report_lines(report):
        stdout_console().print(line, markup=False, highlight=False)
    stdout_console().print(f"try it: vitcam run --model {name!r}", markup=False, highlight=False)


def _folder_of(dataset: Path) -> Path:
    """A folder as it is; what is none, and is called like a data set that `vitcam collect` made, means that one."""
    state = state_folder(os.environ)
    if dataset.is_dir() or state is None or len(dataset.parts) != 1:
        return dataset
    collected = state / FOLDER / dataset
    return collected if collected.is_dir() else dataset


def _print(record: object) -> None:
    """At once: a program may read it line by line."""
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()


@contextmanager
def _bar() -> "Iterator[OnProgress]":
    """Shows progress on a terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bars

    console = stderr_console()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Bars(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        task = bars.add_task("", total=None)

        def show(progress: "Progress") -> None:
            bars.update(task, description=progress.step, completed=progress.done, total=progress.total)

        yield show
