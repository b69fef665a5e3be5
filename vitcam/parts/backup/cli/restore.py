"""`vitcam restore`."""

import os
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from vitcam.cli.options import ServiceOption
from vitcam.folders import means_service
from vitcam.parts.backup.cli.backup import FolderOptions, amount, bar_of_bytes, ended_in_order, files_and_size, tell
from vitcam.terminal.consoles import stdout_console
from vitcam.terminal.verbs import grouped

if TYPE_CHECKING:
    from vitcam.parts.backup.archive_reader import BackupArchive
    from vitcam.parts.backup.restore_plan import RestorePlan


@grouped
def restore(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Read this backup; - reads stdin.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check it, print what would change, change nothing.")
    ] = False,
    service: ServiceOption = False,
    *,
    folders: FolderOptions,
) -> None:
    """Put back what `vitcam backup` wrote, here or on another machine.

    The whole file is checked before anything changes. What was there is kept in folders `before-restore-…`. End the
    daemon first.
    """
    from vitcam.parts.backup.archive_reader import open_archive
    from vitcam.parts.backup.journal import finish_interrupted
    from vitcam.parts.backup.places import carried_folders, has_service
    from vitcam.parts.backup.restore_plan import hold_state, plan_restore

    with open_archive(file) as archive:
        manifest = archive.manifest
        # root restores a backup of the service even before the service has run here
        service = service or means_service(os.environ, manifest.service or has_service())
        used = {each.place for each in manifest.files}
        places = carried_folders(folders.chosen(), os.environ, service, used)
        if dry_run:
            _preview(archive, plan_restore(manifest, places))
            return
        with ExitStack() as held:
            hold_state(places, held)
            for sentence in finish_interrupted([place.owned() for place in places]):
                tell(sentence)
            _restore(archive, plan_restore(manifest, places))


def _restore(archive: "BackupArchive", plan: "RestorePlan") -> None:
    from vitcam.parts.backup.restore_plan import check_room
    from vitcam.parts.backup.restoring import restore

    manifest = archive.manifest
    check_room(manifest, plan)
    with ended_in_order("nothing was changed") as interrupts, bar_of_bytes("restoring", manifest.size) as progress:
        kept = restore(archive, plan, interrupts, progress)
        _tell_left_out(plan)
        tell(f"restored {amount(manifest)}, as {manifest.host} had it on {manifest.date}")
        for folder in kept:
            tell(f"what was there before lies in {folder}; delete it once all is well")


def _preview(archive: "BackupArchive", plan: "RestorePlan") -> None:
    """Check the whole backup, and print on stdout what a restore would change."""
    from vitcam.parts.backup.restore_plan import planned_changes

    manifest = archive.manifest
    with bar_of_bytes("checking", manifest.size) as progress:
        for _, content in archive.files():
            for chunk in content:
                progress(len(chunk))
    console = stdout_console()
    for change in planned_changes(manifest, plan):
        more = f" ({files_and_size(change.files, change.size)})" if change.files else ""
        console.print(f"{change.what:<10} {change.path}{more}", markup=False, highlight=False)
    _tell_left_out(plan)
    tell(f"{amount(manifest)}, written by vitcam {manifest.vitcam} on {manifest.host}, {manifest.date}; all checked")


def _tell_left_out(plan: "RestorePlan") -> None:
    placed = {place.name for place in plan.places}
    without = [file.place for file in plan.left_out if file.place not in placed]
    if names := sorted({*without}):
        count = len(without)
        tell(
            f"{count:,} {'file was' if count == 1 else 'files were'} left out, because there is no place for "
            f"{', '.join(names)} here; name a folder with --config, --state or --data, run this as root, or install a "
            "newer vitcam"
        )
