"""What a restore would do: which files have a place here, whether there is room, and whether a daemon is in the way."""

import os
import shutil
from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from vitcam.errors import UsageError, VitcamError
from vitcam.parts.backup.found_files import is_of_one_run
from vitcam.parts.backup.manifest import CarriedFile, Manifest
from vitcam.parts.backup.places import STATE, CarriedFolder
from vitcam.storage.lock import SERVING_LOCK, FolderLock, holder_of

_SPARE = 2**24
"""Bytes of a disk that stay free."""


@dataclass(frozen=True, slots=True)
class RestorePlan:
    """What goes where."""

    places: tuple[CarriedFolder, ...]
    """Folders that get files."""
    left_out: tuple[CarriedFile, ...]
    """Files that have no place here."""

    def place_of(self, file: CarriedFile) -> CarriedFolder | None:
        if is_of_one_run(file.place, file.path):
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
    there = {name for name in here if not is_of_one_run(place.name, name)}
    return [
        PlannedChange(place.folder / name, _what(name, coming, there), len(files), sum(file.size for file in files))
        for name in sorted(there | coming.keys())
        for files in [coming.get(name, [])]
    ]


def _what(name: str, coming: dict[str, list[CarriedFile]], there: set[str]) -> str:
    if name not in coming:
        return "moved away"
    return "replaced" if name in there else "new"


def hold_state(places: Sequence[CarriedFolder], held: ExitStack) -> None:
    """Keep every daemon off the state folders as long as `held` is open. Raises VitcamError if one runs there."""
    for place in places:
        mine = place.owned()
        with mine.acting() as folder:
            if not place.name.startswith(STATE) or not folder.is_dir():
                continue
            process = holder_of(folder) or holder_of(folder, SERVING_LOCK)
            if process is not None:
                raise VitcamError(
                    f"a daemon (process {process}) uses {place.folder}; end it first (the service: `sudo systemctl "
                    "stop vitcam`), and start it again afterwards"
                )
            held.enter_context(FolderLock(folder)).take()


def _existing(folder: Path) -> Path:
    """The folder, or the nearest one above it that exists."""
    return next(each for each in (folder, *folder.parents) if each.exists())


def _is_writable(place: CarriedFolder) -> bool:
    return os.access(_existing(place.folder), os.W_OK)
