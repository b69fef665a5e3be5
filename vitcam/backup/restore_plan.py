"""What a restore would do: which files have a place here, whether there is room, and whether a daemon is in the way."""

import os
import shutil
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from vitcam.backup.found_files import is_left_out
from vitcam.backup.manifest import CarriedFile, Manifest
from vitcam.backup.places import CarriedFolder
from vitcam.errors import UsageError, VitcamError
from vitcam.folders import state_folder

_SPARE = 2**24
"""Bytes of a disk that stay free."""
_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class RestorePlan:
    """What goes where."""

    places: tuple[CarriedFolder, ...]
    """Folders that get files."""
    left_out: tuple[CarriedFile, ...]
    """Files that have no place here."""

    def place_of(self, file: CarriedFile) -> CarriedFolder | None:
        if any(is_left_out(part) for part in file.path.split("/")):
            return None
        return next((place for place in self.places if place.name == file.place), None)


def plan_restore(manifest: Manifest, places: Sequence[CarriedFolder]) -> RestorePlan:
    """Which folders get files, and which files have none here."""
    used = {file.place for file in manifest.files}
    chosen = tuple(place for place in places if place.name in used and (not place.optional or _is_writable(place)))
    plan = RestorePlan(chosen, ())
    return RestorePlan(chosen, tuple(file for file in manifest.files if plan.place_of(file) is None))


def check_room(manifest: Manifest, plan: RestorePlan) -> None:
    """Raises UsageError if nothing has a place here, VitcamError if a disk has less room than the files need."""
    if not plan.places:
        raise UsageError("nothing in this backup has a place here; name folders with --config, --state and --data")
    needed: dict[int, int] = {}
    for file in manifest.files:
        if place := plan.place_of(file):
            device = _existing(place.folder).stat().st_dev
            needed[device] = needed.get(device, 0) + file.size
    for place in plan.places:
        folder = _existing(place.folder)
        free = shutil.disk_usage(folder).free
        wanted = needed[folder.stat().st_dev]
        if wanted + _SPARE > free:
            raise VitcamError(
                f"the disk of {folder} has {free:,} bytes free, and the backup needs {wanted:,}; nothing was changed; "
                "free the disk first"
            )


@dataclass(frozen=True, slots=True)
class PlannedChange:
    """One entry of a folder."""

    path: Path
    what: str
    """`new`, `replaced` or `moved away`."""
    files: int
    """That the backup has for it."""
    size: int
    """Of these, in bytes."""


def planned_changes(manifest: Manifest, plan: RestorePlan) -> list[PlannedChange]:
    """What happens to each entry of each folder. Raises OSError if a folder cannot be read."""
    return [change for place in plan.places for change in _within(place, manifest, plan)]


def _within(place: CarriedFolder, manifest: Manifest, plan: RestorePlan) -> list[PlannedChange]:
    coming: dict[str, list[CarriedFile]] = defaultdict(list)
    for file in manifest.files:
        if plan.place_of(file) == place:
            coming[file.path.partition("/")[0]].append(file)
    with place.owned().acting() as folder:
        here = {path.name for path in folder.iterdir()} if folder.exists() else set()
    there = {name for name in here if not is_left_out(name)}
    return [
        PlannedChange(place.folder / name, _what(name, coming, there), len(files), sum(file.size for file in files))
        for name in sorted(there | coming.keys())
        for files in [coming.get(name, [])]
    ]


def _what(name: str, coming: dict[str, list[CarriedFile]], there: set[str]) -> str:
    if name not in coming:
        return "moved away"
    return "replaced" if name in there else "new"


def running_daemon(state: Path) -> int | None:
    """The process of a `vitcam run` with this state folder, if this user may see one.

    Each daemon is asked for by its own environment, which says where its state lies.
    """
    wanted = os.path.realpath(state)
    for folder in _PROC.iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid() and _state_of(folder) == wanted:
            return int(folder.name)
    return None


def _state_of(process: Path) -> str | None:
    """Where a process keeps its state, if it is a daemon."""
    try:
        if not _is_daemon((process / "cmdline").read_bytes().split(b"\0")):
            return None
        lines = (process / "environ").read_bytes().split(b"\0")
    except OSError:  # it has ended, or belongs to somebody else
        return None
    pairs = (os.fsdecode(line).partition("=") for line in lines)
    folder = state_folder({name: value for name, _, value in pairs})
    return os.path.realpath(folder) if folder else None


def _is_daemon(arguments: list[bytes]) -> bool:
    """Whether a command line is `vitcam run`, however it was started."""
    names = [os.path.basename(argument) for argument in arguments]  # noqa: PTH119 - bytes
    return b"vitcam" in names[:6] and b"run" in names[names.index(b"vitcam") + 1 :]


def _existing(folder: Path) -> Path:
    """The folder, or the nearest one above it that exists."""
    return next(each for each in (folder, *folder.parents) if each.exists())


def _is_writable(place: CarriedFolder) -> bool:
    return os.access(_existing(place.folder), os.W_OK)
