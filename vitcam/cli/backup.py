"""What `vitcam backup` and `vitcam restore` do and print. Text for people goes to stderr: stdout may be the backup."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from vitcam.backup.archive_reader import open_archive
from vitcam.backup.archive_writer import write_archive
from vitcam.backup.found_files import find_files
from vitcam.backup.manifest import Manifest
from vitcam.backup.output import backup_file, check_output
from vitcam.backup.outside import notes_on_outside
from vitcam.backup.places import (
    STATE,
    CarriedFolder,
    ChosenFolders,
    carried_folders,
    has_service,
    service_instances,
)
from vitcam.backup.preview import planned_changes
from vitcam.backup.restoring import RestorePlan, check_room, plan_restore, restore
from vitcam.backup.running import running_daemon
from vitcam.errors import UsageError, VitcamError
from vitcam.folders import means_service
from vitcam.terminal.consoles import stderr_console, stdout_console

_NICE = 10
"""Added to the niceness: a daemon that runs meanwhile goes first."""


def write_backup(file: str, chosen: ChosenFolders, service: bool, force: bool) -> None:
    """Write a backup.

    file     where; `-`: stdout
    service  of the service, not of this user
    force    write over a file that exists
    raises   UsageError for a place where no backup can be written, or if there is nothing to write; VitcamError
    """
    os.nice(_NICE)
    service = service or means_service(os.environ, has_service())
    places = carried_folders(chosen, os.environ, service, service_instances())
    check_output(file, places, force)
    found, notes = find_files(places)
    if not found:
        folders = ", ".join(str(place.folder) for place in places)
        raise UsageError(f"there is nothing to write: no files are in {folders}; name others with --config and --state")
    expected = sum(_size_of(each.path) for each in found)
    with _progress("writing", expected) as progress, backup_file(file, force) as (out, room):
        manifest = write_archive(found, service, out, room, progress)
    for note in [*notes, *notes_on_outside(places, os.environ)]:
        _tell(note)
    _tell(f"wrote {'the backup' if file == '-' else file}: {_amount(manifest)}")
    _tell("it holds secrets (the password's hash, passwords of cameras): keep it where only you can read it")


def restore_backup(file: str, chosen: ChosenFolders, service: bool) -> None:
    """Put the files of a backup in place. Arguments and errors as in `write_backup`; UsageError for a damaged one."""
    with open_archive(file) as archive:
        manifest = archive.manifest
        places = _targets(chosen, manifest, service)
        plan = plan_restore(manifest, places)
        _refuse_beside_a_daemon(places)
        check_room(manifest, plan)
        with _progress("restoring", manifest.size) as progress:
            kept = restore(archive, plan, progress)
    _tell_left_out(plan)
    _tell(f"restored {_amount(manifest)}, as {manifest.host} had it on {manifest.date}")
    for folder in kept:
        _tell(f"what was there before lies in {folder}; delete it once all is well")


def preview_restore(file: str, chosen: ChosenFolders, service: bool) -> None:
    """Check a backup, and print on stdout what a restore would change. Arguments and errors as in `restore_backup`."""
    with open_archive(file) as archive:
        manifest = archive.manifest
        plan = plan_restore(manifest, _targets(chosen, manifest, service))
        with _progress("checking", manifest.size) as progress:
            for _, content in archive.files():
                for chunk in content:
                    progress(len(chunk))
    console = stdout_console()
    for change in planned_changes(manifest, plan):
        more = f" ({_files(change.files, change.size)})" if change.files else ""
        console.print(f"{change.what:<10} {change.path}{more}", markup=False, highlight=False)
    _tell_left_out(plan)
    _tell(f"{_amount(manifest)}, written by vitcam {manifest.vitcam} on {manifest.host}, {manifest.date}; all checked")


def _targets(chosen: ChosenFolders, manifest: Manifest, service: bool) -> tuple[CarriedFolder, ...]:
    """Where the files go. Root restores a backup of the service even before the service has run here."""
    service = service or means_service(os.environ, manifest.service or has_service())
    return carried_folders(chosen, os.environ, service, {file.place for file in manifest.files})


def _refuse_beside_a_daemon(places: tuple[CarriedFolder, ...]) -> None:
    for place in places:
        if place.name.startswith(STATE) and (process := running_daemon(place.folder)):
            raise VitcamError(
                f"a daemon (process {process}) uses {place.folder}; end it first (the service: `sudo systemctl stop "
                "vitcam`), and start it again afterwards"
            )


def _size_of(path: Path) -> int:
    """In bytes; 0 if it is gone meanwhile."""
    try:
        return path.lstat().st_size
    except OSError:
        return 0


def _tell_left_out(plan: RestorePlan) -> None:
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
    people = stderr_console()
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(
        *columns, console=people, transient=True, disable=not people.is_terminal, redirect_stdout=False
    ) as bar:
        task = bar.add_task(what, total=size)
        yield lambda more: bar.advance(task, more)


def _tell(sentence: str) -> None:
    """To people, on stderr: stdout may be the backup."""
    stderr_console().print(sentence, markup=False, highlight=False)


def _amount(manifest: Manifest) -> str:
    return _files(len(manifest.files), manifest.size)


def _files(count: int, size: int) -> str:
    return f"{count:,} {'file' if count == 1 else 'files'}, {_size(size)}"


def _size(size: int) -> str:
    return f"{size:,} bytes" if size < 10_000 else f"{size / 1e6:,.2f} MB"
