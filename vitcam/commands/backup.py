"""`vitcam backup` and `vitcam restore`: their options, what they do, and what they print."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from vitcam.backup.manifest import Manifest
    from vitcam.backup.places import CarriedFolder, ChosenFolders
    from vitcam.backup.restoring import RestorePlan

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
    config: ConfigFolder = None,
    state: StateFolder = None,
    data: DataFolder = None,
) -> None:
    """Write configuration, password, tokens, events, data sets and models into one file.

    Root writes those of the service, if this machine has one; everybody else writes their own. A daemon may run.
    """
    from vitcam.backup.archive_writer import write_archive
    from vitcam.backup.found_files import find_files
    from vitcam.backup.output import backup_file, check_output
    from vitcam.backup.places import ChosenFolders, carried_folders, has_service, service_instances

    service = _is_root() and has_service()
    places = carried_folders(ChosenFolders(config, state, data), os.environ, service, service_instances())
    check_output(file, places, force)
    found, notes = find_files(places)
    expected = sum(each.path.lstat().st_size for each in found if each.path.exists())
    with _progress("writing", expected) as progress, backup_file(file, force) as (out, room):
        manifest = write_archive(found, service, out, room, progress)
    for note in notes:
        _tell(note)
    _tell(f"wrote {'the backup' if file == '-' else file}: {_amount(manifest)}")
    _tell("it holds secrets (the password's hash, passwords of cameras): keep it where only you can read it")


def restore(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Read this backup; - reads stdin.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check it, print what would change, change nothing.")
    ] = False,
    config: ConfigFolder = None,
    state: StateFolder = None,
    data: DataFolder = None,
) -> None:
    """Put back what `vitcam backup` wrote, here or on another machine.

    The whole file is checked before anything changes. What was there is kept in a folder `before-restore-…`. Stop the
    daemon first.
    """
    from vitcam.backup.archive_reader import open_archive
    from vitcam.backup.places import ChosenFolders
    from vitcam.backup.restoring import check_room, plan_restore
    from vitcam.backup.restoring import restore as put_back

    chosen = ChosenFolders(config, state, data)
    with open_archive(file) as archive:
        manifest = archive.manifest
        places = _targets(chosen, manifest)
        plan = plan_restore(manifest, places)
        if dry_run:
            with _progress("checking", manifest.size) as progress:
                for _, content in archive.files():
                    for chunk in content:
                        progress(len(chunk))
            _show_plan(manifest, plan)
            return
        _refuse_beside_a_daemon(places)
        check_room(manifest, plan)
        with _progress("restoring", manifest.size) as progress:
            kept = put_back(archive, plan, progress)
    _tell_left_out(plan)
    _tell(f"restored {_amount(manifest)}, as {manifest.host} had it on {manifest.date}")
    for folder in kept:
        _tell(f"what was there before lies in {folder}; delete it once all is well")


def _targets(chosen: "ChosenFolders", manifest: "Manifest") -> "tuple[CarriedFolder, ...]":
    """Where the files go. Root restores a backup of the service even before the service has run here."""
    from vitcam.backup.places import carried_folders, has_service

    service = _is_root() and (manifest.service or has_service())
    return carried_folders(chosen, os.environ, service, {file.place for file in manifest.files})


def _refuse_beside_a_daemon(places: "tuple[CarriedFolder, ...]") -> None:
    from vitcam.backup.places import STATE
    from vitcam.backup.running import running_daemon
    from vitcam.errors import VitcamError

    for place in places:
        if place.name.startswith(STATE) and (process := running_daemon(place.folder)):
            raise VitcamError(
                f"a daemon (process {process}) uses {place.folder}; end it first (the service: `sudo systemctl stop "
                "vitcam`), and start it again afterwards"
            )


def _show_plan(manifest: "Manifest", plan: "RestorePlan") -> None:
    """On stdout: this is what was asked for."""
    from vitcam.backup.preview import planned_changes
    from vitcam.terminal.consoles import stdout_console

    console = stdout_console()
    for change in planned_changes(manifest, plan):
        more = f" ({_files(change.files, change.size)})" if change.files else ""
        console.print(f"{change.what:<10} {change.path}{more}", markup=False, highlight=False)
    _tell_left_out(plan)
    _tell(f"{_amount(manifest)}, written by vitcam {manifest.vitcam} on {manifest.host}, {manifest.date}; all checked")


def _tell_left_out(plan: "RestorePlan") -> None:
    names = sorted({file.place for file in plan.left_out})
    if names:
        count = len(plan.left_out)
        _tell(
            f"{count:,} {'file was' if count == 1 else 'files were'} left out, because there is no place for "
            f"{', '.join(names)} here; name a folder with --config, --state or --data, run this as root, or install a "
            "newer vitcam"
        )


@contextmanager
def _progress(what: str, size: int) -> Iterator[Callable[[int], None]]:
    """A bar on stderr if that is a terminal; gets bytes."""
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    from vitcam.terminal.consoles import stderr_console

    people = stderr_console()
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(
        *columns, console=people, transient=True, disable=not people.is_terminal, redirect_stdout=False
    ) as bar:
        task = bar.add_task(what, total=size)
        yield lambda more: bar.advance(task, more)


def _tell(sentence: str) -> None:
    """To people, on stderr: stdout may be the backup."""
    from vitcam.terminal.consoles import stderr_console

    stderr_console().print(sentence, markup=False, highlight=False)


def _amount(manifest: "Manifest") -> str:
    return _files(len(manifest.files), manifest.size)


def _files(count: int, size: int) -> str:
    return f"{count:,} {'file' if count == 1 else 'files'}, {_size(size)}"


def _size(size: int) -> str:
    return f"{size:,} bytes" if size < 10_000 else f"{size / 1e6:,.2f} MB"


def _is_root() -> bool:
    return os.geteuid() == 0
