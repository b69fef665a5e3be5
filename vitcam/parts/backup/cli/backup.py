"""`vitcam backup`, and what `restore` prints like it. Text for people goes to stderr: stdout may be the backup."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vitcam.cli.options import ServiceOption
from vitcam.errors import UsageError
from vitcam.folders import means_service
from vitcam.terminal.consoles import progress_bar, stderr_console
from vitcam.terminal.verbs import grouped

if TYPE_CHECKING:
    from vitcam.parts.backup.manifest import Manifest
    from vitcam.parts.backup.places import ChosenFolders
    from vitcam.processes.interrupts import Interrupts

_NICE = 10
"""Added to the niceness: a daemon that runs meanwhile goes first."""


@dataclass(frozen=True, slots=True)
class FolderOptions:
    """A group: folders in place of the usual ones."""

    config: Annotated[
        Path | None, typer.Option("--config", metavar="FOLDER", help="Take this folder for the configuration.")
    ] = None
    state: Annotated[
        Path | None, typer.Option("--state", metavar="FOLDER", help="Take this folder for the state.")
    ] = None  # fmt: skip
    data: Annotated[
        Path | None, typer.Option("--data", metavar="FOLDER", help="Take this folder for models and data sets.")
    ] = None

    def chosen(self) -> "ChosenFolders":
        from vitcam.parts.backup.places import ChosenFolders

        return ChosenFolders(self.config, self.state, self.data)


@grouped
def backup(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Write this file; - writes to stdout.")],
    force: Annotated[bool, typer.Option("--force", help="Write over a file that exists.")] = False,
    service: ServiceOption = False,
    *,
    folders: FolderOptions,
) -> None:
    """Write configuration, password, tokens, events, data sets, inbox and models into one file.

    A daemon may run meanwhile.
    """
    from vitcam.parts.backup.archive_writer import write_archive
    from vitcam.parts.backup.found_files import find_files, notes_on_outside
    from vitcam.parts.backup.journal import finish_interrupted
    from vitcam.parts.backup.output import backup_file, check_output
    from vitcam.parts.backup.places import carried_folders, has_service, service_instances

    os.nice(_NICE)
    service = service or means_service(os.environ, has_service())
    places = carried_folders(folders.chosen(), os.environ, service, service_instances())
    check_output(file, places, force)
    for sentence in finish_interrupted([place.owned() for place in places]):
        tell(sentence)
    found, notes = find_files(places)
    if not found:
        looked_at = ", ".join(str(place.folder) for place in places)
        raise UsageError(
            f"there is nothing to write: no files are in {looked_at}; name others with --config and --state"
        )
    expected = sum(_size_of(each.path) for each in found)
    with (
        ended_in_order("the backup is not complete" if file == "-" else "nothing was written") as interrupts,
        bar_of_bytes("writing", expected) as progress,
        backup_file(file, force, interrupts) as (out, room),
    ):
        manifest = write_archive(found, service, out, room, progress)
    for note in [*notes, *notes_on_outside(places, os.environ)]:
        tell(note)
    tell(f"wrote {'the backup' if file == '-' else file}: {amount(manifest)}")
    tell("it holds secrets (the password's hash, passwords of cameras): keep it where only you can read it")


@contextmanager
def ended_in_order(so_far: str) -> "Iterator[Interrupts]":
    """What a signal ends in the context is put in order, and a sentence says what has happened."""
    from vitcam.processes.interrupts import Interrupts

    with Interrupts() as interrupts:
        try:
            yield interrupts
        except KeyboardInterrupt:
            tell(f"interrupted: {so_far}")
            raise


@contextmanager
def bar_of_bytes(what: str, size: int) -> Iterator[Callable[[int], None]]:
    """A bar that gets bytes."""
    from rich.progress import DownloadColumn

    with progress_bar(DownloadColumn()) as bar:
        task = bar.add_task(what, total=size)
        yield lambda more: bar.advance(task, more)


def tell(sentence: str) -> None:
    """To people, on stderr: stdout may be the backup."""
    stderr_console().print(sentence, markup=False, highlight=False)


def amount(manifest: "Manifest") -> str:
    return files_and_size(len(manifest.files), manifest.size)


def files_and_size(count: int, size: int) -> str:
    return f"{count:,} {'file' if count == 1 else 'files'}, {_bytes(size)}"


def _bytes(size: int) -> str:
    return f"{size:,} bytes" if size < 10_000 else f"{size / 1e6:,.2f} MB"


def _size_of(path: Path) -> int:
    """In bytes; 0 if it is gone meanwhile."""
    try:
        return path.lstat().st_size
    except OSError:
        return 0
