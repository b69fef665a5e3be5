"""`vitcam datasets …`."""

import json
from dataclasses import asdict
from typing import Annotated

import typer

from vitcam.cli.options import JsonOption, StateOptions
from vitcam.parts.teach.datasets.store import FOLDER, DataSets
from vitcam.terminal.consoles import stderr_console, stdout_console
from vitcam.terminal.verbs import grouped

datasets = typer.Typer(
    help="List and delete pictures that were collected, or that wait to be named.", no_args_is_help=True
)
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
def inbox(
    clear: Annotated[bool, typer.Option("--clear", help="Delete all of these pictures for good.")] = False,
    as_json: JsonOption = False,
    *,
    state: StateOptions,
) -> None:
    """List the pictures that wait to be named on the page, the most informative first."""
    from vitcam.parts.teach.inbox.store import Inbox, InboxLimits
    from vitcam.wire import rfc3339

    place = state.owned_folder()
    with place.acting() as folder:
        waiting = Inbox(folder, InboxLimits(0, 0.0))
        if clear:
            stderr_console().print(f"{waiting.clear()} pictures are deleted.", highlight=False)
            return
        found = waiting.entries()
    console = stdout_console()
    for each in found:
        guesses = [{"label": guess.label, "p": guess.p} for guess in each.top]
        if as_json:
            record = {"id": each.id, "why": each.why, "time": rfc3339(each.taken_ms / 1000), "top": guesses}
            console.print_json(json.dumps(record | {"label": each.label}), indent=None)
            continue
        said = each.label or ", ".join(f"{guess.label} {guess.p:.0%}" for guess in each.top[:3])
        console.print(f"{each.id}: {each.why}, {said}", markup=False, highlight=False)
    if not as_json:
        size = sum(each.size for each in found) / 2**20
        console.print(f"{len(found)} pictures, {size:.1f} MB in {place.folder / waiting.folder.name}", highlight=False)


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
