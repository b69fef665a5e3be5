"""Which files of a folder a backup takes: all but the few that vitcam makes for one run, links, pipes and devices.

It tells of files that the configuration names and that lie outside of the folders.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from vitcam.config.load import merge_layers
from vitcam.errors import VitcamError
from vitcam.folders import RESTORING
from vitcam.parts import PARTS
from vitcam.parts.backup.database import companions
from vitcam.parts.backup.places import DATA, STATE, CarriedFolder
from vitcam.storage.files import is_unfinished, was_unfinished
from vitcam.storage.owner import OwnedFolder

BEFORE_RESTORE = "before-restore-"
"""How a folder is called in which `restore` keeps what was there before."""
DEEPEST = 32
"""Folders within each other."""
_OF_ONE_RUN = re.compile(
    "|".join(
        (
            r"lock|serving\.lock",
            r"sessions\.json(\..*)?",  # who has logged out must not be logged in again by a restore
            r"outbox\.db([-.].*)?",  # what waits there was sent long ago by then
            *(pattern for part in PARTS for pattern in part.made_again),
        )
    )
)
"""Of the state folder: paths below it."""
_OF_A_RESTORE = re.compile(
    rf"{re.escape(RESTORING)}(-\w{{8}})?|{BEFORE_RESTORE}\d{{8}}T\d{{6}}Z-\w+"  # with an ending until version 0.2
)
"""In each folder."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to take."""

    name: str
    """In the backup: the folder's name there, then the path below the folder."""
    path: Path
    owned: OwnedFolder
    """The folder of `places`, as whose owner it is read."""


@dataclass(slots=True)
class _Search:
    """What one walk through the folders has found."""

    others: frozenset[Path]
    notes: list[str] = field(default_factory=list)


def is_of_one_run(place: str, path: str) -> bool:
    """Whether no backup carries a file or folder: vitcam made it for itself. Where it lies says so, not only its name.

    What people may call as they like, such as a label, is never meant.

    place  the folder's name in every backup
    path   below that folder
    """
    parts = tuple(path.split("/"))
    if parts[0] == "lost+found" or _OF_A_RESTORE.fullmatch(parts[0]):
        return True
    if any(map(is_unfinished, parts)):
        return True
    if place.startswith(STATE):
        return _OF_ONE_RUN.fullmatch(path) is not None or was_unfinished(parts[-1])
    return place == DATA and parts[0] == "models" and was_unfinished(parts[-1])


def find_files(places: Sequence[CarriedFolder]) -> tuple[list[FoundFile], list[str]]:
    """The files to take, in a fixed order, and sentences about what is left out although it may be missed.

    raises  VitcamError for a folder that cannot be read
    """
    search = _Search(frozenset(place.folder for place in places))
    files: list[FoundFile] = []
    for place in places:
        owned = place.owned()
        with owned.acting() as folder:
            files += _within(search, place, owned, folder, place.name, 0)
        search.notes = [note.replace(str(owned.path), str(owned.folder)) for note in search.notes]
    return files, search.notes


def _within(
    search: _Search, place: CarriedFolder, owned: OwnedFolder, folder: Path, name: str, depth: int
) -> Iterator[FoundFile]:
    try:
        with os.scandir(folder) as listed:
            entries = sorted(listed, key=lambda each: each.name)
    except FileNotFoundError:  # nothing is there yet, or the daemon has deleted it meanwhile
        return
    except OSError as error:
        _refuse(search, place, folder, error)
        return
    left = companions(Path(entry.path) for entry in entries)
    for entry in entries:
        path, inner = Path(entry.path), f"{name}/{entry.name}"
        if is_of_one_run(*inner.split("/", 1)):
            continue
        if entry.is_dir(follow_symlinks=False):
            if depth >= DEEPEST - 2:
                search.notes.append(f"{path} was left out: it lies more than {DEEPEST} folders deep")
            elif path not in search.others:
                yield from _within(search, place, owned, path, inner, depth + 1)
        elif not entry.is_file(follow_symlinks=False):
            search.notes.append(
                f"{path} was left out: it is a link, a pipe or a device; copy what it leads to yourself"
            )
        elif path not in left:
            yield from _readable(search, place, FoundFile(inner, path, owned))


def _readable(search: _Search, place: CarriedFolder, found: FoundFile) -> Iterator[FoundFile]:
    if place.optional and not os.access(found.path, os.R_OK):
        search.notes.append(f"{found.path} was left out: only its owner may read it; `sudo vitcam backup` takes it")
    elif found.owned.owner and not os.access(found.path, os.R_OK, effective_ids=True):
        search.notes.append(f"{found.path} was left out: the owner of the folder may not read it")
    else:
        yield found


def _refuse(search: _Search, place: CarriedFolder, folder: Path, error: OSError) -> None:
    if not place.optional:
        raise VitcamError(
            f"{folder} cannot be read: {error.strerror}; run this as the user who owns the folder, or with sudo"
        ) from error
    search.notes.append(f"{folder} was left out: {error.strerror}")


def notes_on_outside(places: Sequence[CarriedFolder], environ: Mapping[str, str]) -> list[str]:
    """A sentence for each; one that says so where the configuration cannot be read."""
    try:
        rows = merge_layers(None, [], {}, environ).rows()
    except VitcamError as error:
        return [f"whether the configuration names files outside of the backup is not known: {error}"]
    named = [(name, value) for name, value, _ in rows if isinstance(value, str)]
    named.append(("VITCAM_CONFIG", environ.get("VITCAM_CONFIG", "")))
    return [
        f"{value} is not in the backup: {name} names it, and it lies outside of the folders; copy it yourself"
        for name, value in named
        if value.startswith("/") and _is_outside(Path(value), places)
    ]


def _is_outside(path: Path, places: Sequence[CarriedFolder]) -> bool:
    try:
        return path.is_file() and not any(path.resolve().is_relative_to(place.folder) for place in places)
    except (OSError, ValueError):  # too long, or with a null character
        return False
