"""`vitcam collect`."""

import time
from typing import Annotated, Any

import typer

from vitcam.cli.options import StateOptions
from vitcam.errors import UsageError, VitcamError
from vitcam.parts.teach.datasets.store import MINE
from vitcam.terminal.verbs import grouped

_LOOK_S = 0.5


@grouped
def collect(
    label: Annotated[str, typer.Argument(help="Name the thing that the camera sees.", show_default=False)],
    count: Annotated[int | None, typer.Option("--count", min=1, help="Take this many pictures.")] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", help="Take pictures for this long. Default: ten seconds.")
    ] = None,
    dataset: Annotated[str, typer.Option("--dataset", metavar="NAME", help="Put them into this data set.")] = MINE,
    zone: Annotated[str | None, typer.Option("--zone", metavar="NAME", help="Take what the model sees there.")] = None,
    whole: Annotated[bool, typer.Option("--whole", help="Keep the whole frame beside each picture.")] = False,
    *,
    state: StateOptions,
) -> None:
    """Collect pictures of a thing through the running daemon, to teach a model with them.

    Turn and move the thing: frames that look like one that was taken are left out.
    """
    from vitcam.cli.running import running
    from vitcam.terminal.consoles import stderr_console, stdout_console

    if count is not None and seconds is not None:
        raise UsageError("--count and --seconds were both given; give one of them")
    wanted = {"label": label, "dataset": dataset, "zone": zone, "count": count, "seconds": seconds, "whole": whole}
    with running(state.owned_folder()) as daemon, stderr_console().status(f"collecting {label} …"):
        found = daemon.ask("POST", "/api/collect", wanted)
        try:
            while found["active"]:
                time.sleep(_LOOK_S)
                found = daemon.ask("GET", "/api/collect")
        except BaseException:  # Ctrl-C, too: what was taken is kept
            daemon.ask("DELETE", "/api/collect")
            raise
    stdout_console().print(_told(found), highlight=False)
    if found["trouble"] or not found["taken"]:
        raise VitcamError(found["trouble"] or "no picture was taken: the camera gave none, or no zone has this name")


def _told(found: dict[str, Any]) -> str:
    alike = f"; {found['alike']} that looked the same were left out" if found["alike"] else ""
    return f"{found['taken']} pictures of {found['label']} are in the data set {found['dataset']}{alike}"
