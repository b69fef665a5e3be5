"""`vitcam datasets …`."""

import json
from dataclasses import asdict
from typing import Annotated

import typer

from vitcam.cli.options import JsonOption, StateOptions
from vitcam.datasets.store import FOLDER, DataSets
from vitcam.terminal.consoles import stderr_console, stdout_console
from vitcam.terminal.verbs import grouped

datasets = typer.Typer(help="List and delete the pictures that were collected.", no_args_is_help=True)
_ANY_MB = float("inf")


@datasets.command("list")
@grouped
def list_(as_json: JsonOption = False, *, state: StateOptions) -> None:
    """List the data sets, their labels and how many pictures each has."""
    place = state.owned_folder()
    with place.acting() as folder:
        found = DataSets(folder, _ANY_MB).all()
    console = stdout_console()
    for each in found:
        if as_json:
            console.print_json(json.dumps(asdict(each)), indent=None)
            continue
        labels = ", ".join(f"{label} {count}" for label, count in each.labels.items()) or "no pictures"
        where = place.folder / FOLDER / each.name
        console.print(f"{each.name}: {labels}; {each.bytes / 2**20:.1f} MB in {where}", highlight=False)
    if not found and not as_json:
        console.print("There are no data sets. `vitcam collect LABEL` makes one.")


@datasets.command()
@grouped
def delete(
    name: Annotated[str, typer.Argument(help="Delete this data set, with all of its pictures.")],
    label: Annotated[str, typer.Option("--label", help="Delete only the pictures of this label.")] = "",
    *,
    state: StateOptions,
) -> None:
    """Delete a data set for good."""
    with state.owned_folder().acting() as folder:
        DataSets(folder, _ANY_MB).delete(name, label)
    stderr_console().print(f"{label or name} is deleted.", highlight=False)
