"""`vitcam backup` and `vitcam restore`: options and help."""

from pathlib import Path
from typing import Annotated

import typer

from vitcam.cli.options import ServiceOption

ConfigFolder = Annotated[
    Path | None, typer.Option("--config", metavar="FOLDER", help="Take this folder for the configuration.")
]
StateFolder = Annotated[Path | None, typer.Option("--state", metavar="FOLDER", help="Take this folder for the state.")]
DataFolder = Annotated[
    Path | None, typer.Option("--data", metavar="FOLDER", help="Take this folder for models and data sets.")
]


def backup(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Write this file; - writes to stdout.")],
    force: Annotated[bool, typer.Option("--force", help="Write over a file that exists.")] = False,
    service: ServiceOption = False,
    config: ConfigFolder = None,
    state: StateFolder = None,
    data: DataFolder = None,
) -> None:
    """Write configuration, password, tokens, events, data sets and models into one file. A daemon may run meanwhile."""
    from vitcam.backup.places import ChosenFolders
    from vitcam.cli.backup import write_backup

    write_backup(file, ChosenFolders(config, state, data), service, force)


def restore(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Read this backup; - reads stdin.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check it, print what would change, change nothing.")
    ] = False,
    service: ServiceOption = False,
    config: ConfigFolder = None,
    state: StateFolder = None,
    data: DataFolder = None,
) -> None:
    """Put back what `vitcam backup` wrote, here or on another machine.

    The whole file is checked before anything changes. What was there is kept in folders `before-restore-…`. End the
    daemon first.
    """
    from vitcam.backup.places import ChosenFolders
    from vitcam.cli.backup import preview_restore, restore_backup

    (preview_restore if dry_run else restore_backup)(file, ChosenFolders(config, state, data), service)
