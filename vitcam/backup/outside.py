"""Files that the configuration names outside of the folders that a backup takes."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from vitcam.backup.places import CarriedFolder
from vitcam.config.load import merge_layers
from vitcam.errors import VitcamError


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
