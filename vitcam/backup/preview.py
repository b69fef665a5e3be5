"""What a restore would change, for people to read before."""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from vitcam.backup.found_files import is_left_out
from vitcam.backup.manifest import CarriedFile, Manifest
from vitcam.backup.places import CarriedFolder
from vitcam.backup.restoring import RestorePlan


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
